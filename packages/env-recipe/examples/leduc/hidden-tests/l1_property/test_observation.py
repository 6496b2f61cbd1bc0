"""Hidden L1: all cards and all chips, for both players, against the rule of the original's `_extract_state`."""

import itertools

import jax.numpy as jnp
import numpy as np
from leduc.observation import observe
from leduc.state import State


def test_every_card_and_every_number_of_chips():
    for player, round, chips in itertools.product((0, 1), (0, 1, 2), ((1, 2), (2, 2), (6, 4), (14, 10), (14, 14))):
        for a, b, public in itertools.permutations(range(6), 3):
            pair = jnp.array(chips, jnp.int32)
            state = State(
                jnp.array([a, b], jnp.int32), jnp.int32(public), pair, pair, jnp.zeros(2, bool), jnp.int32(0),
                jnp.int32(0), jnp.int32(0), jnp.int32(round),
            )  # fmt: skip
            ones = {(a, b)[player] // 2, chips[player] + 6, chips[1 - player] + 21}
            ones |= {public // 2 + 3} if round else set()
            assert set(np.flatnonzero(observe(state, jnp.int32(player)))) == ones
