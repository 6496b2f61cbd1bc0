"""Neighbouring float32s decide every comparison with a double as the double does."""

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlenv_shared.thresholds import round_down, round_up

pytestmark = pytest.mark.l1

BOUNDS = st.floats(-1e30, 1e30).filter(lambda bound: bound == 0 or abs(bound) > 1e-30)


@given(bound=BOUNDS, steps=st.integers(-3, 3))
def test_every_float32_near_a_bound_is_on_the_same_side(bound, steps):
    x = np.float32(bound)
    for _ in range(abs(steps)):
        x = np.nextafter(x, np.float32(np.copysign(np.inf, steps)))
    wide, up, down = float(x), round_up(bound, np.float32), round_down(bound, np.float32)
    assert (up.dtype, down.dtype) == (np.float32, np.float32)
    assert (x < up, x >= up, x > down, x <= down) == (wide < bound, wide >= bound, wide > bound, wide <= bound)


@pytest.mark.parametrize("rounded", [round_up, round_down])
def test_what_a_dtype_represents_stays(rounded):
    assert rounded(0.01, np.float64) == 0.01
    assert rounded(0.5, np.float32) == 0.5
    assert rounded(np.float32(0.01), np.float32) == np.float32(0.01)
    assert rounded(3, np.float32) == 3


def test_arrays_are_their_own_thresholds():
    assert round_up(jnp.float32(0.01), jnp.float32) == np.float32(0.01)
    assert round_down(np.array([0.1, 0.2]), jnp.float32).dtype == jnp.float32
