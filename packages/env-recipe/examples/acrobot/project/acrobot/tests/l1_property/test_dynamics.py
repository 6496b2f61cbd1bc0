"""L1: what must hold of the motion without any reference."""

import jax.numpy as jnp
import numpy as np
from acrobot.dynamics import derivatives, rk4


def test_at_rest_hanging_down_nothing_moves():
    np.testing.assert_allclose(derivatives(*map(jnp.float64, (0, 0, 0, 0, 0))), 0, rtol=0, atol=1e-14)
    np.testing.assert_allclose(rk4(*map(jnp.float64, (0, 0, 0, 0, 0))), 0, rtol=0, atol=1e-14)


def test_the_mirrored_state_gives_the_mirrored_step():
    state = (0.3, -0.7, 1.1, -2.3, 1.0)
    here = rk4(*map(jnp.float64, state))
    there = rk4(*(jnp.float64(-value) for value in state))
    np.testing.assert_allclose(here, [-float(value) for value in there], rtol=0, atol=1e-13)
