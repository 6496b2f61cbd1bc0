"""L1: what must hold without any reference: translation, energy, isolation of a batch, parameters, pictures."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from halfcheetah_jax import EnvParams, HalfCheetah
from halfcheetah_jax.render import rgb_array
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.testing.subject import WITHOUT_FUSION

pytestmark = [pytest.mark.l1, pytest.mark.timeout(300)]

ENV = HalfCheetah()
KEY = jax.random.key(0)
STEP = jax.jit(jax.vmap(ENV.step, (None, 0, 0)), compiler_options=WITHOUT_FUSION)
BATCH = 16


@pytest.fixture(scope="module")
def states():
    """States of some steps of random play."""
    _, state = jax.vmap(ENV.reset)(jax.random.split(KEY, BATCH))
    rng = np.random.default_rng(0)
    for _ in range(10):
        _, state, *_ = STEP(KEY, state, random_actions(rng))
    return state


def random_actions(rng):
    return jnp.asarray(rng.uniform(-1, 1, (BATCH, 6)), jnp.float32)


def moved(states, x):
    return states.replace(qpos=(states.qpos[0] + jnp.float32(x), *states.qpos[1:]))


def test_where_it_is_does_not_matter(states):
    action = random_actions(np.random.default_rng(1))
    near, far = STEP(KEY, states, action), STEP(KEY, moved(states, 5000.0), action)
    np.testing.assert_array_equal(near[0], far[0])
    np.testing.assert_array_equal(near[2], far[2])  # the reward too: it sums velocities, not positions


def test_a_broken_environment_leaves_its_neighbours_alone(states):
    action = random_actions(np.random.default_rng(2))
    whole = STEP(KEY, states, action)
    broken = states.replace(qvel=tuple(v.at[3].set(jnp.nan) for v in states.qvel))
    obs, _, reward, *_, info = STEP(KEY, broken, action)
    others = np.arange(BATCH) != 3
    np.testing.assert_array_equal(obs[others], whole[0][others])
    np.testing.assert_array_equal(reward[others], whole[2][others])
    np.testing.assert_array_equal(info["diverged"], ~others)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e11])
def test_one_bad_control_switches_all_motors_off(states, bad):
    action = jnp.ones((BATCH, 6), jnp.float32)
    obs, _, reward, *_, info = STEP(KEY, states, action.at[5, 2].set(bad))
    off = STEP(KEY, states, action.at[5].set(0.0))
    np.testing.assert_array_equal(obs, off[0])
    np.testing.assert_array_equal(reward, off[2])
    np.testing.assert_array_equal(info["illegal_action"], np.arange(BATCH) == 5)


def test_the_control_cost_sees_the_action_as_given(states):
    at_limit, beyond = (STEP(KEY, states, jnp.full((BATCH, 6), value, jnp.float32)) for value in (1.0, 2.0))
    np.testing.assert_array_equal(at_limit[0], beyond[0])
    np.testing.assert_allclose(at_limit[-1]["reward_ctrl"], -0.6, rtol=1e-6)
    np.testing.assert_allclose(beyond[-1]["reward_ctrl"], -2.4, rtol=1e-6)


def test_time_limit_and_fresh_reset(states):
    last = states.replace(time=jnp.full(BATCH, 999, jnp.int32))
    obs, after, _, terminated, truncated, info = STEP(KEY, last, jnp.zeros((BATCH, 6), jnp.float32))
    assert truncated.all()
    assert not terminated.any()
    assert (after.time == 0).all()
    assert len(np.unique(obs, axis=0)) == BATCH
    assert np.abs(obs[:, :8]).max() <= 0.1
    assert not np.array_equal(info["final_observation"], obs)


@pytest.mark.parametrize(
    "arguments",
    [{"dtype": jnp.float16}, {"dtype": jnp.float64}, {"frame_skip": 0}, {"frame_skip": 2.5}]
    + [{"reset_noise_scale": -1.0}, {"ctrl_cost_weight": float("nan")}, {"forward_reward_weight": "1"}],
)
def test_impossible_arguments(arguments):
    with pytest.raises(InvalidParamsError, match="expected"):
        HalfCheetah(**arguments)


@pytest.mark.parametrize(
    "arguments",
    [{"mass": (1.0,) * 6}, {"mass": (-1.0, *EnvParams().mass[1:])}, {"friction": 0.0}, {"gravity": float("nan")}]
    + [{"damping": (-1.0,) * 6}, {"inertia": (0.0,) * 7}, {"max_steps_in_episode": 0}, {"gear": (float("inf"),) * 6}],
)
def test_impossible_parameters(arguments):
    with pytest.raises(InvalidParamsError, match="expected"):
        EnvParams(**arguments)


def test_picture_shows_the_cheetah(states):
    one = jax.tree.map(lambda leaf: leaf[0], states)
    picture = rgb_array(one)
    assert (picture.shape, picture.dtype) == ((240, 480, 3), np.uint8)
    brown = (np.abs(picture.astype(int) - (204, 153, 76)).max(axis=-1) <= 2).sum()
    assert brown > 500  # torso and head: 1.3 m of capsules, 10 pixels thick
    floor = rgb_array(one.replace(qpos=tuple(jnp.full_like(q, jnp.nan) for q in one.qpos)))
    assert (floor[0, 0] == (226, 236, 246)).all()
