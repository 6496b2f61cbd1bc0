"""L1: angles, speeds and the end."""

import math

import jax.numpy as jnp
import pytest
from acrobot.bounds import limit, reached, wrap


@pytest.mark.parametrize("turns", [-2, -1, 0, 1, 2])
def test_whole_turns_are_taken_off(turns):
    assert abs(float(wrap(jnp.float64(0.5 + turns * 2 * math.pi))) - 0.5) < 1e-13


@pytest.mark.parametrize("angle", [math.pi, -math.pi])
def test_the_ends_stay(angle):
    assert float(wrap(jnp.float64(angle))) == angle


@pytest.mark.parametrize(("speed", "found"), [(13.0, 12.0), (-13.0, -12.0), (12.0, 12.0), (3.0, 3.0)])
def test_speeds_are_limited(speed, found):
    assert float(limit(jnp.float64(speed), 12.0)) == found


@pytest.mark.parametrize(("angles", "over"), [((math.pi, 0.0), True), ((0.0, 0.0), False), ((math.pi / 2, 0.0), False)])
def test_the_height(angles, over):
    assert bool(reached(*map(jnp.float64, angles))) == over
