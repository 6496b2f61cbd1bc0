"""What a player cannot know never shows in their observation."""

from __future__ import annotations

import functools

import jax
import numpy as np
import pytest

from tcgjax.layout import DECK, HAND
from tcgjax.verification.random_play import BATCH, ENV, look, play

pytestmark = [pytest.mark.l1, pytest.mark.timeout(1800)]


@functools.cache
def program():
    """Compiled ``(states, keys, params) -> (views before, views after, states after)`` of both players, [2, batch]."""

    def of(player, state, key, params):
        other = ENV.permute_hidden(state, key, np.int32(player))
        return ENV.observe(state, player, params), ENV.observe(other, player, params), other

    def both(state, key, params):
        return [of(player, state, key, params) for player in (0, 1)]

    return jax.jit(jax.vmap(both, (0, 0, None)))


def moved(state, after):
    """How many of a batch's cards in hands and decks have another place."""
    games = [look(s) for s in (state, after)]
    hidden = (games[0].zone == DECK) | (games[0].zone == HAND)
    return int((hidden & ((games[0].zone != games[1].zone) | (games[0].position != games[1].position))).sum())


def check(steps, seed):
    """The number of states looked at; each is permuted for both players."""
    count = changed = 0
    for number, (state, *_) in enumerate(play(steps, seed)):
        keys = jax.random.split(jax.random.key(1000 * seed + number), BATCH)
        for before, after, other in program()(state, keys, ENV.default_params):
            for name in before:
                assert np.array_equal(before[name], after[name]), name
            changed += moved(state, other)
        count += BATCH
    assert changed > 10 * count
    return count


def test_observations_do_not_depend_on_hidden_cards():
    assert check(20, 3) >= 1000


@pytest.mark.slow
@pytest.mark.timeout(0)
def test_a_hundred_thousand_observations_do_not_depend_on_hidden_cards():
    assert check(1600, 4) >= 100_000


def test_permuted_cards_are_the_same_cards(played):
    state = played[40][0]
    keys = jax.random.split(jax.random.key(5), BATCH)
    games = look(state)
    for _, _, other in program()(state, keys, ENV.default_params):
        after = look(other)
        for zone in range(7):
            sizes = [np.asarray((game.zone == zone).reshape(BATCH, 2, 20).sum(2)) for game in (games, after)]
            assert np.array_equal(*sizes)
        for name in ("cards", "tools", "energy", "damage", "legal", "listed"):
            assert np.array_equal(getattr(games, name), getattr(after, name))
