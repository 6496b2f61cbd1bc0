"""L1: where an episode ends."""

import jax.numpy as jnp
import numpy as np
import pytest
from mountaincar.ends import reached


@pytest.mark.parametrize(
    ("position", "over"), [(0.49, False), (float(np.nextafter(0.5, 0)), False), (0.5, True), (0.55, True)]
)
def test_the_flag_is_at_one_half(position, over):
    assert bool(reached(jnp.float64(position), jnp.float64(0.01))) == over
