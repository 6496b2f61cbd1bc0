"""Opponents by name: they do what is legal in both seats, in every form, and the better ones win."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pokejax.engine import ENGINE
from pokejax.opponents import OPPONENTS
from pokejax.opponents.seat import base_stat
from pokejax.tables import NAMES
from pokejax.verification import strength
from rlenv_emit import emit
from rlenv_emit.emit import emit_lazily
from rlenv_shared import compiling

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def positions(played):
    """States and masks of every fourth decision of random play, each of all battles."""
    return [(played.words[n], np.asarray(played.masks[n])) for n in range(1, len(played.masks), 4)]


def decisions(name):
    def both(state, params, word):
        return jnp.stack([OPPONENTS[name](state, player, params, word) for player in (0, 1)])

    return both


@functools.cache
def instructions(name):
    return jax.jit(jax.vmap(emit_lazily(decisions(name), "bytecode"), (0, None, None)))


@functools.cache
def compiled(name):
    return compiling.jit(jax.vmap(decisions(name), (0, None, None)), ENGINE)


@pytest.mark.parametrize("name", OPPONENTS)
def test_they_do_what_is_legal(name, positions, played):
    for number, (state, masks) in enumerate(positions):
        actions = np.asarray(instructions(name)(state, played.params, jnp.uint32(number * 0x2F0B4C47 & 0xFFFFFFFF)))
        assert np.take_along_axis(masks, actions[..., None], axis=2).all()


@pytest.mark.parametrize("name", ["base-power", "heuristics-meant"])
def test_they_decide_alike_in_every_form(name, positions, played):
    state, _ = positions[-1]
    word = jnp.uint32(0x9E3779B9)
    one = jax.tree.map(lambda leaf: leaf[0], state)
    native = jax.vmap(emit(decisions(name), one, played.params, word), (0, None, None))
    expected = compiled(name)(state, played.params, word)
    for decide in (native, instructions(name)):
        np.testing.assert_array_equal(decide(state, played.params, word), expected)


def test_base_stats_are_the_species():
    number = NAMES["species"].index("garchomp")
    stats = [int(base_stat(jnp.int32(number), stat)) for stat in ("atk", "def", "spa", "spd", "spe")]
    assert stats == [130, 95, 80, 85, 102]


def test_heuristics_win_against_the_highest_base_power_and_that_against_random_play():
    for better, worse in (("heuristics", "base-power"), ("base-power", "random")):
        won = strength.results(better, worse, 128, 5, form="bytecode")
        assert np.isin(won, (-1, 0, 1)).all()
        assert won.mean() > 0.5
        assert abs(won[:64].mean() - won[64:].mean()) < 0.5  # in either seat
