"""L1: what must hold of the motion without any reference."""

import jax.numpy as jnp
import pytest
from mountaincar.dynamics import accelerate, move


@pytest.mark.parametrize("action", [0, 1, 2])
def test_speed_is_bounded(action):
    for velocity in (-0.07, -0.0699, 0.0, 0.0699, 0.07):
        assert abs(accelerate(jnp.float64(-0.5), jnp.float64(velocity), action)) <= 0.07


def test_pushing_right_is_faster_than_coasting():
    slow, fast = (accelerate(jnp.float64(-0.5), jnp.float64(0.0), action) for action in (1, 2))
    assert abs(float(fast - slow) - 0.001) < 1e-15


@pytest.mark.parametrize("position", [-1.2, -1.19])
def test_the_wall_stops_the_car(position):
    """At the wall itself and beyond it: nothing moves on to the left."""
    where, speed = move(jnp.float64(position), jnp.float64(-0.01))
    assert where == -1.2
    assert speed == 0


def test_the_right_end_is_a_bound_and_no_wall():
    where, speed = move(jnp.float64(0.59), jnp.float64(0.05))
    assert where == 0.6
    assert speed == 0.05
