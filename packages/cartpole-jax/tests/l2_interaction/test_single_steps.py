"""L2: one step at a time from scripted states, against Gymnasium."""

import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import ks_2samp

from cartpole_jax import CartPole, EnvParams, State, constants
from rlenv_shared import counter_rng
from rlenv_shared.verification.locate import reference
from rlenv_testing.forms import in_form

pytestmark = [pytest.mark.l2, pytest.mark.reference("gymnasium_classic")]

# Absolute, and relative to the larger of 1 and the value: 1e-14 is 45 ulp of float64, 1e-6 is 8 of float32.
TOLERANCE = {jnp.float64: 1e-14, jnp.float32: 1e-6}
GRID = np.array(
    list(
        itertools.product(
            (-2.5, -1.0, 0.0, 2.3), (-3.0, 0.0, 0.7), (-1.5, -0.21, -0.02, 0.0, 0.15, 3.0), (-4.0, -0.3, 0.0, 2.0)
        )
    )
)
ACTIONS = (constants.LEFT, constants.RIGHT)


def step_ours(env, states, actions, params=None, time=0):
    """One raw step from each state [B, 4]; returns ``(states [B, 4], obs, reward, terminated, truncated)``."""
    env, params = in_form(env), env.default_params if params is None else params
    state = State(
        *(jnp.asarray(states[:, i], env.dtype) for i in range(4)),
        time=jnp.full(len(states), time, jnp.int32),
        rng=tuple(map(jnp.asarray, counter_rng.from_seed(0, len(states)))),
    )

    @jax.jit
    @jax.vmap
    def step(state, action):
        obs, state, reward, terminated, _ = env.step_env(None, state, action, params)
        values = jnp.stack([state.x, state.x_dot, state.theta, state.theta_dot])
        return values, obs, reward, terminated, env.is_truncated(state, params)

    return jax.device_get(step(state, jnp.asarray(actions, jnp.int32)))


def step_theirs(states, actions, attributes=None, time=0, **options):
    """The same with Gymnasium."""
    original = reference("gymnasium_classic").Reference(len(states), attributes, **options)
    original.reset(states=states, time=time)
    original.step(actions)
    now = original.snapshot()
    return original.states, now["obs"], now["reward"], now["terminated"], now["truncated"]


def assert_same(ours, theirs, tolerance):
    for name, a, b in zip(("state", "obs"), ours[:2], theirs[:2], strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerance if name == "state" else 1e-6, atol=tolerance, err_msg=name)
    for name, a, b in zip(("reward", "terminated", "truncated"), ours[2:], theirs[2:], strict=True):
        np.testing.assert_array_equal(a, b, err_msg=name)


@pytest.mark.parametrize("action", ACTIONS)
def test_step_from_every_state_of_a_grid(dtype, action):
    actions = np.full(len(GRID), action)
    assert_same(step_ours(CartPole(dtype), GRID, actions), step_theirs(GRID, actions), TOLERANCE[dtype])


def test_float64_steps_differ_by_two_units_in_the_last_place_at_most(x64):
    """Speeds up to 7.5, where a unit in the last place is 8.9e-16."""
    rng = np.random.default_rng(8)
    states = rng.uniform(-1, 1, (2000, 4)) * [2.4, 7.5, 0.2, 7.5]
    actions = rng.integers(0, 2, len(states))
    ours, theirs = step_ours(CartPole(jnp.float64), states, actions)[0], step_theirs(states, actions)[0]
    assert np.abs(ours - theirs).max() <= 2**-50
    assert (np.abs(ours - theirs) <= 2 * np.spacing(np.maximum(1, np.abs(theirs)))).all()


@pytest.mark.parametrize("sign", [-1, 1], ids=["left", "right"])
@pytest.mark.parametrize(("component", "threshold"), [(0, 2.4), (2, 12 * 2 * math.pi / 360)], ids=["x", "theta"])
def test_exactly_at_the_threshold_goes_on_and_the_next_float_ends(x64, component, threshold, sign):
    """With zero velocity the position after the step is the position before it, to the bit."""
    states = np.zeros((3, 4))
    states[:, component] = [np.nextafter(threshold, 0), threshold, np.nextafter(threshold, 9)]
    states *= sign
    actions = np.zeros(3, np.int32)
    ours, theirs = step_ours(CartPole(jnp.float64), states, actions), step_theirs(states, actions)
    np.testing.assert_array_equal(ours[0][:, component], states[:, component])
    np.testing.assert_array_equal(theirs[3], [False, False, True])
    np.testing.assert_array_equal(ours[3], theirs[3])


@pytest.mark.parametrize("time", [0, 498, 499])
def test_truncation_comes_with_step_500(dtype, time):
    """Also together with termination: the second state falls."""
    states, actions = np.array([[0.0, 0, 0, 0], [2.39, 3, 0, 0]]), np.array([0, 1])
    ours, theirs = step_ours(CartPole(dtype), states, actions, time=time), step_theirs(states, actions, time=time)
    np.testing.assert_array_equal(theirs[4], [time == 499] * 2)
    assert_same(ours, theirs, TOLERANCE[dtype])


def test_sutton_barto_reward(dtype):
    states, actions = np.array([[0.0, 0, 0, 0], [2.39, 3, 0, 0]]), np.array([0, 1])
    ours = step_ours(CartPole(dtype, sutton_barto_reward=True), states, actions)
    np.testing.assert_array_equal(ours[2], [0, -1])
    assert_same(ours, step_theirs(states, actions, sutton_barto_reward=True), TOLERANCE[dtype])


def test_semi_implicit_integrator(dtype):
    actions = np.arange(len(GRID)) % 2
    ours = step_ours(CartPole(dtype, integrator="semi-implicit euler"), GRID, actions)
    assert_same(ours, step_theirs(GRID, actions, {"kinematics_integrator": "semi-implicit euler"}), TOLERANCE[dtype])


@pytest.mark.parametrize(
    ("params", "attributes"),
    [
        ({"gravity": 3.7}, {"gravity": 3.7}),
        ({"mass_cart": 2.5}, {"masscart": 2.5, "total_mass": 0.1 + 2.5}),
        ({"mass_pole": 0.3}, {"masspole": 0.3, "total_mass": 0.3 + 1.0, "polemass_length": 0.3 * 0.5}),
        ({"half_pole_length": 0.8}, {"length": 0.8, "polemass_length": 0.1 * 0.8}),
        ({"force": 4.0}, {"force_mag": 4.0}),
        ({"time_step": 0.05}, {"tau": 0.05}),
        ({"x_threshold": 1.0}, {"x_threshold": 1.0}),
        ({"theta_threshold": 0.1}, {"theta_threshold_radians": 0.1}),
    ],
    ids=lambda value: next(iter(value)),
)
def test_other_constants(dtype, params, attributes):
    actions = np.arange(len(GRID)) % 2
    ours = step_ours(CartPole(dtype), GRID, actions, EnvParams(**params))
    assert_same(ours, step_theirs(GRID, actions, attributes), TOLERANCE[dtype])


def test_resets_have_the_distribution_of_gymnasium(dtype):
    original = reference("gymnasium_classic").Reference(4000)
    original.reset(seed=5)
    keys = jax.random.split(jax.random.key(5), 4000)
    ours, _ = jax.vmap(CartPole(dtype).reset)(keys)
    for component in range(4):
        assert ks_2samp(np.asarray(ours)[:, component], original.states[:, component]).pvalue > 1e-3
