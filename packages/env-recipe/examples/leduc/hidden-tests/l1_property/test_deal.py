"""Hidden L1: the first player and the cards say nothing about each other, and one key is one deal."""

import jax
import numpy as np
from leduc.deal import deal
from scipy.stats import chi2_contingency


def test_cards_and_player_are_independent():
    state = jax.vmap(deal)(jax.random.split(jax.random.key(77), 30_000))
    table = np.zeros((2, 30))
    code = np.asarray(state.hands)[:, 0] * 5 + np.asarray(state.public) % 5
    np.add.at(table, (np.asarray(state.player), code), 1)
    assert chi2_contingency(table[:, table.sum(axis=0) > 0]).pvalue > 1e-3


def test_one_key_is_one_deal():
    one, two = deal(jax.random.key(5)), deal(jax.random.key(5))
    assert all((a == b).all() for a, b in zip(one, two, strict=True))
