"""L1: what a player sees."""

import jax.numpy as jnp
import numpy as np
import pytest
from leduc.observation import observe
from leduc.state import State


def state(hands=(0, 4), public=3, chips=(4, 2), round=0):
    pair = jnp.array(chips, jnp.int32)
    return State(
        jnp.array(hands, jnp.int32), jnp.int32(public), pair, pair, jnp.zeros(2, bool), jnp.int32(1), jnp.int32(1),
        jnp.int32(1), jnp.int32(round),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("player", "round", "ones"),
    [(0, 0, [0, 10, 23]), (1, 0, [2, 8, 25]), (0, 1, [0, 4, 10, 23]), (1, 2, [2, 4, 8, 25])],
)
def test_ones(player, round, ones):
    seen = observe(state(round=round), jnp.int32(player))
    assert np.flatnonzero(seen).tolist() == ones
    assert (seen.shape, str(seen.dtype), float(seen.sum())) == ((36,), "float32", len(ones))


def test_what_is_hidden_is_not_seen():
    for other in (1, 2, 3, 5):
        here, there = (observe(state(hands=(0, card)), jnp.int32(0)) for card in (4, other))
        np.testing.assert_array_equal(here, there)
    for card in (1, 2, 5):
        here, there = (observe(state(public=public), jnp.int32(0)) for public in (3, card))
        np.testing.assert_array_equal(here, there)
