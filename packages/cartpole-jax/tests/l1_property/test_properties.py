"""L1: what must hold without any reference: symmetry, energy, ends, resets, parameters per environment."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest, spearmanr

from cartpole_jax import CartPole, EnvParams, State
from cartpole_jax.controller import balance
from rlenv_shared.trig import sin_cos

pytestmark = pytest.mark.l1

ENV = CartPole()
STEP_ENV = jax.jit(ENV.step_env)
STEP = jax.jit(ENV.step)
KEY = jax.random.key(0)
number = st.floats(-3, 3, width=32)


def make_state(x=0.0, x_dot=0.0, theta=0.0, theta_dot=0.0, time=0, dtype=jnp.float32):
    values = (jnp.asarray(value, dtype) for value in (x, x_dot, theta, theta_dot))
    return State(*values, time=jnp.int32(time), rng=(jnp.uint32(1), jnp.uint32(2), jnp.uint32(3)))


@settings(max_examples=200, deadline=None)
@given(number, number, number, number, st.integers(0, 1))
def test_mirrored_state_and_action_give_the_mirrored_step(x, x_dot, theta, theta_dot, action):
    params = ENV.default_params
    here = STEP_ENV(KEY, make_state(x, x_dot, theta, theta_dot), jnp.int32(action), params)
    there = STEP_ENV(KEY, make_state(-x, -x_dot, -theta, -theta_dot), jnp.int32(1 - action), params)
    np.testing.assert_array_equal(here[0], -there[0])
    assert here[3] == there[3]


@settings(max_examples=100, deadline=None)
@given(number, number, number, number, st.integers(0, 1), st.integers(0, 600))
def test_flags_follow_from_the_state(x, x_dot, theta, theta_dot, action, time):
    state = make_state(x, x_dot, theta, theta_dot, time)
    _, after, reward, terminated, truncated, info = STEP(KEY, state, jnp.int32(action))
    final = info["final_observation"]
    # As Gymnasium compares, in float64: the nearest float32 is 2.4000001, which is beyond.
    assert terminated == (abs(float(final[0])) > 2.4 or abs(float(final[2])) > 12 * 2 * math.pi / 360)
    assert truncated == (time + 1 >= 500)
    assert reward == 1
    assert after.time == (0 if terminated or truncated else time + 1)


@pytest.mark.parametrize("limit", [0.3, 4.0, 1e5])
def test_sine_and_cosine(limit):
    angles = np.random.default_rng(0).uniform(-limit, limit, 100_000).astype(np.float32)
    sin, cos = (np.asarray(values, np.float64) for values in jax.jit(sin_cos)(angles))
    assert np.abs(sin - np.sin(angles.astype(np.float64))).max() < 1e-7
    assert np.abs(cos - np.cos(angles.astype(np.float64))).max() < 1e-7


def test_energy_drifts_in_proportion_to_the_time_step(x64):
    """Without force the energy is conserved; Euler's error per second shrinks with the time step."""
    env = CartPole(jnp.float64)

    def energy(state, p):
        moment, mass = p.mass_pole * p.half_pole_length, p.mass_cart + p.mass_pole
        kinetic = mass * state.x_dot**2 / 2 + moment * state.x_dot * state.theta_dot * jnp.cos(state.theta)
        rotation = (1 / 2) * (4 / 3) * moment * p.half_pole_length * state.theta_dot**2
        return kinetic + rotation + moment * p.gravity * jnp.cos(state.theta)

    def drift(time_step):
        params = EnvParams(force=0.0, time_step=time_step)
        start = make_state(0.0, 0.3, 0.4, -0.5, dtype=jnp.float64)
        step = jax.jit(lambda _, state: env.step_env(KEY, state, jnp.int32(0), params)[1])
        end = jax.lax.fori_loop(0, round(0.5 / time_step), step, start)
        return abs(float(energy(end, params) - energy(start, params)))

    coarse, fine = drift(0.01), drift(0.001)
    assert fine < 0.01
    assert 5 < coarse / fine < 20


def test_resets_are_uniform_and_independent():
    keys = jax.random.split(jax.random.key(7), 20_000)
    obs, _ = jax.jit(jax.vmap(ENV.reset))(keys)
    obs = np.asarray(obs, np.float64)
    for component in range(4):
        assert kstest(obs[:, component], "uniform", (-0.05, 0.1)).pvalue > 1e-3
    correlation = spearmanr(obs).statistic - np.eye(4)
    assert np.abs(correlation).max() < 0.03  # 4 standard errors of 1/sqrt(20,000)


def test_auto_resets_are_uniform_and_fresh():
    """Resets inside `step` draw from the state's own generator; no two alike."""
    _, states = jax.vmap(ENV.reset)(jax.random.split(jax.random.key(8), 500))
    falling = states.replace(x=jnp.full(500, 3.0))
    step = jax.jit(jax.vmap(ENV.step, (None, 0, 0)))
    drawn = []
    for _ in range(10):
        obs, after, *_ = step(KEY, falling, jnp.zeros(500, jnp.int32))
        drawn.append(np.asarray(obs, np.float64))
        falling = after.replace(x=falling.x)
    values = np.concatenate(drawn)
    assert len(np.unique(values, axis=0)) == len(values)
    assert kstest(values.ravel(), "uniform", (-0.05, 0.1)).pvalue > 1e-3


def test_reset_bounds_are_parameters():
    params = EnvParams(reset_low=0.1, reset_high=0.2)
    obs, _ = jax.vmap(ENV.reset, (0, None))(jax.random.split(KEY, 1000), params)
    assert obs.min() >= 0.1
    assert obs.max() <= 0.2
    assert np.ptp(obs) > 0.09


def test_parameters_may_differ_per_environment():
    """One batch with two gravities equals two batches."""
    params = jax.vmap(lambda gravity: EnvParams(gravity=gravity))(jnp.array([9.8, 1.6], jnp.float32))
    state = jax.tree.map(lambda leaf: jnp.stack([leaf, leaf]), make_state(theta=0.1))
    both = jax.vmap(ENV.step_env, (None, 0, None, 0))(KEY, state, jnp.int32(1), params)[0]
    for i, gravity in enumerate((9.8, 1.6)):
        alone = ENV.step_env(KEY, make_state(theta=0.1), jnp.int32(1), EnvParams(gravity=gravity))[0]
        np.testing.assert_allclose(both[i], alone, rtol=1e-6)
    assert both[0, 3] != both[1, 3]


def test_controller_balances_for_the_whole_episode():
    _, states = jax.vmap(ENV.reset)(jax.random.split(jax.random.key(9), 64))

    def play(states, _):
        obs = jax.vmap(ENV.observe, (0, None, None))(states, None, ENV.default_params)
        _, states, _, terminated, truncated, _ = jax.vmap(ENV.step, (None, 0, 0))(KEY, states, balance(obs))
        return states, (terminated, truncated)

    _, (terminated, truncated) = jax.lax.scan(play, states, None, 500)
    assert not terminated.any()
    assert truncated[-1].all()
    assert truncated.sum() == 64
