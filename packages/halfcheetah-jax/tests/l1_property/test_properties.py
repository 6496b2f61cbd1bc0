"""L1: what must hold without any reference: translation, energy, isolation of a batch, parameters, pictures."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from halfcheetah_jax import HalfCheetah
from halfcheetah_jax.render import rgb_array
from rlenv_testing import quick

pytestmark = [pytest.mark.l1, pytest.mark.timeout(300)]

ENV = HalfCheetah()
KEY = jax.random.key(0)
STEP = quick.jit(jax.vmap(ENV.step, (None, 0, 0)))
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


def test_picture_shows_the_cheetah(states):
    one = jax.tree.map(lambda leaf: leaf[0], states)
    picture = rgb_array(one)
    assert (picture.shape, picture.dtype) == ((240, 480, 3), np.uint8)
    brown = (np.abs(picture.astype(int) - (204, 153, 76)).max(axis=-1) <= 2).sum()
    assert brown > 500  # torso and head: 1.3 m of capsules, 10 pixels thick
    floor = rgb_array(one.replace(qpos=tuple(jnp.full_like(q, jnp.nan) for q in one.qpos)))
    assert (floor[0, 0] == (226, 236, 246)).all()


def test_an_environment_that_breaks_down_ends_unless_told_otherwise(states):
    broken = jax.tree.map(lambda leaf: leaf[0], states)
    broken = broken.replace(qpos=(*broken.qpos[:3], jnp.float32(jnp.nan), *broken.qpos[4:]))
    action = jnp.zeros(6, jnp.float32)
    obs, after, reward, terminated, truncated, info = quick.jit(ENV.step)(KEY, broken, action)
    assert terminated
    assert not truncated
    assert reward == 0
    assert np.isfinite(obs).all()
    assert after.time == 0
    assert not info["converged"]
    goes_on = HalfCheetah(end_when_diverged=False)
    obs, after, reward, terminated, _, info = quick.jit(goes_on.step)(KEY, broken, action)
    assert not terminated
    assert np.isnan(reward)
    assert np.isnan(obs).any()
    assert after.time == broken.time + 1
    assert info["diverged"]


def test_a_derivative_in_reverse_is_a_short_program_that_keeps_little():
    """Kept are states and solutions of the substeps: with every number of their derivative there would be 900 more."""
    _, state = ENV.reset(KEY)
    total = lambda action: ENV.step(None, state, action)[2]  # noqa: E731
    step, gradient = (jax.jit(f).lower(jnp.zeros(6)).as_text() for f in (total, jax.grad(total)))
    assert gradient.count("\n") < 1.8 * step.count("\n")
    assert max(int(values) for values in re.findall(r":(\d+) = stablehlo.while", gradient)) < 300
