"""Backup L2: all 120 deals, both first players, 20 random sequences of actions each."""

import itertools

import numpy as np


def test_every_deal():
    from both_sides import play

    deals = list(itertools.product(itertools.permutations(range(6), 3), (0, 1), range(20)))
    hands = np.array([cards[:2] for cards, _, _ in deals])
    public, first = np.array([cards[2] for cards, _, _ in deals]), np.array([player for _, player, _ in deals])
    actions = np.random.default_rng(31).integers(0, 4, (9, len(deals)))
    assert play(hands, public, first, actions)["terminated"].all()
