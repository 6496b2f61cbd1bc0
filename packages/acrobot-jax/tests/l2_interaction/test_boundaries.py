"""L2: angles, speeds and heights exactly on, just below and just above where a rule changes, against Gymnasium.

With a time step of 1e-30 s a step moves no angle by as much as its last bit, and only the rules behind the integrator
are left; what was 0 becomes less than 1e-28.
"""

import math

import jax.numpy as jnp
import numpy as np
import pytest

from acrobot_jax import Acrobot, EnvParams, constants
from acrobot_jax.verification.sides import step_ours, step_theirs
from rlenv_testing.forms import in_form

pytestmark = [pytest.mark.l2, pytest.mark.reference("gymnasium_classic")]

STILL = 1e-30  # s


def around(value, dtype, count=1):
    """The float of a dtype next to ``value``, and ``count`` to either side."""
    kind = np.dtype(dtype).type
    below = above = kind(value)
    found = [below]
    for _ in range(count):
        below, above = np.nextafter(below, kind(-np.inf)), np.nextafter(above, kind(np.inf))
        found += [below, above]
    return sorted(map(float, found))


def still(dtype, states, **params):
    """Both sides of a step in which nothing moves."""
    states, actions = np.array(states, np.float64), np.ones(len(states), np.int32)
    ours = step_ours(in_form(Acrobot(dtype)), states, actions, EnvParams(time_step=STILL, **params))
    return ours, step_theirs(states, actions, {"dt": STILL})


@pytest.mark.parametrize("component", [0, 1], ids=["theta1", "theta2"])
@pytest.mark.parametrize("end", [-math.pi, math.pi], ids=["low", "high"])
def test_angles_on_and_around_half_a_turn(dtype, component, end):
    """What lies on it stays, the next float beyond is a whole turn further: also float32 decides like Gymnasium."""
    values = around(end, dtype, 2)
    states = np.zeros((len(values), 4))
    states[:, component] = values
    ours, theirs = still(dtype, states)
    turned = theirs[0][:, component] != states[:, component]
    assert 0 < turned.sum() < len(values)
    a, b = ours[0][:, component], theirs[0][:, component]
    np.testing.assert_array_equal(np.sign(a), np.sign(b))
    np.testing.assert_allclose(a, b, rtol=0, atol=0 if dtype == jnp.float64 else 3e-7)
    np.testing.assert_allclose(np.delete(ours[0], component, axis=1), 0, rtol=0, atol=1e-28)


@pytest.mark.parametrize("turns", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("sign", [-1, 1], ids=["down", "up"])
def test_several_turns_are_taken_off(dtype, turns, sign):
    """From the middle of every turn, and from both its ends as near as three ulp of float32."""
    values = [sign * (2 * turns * math.pi + part) for part in (-math.pi + 1e-5, -1.0, 0.0, 2.0, math.pi - 1e-5)]
    states = np.zeros((len(values), 4))
    states[:, 1] = np.asarray(values, np.dtype(dtype))
    ours, theirs = still(dtype, states)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=0, atol=2e-14 if dtype == jnp.float64 else 2e-5)


@pytest.mark.parametrize("sign", [-1, 1], ids=["down", "up"])
@pytest.mark.parametrize(
    ("component", "most"), [(2, constants.MAX_SPEED_1), (3, constants.MAX_SPEED_2)], ids=["speed1", "speed2"]
)
def test_speeds_on_and_around_their_limits(dtype, component, most, sign):
    values = [sign * value for value in around(most, dtype)]
    states = np.zeros((3, 4))
    states[:, component] = values
    ours, theirs = still(dtype, states)
    limit = np.dtype(dtype).type(most)
    np.testing.assert_array_equal(np.abs(theirs[0][:, component]) > np.nextafter(most, 0), [False, True, True])
    np.testing.assert_array_equal(ours[0][:, component], theirs[0][:, component].astype(limit.dtype))


def test_the_line_itself_is_not_high_and_the_next_height_is(x64):
    """Thousands of pairs of angles, from three floats below the line's height to three above it."""
    theta1 = np.random.default_rng(0).uniform(1.7, 3.1, 2000)
    with np.errstate(invalid="ignore"):
        level = np.arccos(-1 - np.cos(theta1))  # of the lower link, from hanging down
    theta1, level = theta1[np.isfinite(level)], level[np.isfinite(level)]
    theta2 = np.concatenate([level + i * np.spacing(level) - theta1 for i in range(-3, 4)])
    states = np.zeros((len(theta2), 4))
    states[:, 0], states[:, 1] = np.tile(theta1, 7), theta2
    ours, theirs = still(jnp.float64, states)
    height = -np.cos(theirs[0][:, 0]) - np.cos(theirs[0][:, 1] + theirs[0][:, 0])
    for group in (height < 1, height == 1, height > 1):
        assert group.sum() > 500
    np.testing.assert_array_equal(theirs[3], height > 1)
    np.testing.assert_array_equal(ours[3], theirs[3])
    np.testing.assert_array_equal(ours[2], theirs[2])


@pytest.mark.parametrize("above", [-2e-5, 2e-5])
def test_float32_tells_the_sides_of_the_line_apart(above):
    """Twenty micrometres above and below it, for many pairs of angles."""
    theta1 = np.linspace(1.7, 4.5, 50)
    theta2 = np.arccos(-(1 + above) - np.cos(theta1)) - theta1
    states = np.zeros((len(theta1), 4))
    states[:, 0], states[:, 1] = (np.remainder(a + math.pi, 2 * math.pi) - math.pi for a in (theta1, theta2))
    ours, theirs = still(jnp.float32, states)
    np.testing.assert_array_equal(theirs[3], [above > 0] * len(theta1))
    np.testing.assert_array_equal(ours[3], theirs[3])
