"""L1: what must hold without any reference: symmetry, energy, ends, resets, parameters per environment."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest, spearmanr

from acrobot_jax import Acrobot, EnvParams, State
from acrobot_jax.controller import swing
from acrobot_jax.dynamics import wrap

pytestmark = pytest.mark.l1

ENV = Acrobot()
STEP_ENV = jax.jit(ENV.step_env)
STEP = jax.jit(ENV.step)
KEY = jax.random.key(0)
angle = st.floats(-3, 3, width=32)
speed = st.floats(-5, 5, width=32)


def make_state(theta1=0.0, theta2=0.0, speed1=0.0, speed2=0.0, time=0, dtype=jnp.float32):
    values = (jnp.asarray(value, dtype) for value in (theta1, theta2, speed1, speed2))
    return State(*values, time=jnp.int32(time), rng=(jnp.uint32(1), jnp.uint32(2), jnp.uint32(3)))


@settings(max_examples=200, deadline=None)
@given(angle, angle, speed, speed, st.integers(0, 2))
def test_mirrored_state_and_action_give_the_mirrored_step(theta1, theta2, speed1, speed2, action):
    params = ENV.default_params
    here = STEP_ENV(KEY, make_state(theta1, theta2, speed1, speed2), jnp.int32(action), params)
    there = STEP_ENV(KEY, make_state(-theta1, -theta2, -speed1, -speed2), jnp.int32(2 - action), params)
    np.testing.assert_allclose(here[0], np.float32([1, -1, 1, -1, -1, -1]) * there[0], rtol=0, atol=5e-5)
    assert here[3] == there[3] or abs(float(height(here[1])) - 1) < 1e-4


def height(state):
    """Of the free end above the pivot, m, in float64 from the state's numbers."""
    theta1, theta2 = float(state.theta1), float(state.theta2)
    return -math.cos(theta1) - math.cos(theta1 + theta2)


@settings(max_examples=100, deadline=None)
@given(angle, angle, speed, speed, st.integers(0, 2), st.integers(0, 600))
def test_flags_follow_from_the_state(theta1, theta2, speed1, speed2, action, time):
    state = make_state(theta1, theta2, speed1, speed2, time)
    after = STEP_ENV(KEY, state, jnp.int32(action), ENV.default_params)[1]
    _, reset, reward, terminated, truncated, _ = STEP(KEY, state, jnp.int32(action))
    if abs(height(after) - 1) > 1e-5:
        assert terminated == (height(after) > 1)
    assert truncated == (time + 1 >= 500)
    assert reward == (0 if terminated else -1)
    assert reset.time == (0 if terminated or truncated else time + 1)


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float64], ids=["float32", "float64"])
def test_angles_and_speeds_stay_in_their_ranges(dtype, x64):
    """Also after steps that turn the lower link around several times."""
    rng = np.random.default_rng(3)
    states = rng.uniform(-1, 1, (5000, 4)) * [math.pi, math.pi, 4 * math.pi, 9 * math.pi]
    env = Acrobot(dtype)
    state = jax.vmap(lambda s: make_state(*s, dtype=dtype))(jnp.asarray(states, dtype))
    actions = jnp.asarray(rng.integers(0, 3, 5000), jnp.int32)
    _, after, *_ = jax.jit(jax.vmap(env.step_env, (None, 0, 0, None)))(KEY, state, actions, env.default_params)
    for value, most in zip((after.theta1, after.theta2, after.speed1, after.speed2), (1, 1, 4, 9), strict=True):
        value = np.asarray(value)
        limit = value.dtype.type(most * math.pi)
        assert (np.abs(value) <= limit).all()
    assert (np.abs(np.asarray(after.speed2)) == limit).any()


@pytest.mark.parametrize("turns", range(-6, 7))
def test_whole_turns_are_taken_off(x64, turns):
    assert abs(float(wrap(jnp.float64(0.5 + turns * 2 * math.pi))) - 0.5) < 1e-14


