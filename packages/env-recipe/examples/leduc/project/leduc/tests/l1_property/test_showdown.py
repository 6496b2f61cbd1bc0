"""L1: who wins how much."""

import jax.numpy as jnp
import pytest
from leduc.showdown import payoffs


@pytest.mark.parametrize(
    ("hands", "public", "chips", "folded", "expected"),
    [
        ((0, 4), 1, (6, 6), (False, False), [3.0, -3.0]),  # a pair of jacks beats a king
        ((2, 4), 0, (6, 6), (False, False), [-3.0, 3.0]),  # the higher card
        ((2, 3), 0, (10, 10), (False, False), [0.0, 0.0]),  # queens split
        ((5, 0), 2, (1, 2), (True, False), [-0.5, 0.5]),  # folded with the better card
        ((0, 5), 1, (4, 2), (False, True), [1.0, -1.0]),
    ],
)
def test_payoffs(hands, public, chips, folded, expected):
    found = payoffs(jnp.array(hands), jnp.int32(public), jnp.array(chips), jnp.array(folded))
    assert found.tolist() == expected
    assert str(found.dtype) == "float32"
