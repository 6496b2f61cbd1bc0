"""Hidden L1 of the motion."""

import jax.numpy as jnp
from mountaincar.dynamics import accelerate, move


def test_gravity_pulls_to_the_valley():
    assert accelerate(jnp.float64(-0.2), jnp.float64(0.0), 1) < 0
    assert accelerate(jnp.float64(-0.9), jnp.float64(0.0), 1) > 0


def test_a_car_at_rest_at_the_wall_stays():
    where, speed = move(jnp.float64(-1.2), jnp.float64(0.0))
    assert (float(where), float(speed)) == (-1.2, 0.0)
