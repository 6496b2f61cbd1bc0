"""L1: what a reset gives."""

import jax.numpy as jnp
import pytest
from mountaincar.start import begin


@pytest.mark.parametrize(("fraction", "position"), [(0.0, -0.6), (0.5, -0.5)])
def test_the_car_starts_in_the_valley(fraction, position):
    state = begin(jnp.float64(fraction), None)
    assert abs(float(state.position) - position) < 1e-15
    assert state.velocity == 0
    assert state.time == 0
