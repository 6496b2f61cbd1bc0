"""L2: positions and angles exactly on, one float below and one above the thresholds, against Gymnasium."""

import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from cartpole_jax import CartPole, EnvParams, State
from rlenv_shared import counter_rng
from rlenv_shared.verification.locate import reference
from rlenv_testing.forms import in_form

Reference = reference("gymnasium_classic").Reference

pytestmark = [pytest.mark.l2, pytest.mark.reference("gymnasium_classic")]

X, THETA = 2.4, 12 * 2 * math.pi / 360
RANDOM = np.random.default_rng(24)
THRESHOLDS = {
    "default": {"x_threshold": X, "theta_threshold": THETA},
    **{
        f"drawn {i}": {"x_threshold": RANDOM.uniform(0.6, 9), "theta_threshold": RANDOM.uniform(0.13, 1.4)}
        for i in range(7)
    },
}
GYMNASIUM = {"x_threshold": "x_threshold", "theta_threshold": "theta_threshold_radians", "time_step": "tau"}
# Component of the state, the threshold it meets, and how far a step of 1/64 s takes it: all sums are exact.
COMPONENTS = [(0, "x_threshold", 0.5), (2, "theta_threshold", 0.0625)]
PLACES, SIGNS, MOVES = (-1, 0, 1), (-1, 1), (0.0, 1.0)
STEP = 1 / 64


def cases(thresholds, dtype):
    """States [N, 4] whose position or angle arrives at the floats around a threshold, and where each arrives."""
    states, arrivals = [], []
    for (component, name, length), sign, move, place in itertools.product(COMPONENTS, SIGNS, MOVES, PLACES):
        nearest = dtype(thresholds[name])
        arrival = np.nextafter(nearest, dtype(place * np.inf)) if place else nearest
        state = np.zeros(4, dtype)
        state[component] = sign * (arrival - dtype(move * length))
        state[component + 1] = sign * move * length / STEP
        states.append(state)
        arrivals.append((component, sign * float(arrival)))
    return np.array(states), arrivals


def ours(dtype, params, states):
    env = in_form(CartPole(dtype))

    @jax.jit
    @jax.vmap
    def step(*values):
        state = State(*values, time=jnp.int32(0), rng=tuple(map(jnp.asarray, counter_rng.from_seed(0))))
        _, state, reward, terminated, _ = env.step_env(None, state, jnp.int32(0), params)
        return jnp.stack([state.x, state.x_dot, state.theta, state.theta_dot]), reward, terminated

    return jax.device_get(step(*states.T))


@pytest.mark.parametrize("thresholds", THRESHOLDS.values(), ids=THRESHOLDS)
def test_ends_like_gymnasium_around_the_thresholds(dtype, thresholds):
    params = {**thresholds, "time_step": STEP}
    states, arrivals = cases(thresholds, np.dtype(dtype).type)
    reference = Reference(len(states), {GYMNASIUM[name]: value for name, value in params.items()})
    reference.reset(states=states.astype(np.float64))
    reference.step(np.zeros(len(states), np.int32))
    expected = reference.snapshot()["terminated"]
    after, reward, terminated = ours(dtype, EnvParams(**params), states)
    for i, (component, arrival) in enumerate(arrivals):
        assert after[i, component] == reference.states[i, component] == arrival, i
    np.testing.assert_array_equal(terminated, expected)
    np.testing.assert_array_equal(reward, 1)
    assert 0 < expected.sum() < len(expected)
