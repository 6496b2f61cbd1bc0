"""L1: invariants of play, and the reference's quirks, each on its own."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puffer_pong import PongVectorEnv
from puffer_pong.jax import EnvParams, Pong
from puffer_pong.render import render_state
from rlenv_shared import counter_rng
from rlenv_shared.verification.compare import compare
from rlenv_shared.verification.record import random_actions, record_jax
from rlenv_testing import deadlines

pytestmark = pytest.mark.l1

BATCH, STEPS = 32, 200
SEEDS = st.integers(0, 2**64 - 1)


def begin(env, batch, params=None, seed=0):
    rng = tuple(map(jnp.asarray, counter_rng.from_seed(seed, batch)))
    params = params or env.default_params
    state = jax.vmap(env.begin, (0, None))(rng, params)
    return jax.vmap(env.view, (0, None))(state, params), state


@deadlines.once
def stepper(env, params=None):
    """Batched step on NumPy arrays."""
    params = params or env.default_params
    step = jax.jit(jax.vmap(lambda state, action: env.step(None, state, action, params)))
    return lambda state, action: jax.device_get(step(state, action))


@settings(max_examples=10, deadline=None)
@given(SEEDS, SEEDS)
def test_random_play_stays_in_bounds(seed, action_seed):
    env = Pong(frameskip=3)
    steps = record_jax(env, random_actions(action_seed, STEPS, BATCH, 3), seed=seed).steps
    space = env.observation_space(env.default_params)
    assert ((steps["obs"] >= space.low) & (steps["obs"] <= space.high)).all()
    for side in ("left", "right"):
        paddle, score = steps[f"state.paddle_{side}_y"], steps[f"state.score_{side}"]
        assert ((paddle >= -35) & (paddle <= 605)).all()
        assert ((score >= 0) & (score < 21)).all()
    assert (np.abs(steps["state.ball_vx"]) == 10).all()
    assert (np.abs(steps["state.ball_vy"]) <= 13).all()
    assert np.isin(steps["reward"], np.array([-1, 0, 0.1, 1], np.float32)).all()
    assert (steps["state.tick"] <= steps["state.time"]).all()


@settings(max_examples=5, deadline=None)
@given(SEEDS)
def test_both_loops_give_the_same_bits(seed):
    actions = random_actions(seed, STEPS, BATCH, 3)
    fori, inline = (record_jax(Pong(2, loop=loop), actions, seed=seed) for loop in ("fori", "inline"))
    compare(fori, inline).raise_on_divergence()


def test_a_skipping_step_is_several_frames_of_one_action():
    """Up to a point, which ends the step; ticks count steps, not frames."""
    four, one = stepper(Pong(frameskip=4)), stepper(Pong())
    _, state = begin(Pong(), 64)
    points = 0
    for actions in random_actions(5, 120, 64, 3):
        obs, after, reward, *_ = four(state, actions)
        single, over, last_reward, last_obs = state, np.zeros(64, bool), np.zeros(64, np.float32), None
        for _ in range(4):
            frame_obs, moved, frame_reward, *_ = one(single, actions)
            last_obs = frame_obs if last_obs is None else np.where(over[:, None], last_obs, frame_obs)
            last_reward = np.where(~over & (frame_reward != 0), frame_reward, last_reward)
            single = jax.tree.map(lambda a, b, over=over: np.where(over, a, b), single, moved)
            over |= np.abs(frame_reward) == 1
        points += over.sum()
        assert np.array_equal(obs, last_obs)
        assert np.array_equal(reward, last_reward)
        for name in ("paddle_left_y", "paddle_right_y", "ball_x", "ball_y", "ball_vx", "ball_vy", "rng"):
            assert jax.tree.all(jax.tree.map(np.array_equal, getattr(after, name), getattr(single, name))), name
        state = after
    assert points > 30


def test_serves_are_level_or_downward_equally_often():
    _, state = begin(Pong(), 100_000)
    values, counts = np.unique(np.asarray(state.ball_vy), return_counts=True)
    assert values.tolist() == [-1.0, 0.0]
    assert abs(counts[0] - 50_000) < 800  # five standard deviations


def test_a_scoring_step_shows_the_frame_before_the_point():
    env = Pong(frameskip=1)
    obs, state = begin(env, 256)
    observe = jax.jit(jax.vmap(lambda state: env.observe(state, None, env.default_params)))
    points = 0
    for actions in random_actions(2, 60, 256, 3):
        shown, after, reward, *_ = stepper(env)(state, actions)
        scored = np.abs(reward) == 1
        points += scored.sum()
        assert np.array_equal(shown[scored], np.asarray(obs)[scored])
        assert not (np.asarray(observe(after)) == shown).all(1)[scored].any()
        obs, state = shown, after
    assert points > 50


@pytest.mark.parametrize("float_scores", [False, True])
def test_scores_are_observed_only_on_request(float_scores):
    steps = record_jax(Pong(8, float_scores=float_scores), random_actions(1, 100, 16, 3)).steps
    served = steps["reward"][:-1] == -1
    left = steps["state.score_left"][:-1][served]
    shown = steps["obs"][1:, :, 6][served]  # a point shows one step later
    assert left.max() > 5
    assert np.array_equal(shown, left.astype(np.float32) / np.float32(21) if float_scores else np.zeros_like(shown))


def test_time_limit_truncates_only_when_set():
    params = EnvParams(max_steps_in_episode=50)
    actions = random_actions(3, 120, 8, 3)
    limited, free = record_jax(Pong(), actions, params=params).steps, record_jax(Pong(), actions).steps
    assert np.array_equal(np.nonzero(limited["truncated"].all(1))[0], [49, 99])
    assert limited["truncated"].sum() == 16
    assert not free["truncated"].any()


def test_geometry_may_differ_per_environment():
    env, widths = Pong(), np.array([300.0, 500.0], np.float32)
    params = jax.tree.map(lambda value: jnp.stack([jnp.asarray(value)] * 2), env.default_params)
    params = params.replace(width=jnp.asarray(widths))
    rng = tuple(map(jnp.asarray, counter_rng.from_seed(0, 2)))

    @jax.jit
    @jax.vmap
    def one_step(rng, params):
        state = env.begin(rng, params)
        obs, *_ = env.step(None, state, jnp.int32(0), params)
        return state.ball_x, obs[2]

    serve_x, observed_x = one_step(rng, params)
    assert np.array_equal(serve_x, widths / 5)
    assert np.array_equal(observed_x, (widths / 5 + 10) / widths)


def test_a_state_renders_like_that_of_the_rust_environment():
    envs = PongVectorEnv(1)
    envs.reset(seed=3)
    rng = tuple(word[0] for word in counter_rng.from_seed(3))
    state = Pong().begin(rng, EnvParams())
    picture = Pong().render(state)
    assert picture.shape == (640, 620, 3)
    assert np.array_equal(picture, render_state(envs.get_state()[0]))