def test_energy_is_conserved_to_fourth_order(x64):
    """Without torque the energy stays; the method's error shrinks with the fourth power of the time step."""
    env = Acrobot(jnp.float64)

    def energy(s, p):
        m1, m2, l1, c1, c2, moment = (
            *(p.link_mass_1, p.link_mass_2, p.link_length_1),
            *(p.link_centre_1, p.link_centre_2, p.link_inertia),
        )
        both = s.speed1 + s.speed2
        upper = (m1 * c1**2 + m2 * l1**2 + moment) * s.speed1**2 / 2
        lower = (m2 * c2**2 + moment) * both**2 / 2 + m2 * l1 * c2 * s.speed1 * both * jnp.cos(s.theta2)
        fall = (m1 * c1 + m2 * l1) * jnp.cos(s.theta1) + m2 * c2 * jnp.cos(s.theta1 + s.theta2)
        return upper + lower - p.gravity * fall

    def drift(time_step):
        params = EnvParams(torque=0.0, time_step=time_step)
        start = make_state(1.0, -0.5, 0.3, 0.4, dtype=jnp.float64)
        step = jax.jit(lambda _, state: env.step_env(KEY, state, jnp.int32(1), params)[1])
        end = jax.lax.fori_loop(0, round(1 / time_step), step, start)
        return abs(float(energy(end, params) - energy(start, params)))

    coarse, fine = drift(0.1), drift(0.05)
    assert coarse < 0.05
    assert 8 < coarse / fine < 80


def test_resets_are_uniform_and_independent():
    keys = jax.random.split(jax.random.key(7), 20_000)
    _, state = jax.jit(jax.vmap(ENV.reset))(keys)
    values = np.stack([state.theta1, state.theta2, state.speed1, state.speed2], axis=1).astype(np.float64)
    for component in range(4):
        assert kstest(values[:, component], "uniform", (-0.1, 0.2)).pvalue > 1e-3
    correlation = spearmanr(values).statistic - np.eye(4)
    assert np.abs(correlation).max() < 0.03  # 4 standard errors of 1/sqrt(20,000)


def test_auto_resets_are_uniform_and_fresh():
    """Resets inside `step` draw from the state's own generator; no two alike."""
    _, states = jax.vmap(ENV.reset)(jax.random.split(jax.random.key(8), 500))
    high = {"theta1": jnp.full(500, math.pi, jnp.float32), "theta2": jnp.zeros(500, jnp.float32)}
    high |= {"speed1": jnp.zeros(500, jnp.float32), "speed2": jnp.zeros(500, jnp.float32)}
    step = jax.jit(jax.vmap(ENV.step, (None, 0, 0)))
    drawn = []
    for _ in range(10):
        _, states, _, terminated, *_ = step(KEY, states.replace(**high), jnp.ones(500, jnp.int32))
        assert terminated.all()
        drawn.append(np.stack([states.theta1, states.theta2, states.speed1, states.speed2], axis=1).astype(np.float64))
    values = np.concatenate(drawn)
    assert len(np.unique(values, axis=0)) == len(values)
    assert kstest(values.ravel(), "uniform", (-0.1, 0.2)).pvalue > 1e-3


def test_reset_bounds_are_parameters():
    params = EnvParams(reset_low=0.5, reset_high=0.7)
    obs, _ = jax.vmap(ENV.reset, (0, None))(jax.random.split(KEY, 1000), params)
    assert obs[:, 4:].min() >= 0.5
    assert obs[:, 4:].max() <= 0.7
    assert np.ptp(obs[:, 4:]) > 0.19


def test_parameters_may_differ_per_environment():
    """One batch with two gravities equals two batches."""
    params = jax.vmap(lambda gravity: EnvParams(gravity=gravity))(jnp.array([9.8, 1.6], jnp.float32))
    state = jax.tree.map(lambda leaf: jnp.stack([leaf, leaf]), make_state(theta1=1.0))
    both = jax.vmap(ENV.step_env, (None, 0, None, 0))(KEY, state, jnp.int32(2), params)[0]
    for i, gravity in enumerate((9.8, 1.6)):
        alone = ENV.step_env(KEY, make_state(theta1=1.0), jnp.int32(2), EnvParams(gravity=gravity))[0]
        np.testing.assert_allclose(both[i], alone, rtol=1e-5)
    assert both[0, 4] != both[1, 4]


def test_the_hand_written_player_gets_high():
    _, states = jax.vmap(ENV.reset)(jax.random.split(jax.random.key(9), 64))

    def play(states, _):
        obs = jax.vmap(ENV.observe, (0, None, None))(states, None, ENV.default_params)
        _, states, _, terminated, truncated, _ = jax.vmap(ENV.step, (None, 0, 0))(KEY, states, swing(obs))
        return states, (terminated, truncated)

    _, (terminated, truncated) = jax.lax.scan(play, states, None, 300)
    assert terminated.any(axis=0).all()
    assert not truncated.any()
