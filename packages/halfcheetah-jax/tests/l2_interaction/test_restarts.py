"""L2: states that blow up: we say so where MuJoCo restarts from rest, and nowhere else."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from halfcheetah_jax import HalfCheetah, State
from halfcheetah_jax.verification.states import States, draw
from rlenv_shared.verification.locate import reference
from rlenv_testing import quick
from rlenv_testing.forms import in_form

mujoco = reference("gymnasium_mujoco")
compile_model, restarts = mujoco.compile_model, mujoco.restarts

pytestmark = [pytest.mark.l2, pytest.mark.reference("gymnasium_mujoco"), pytest.mark.timeout(300)]

COUNT = 2000
FLOAT32_MISTAKES = 0.01  # share: values that arrive near 1e10 after a chaotic substep or four


def blowing_up(seed):
    """Tumbling cheetahs some of whose velocities are up to 1e11: from ordinary to hopeless."""
    rng = np.random.default_rng(seed)
    states = draw("tumble", COUNT, seed)
    faster = states.qvel * 10.0 ** rng.uniform(0, 10, (COUNT, 1))
    chosen = rng.random((COUNT, 9)) < rng.uniform(0.1, 1, (COUNT, 1))
    return states._replace(qvel=np.where(chosen, faster, states.qvel))


def with_bad_numbers(seed):
    """The same with one position or velocity that is no number, or on or beside the bound."""
    states, rng = blowing_up(seed), np.random.default_rng(seed)
    bad = [np.nan, np.inf, -np.inf, 1e10, np.nextafter(1e10, 2e10), np.nextafter(-1e10, -2e10), -1e10]
    qpos, qvel = states.qpos.copy(), states.qvel.copy()
    for i in range(COUNT):
        (qpos if i % 2 else qvel)[i, rng.integers(9)] = bad[i % len(bad)]
    return States(qpos, qvel, states.ctrl, states.warmstart)


def our_step(dtype, states):
    def columns(array):
        return tuple(jnp.asarray(array[:, i], dtype) for i in range(array.shape[1]))

    env = in_form(HalfCheetah(dtype))
    zeros = jnp.zeros(COUNT, jnp.int32)
    state = State(*map(columns, (states.qpos, states.qvel, states.warmstart)), zeros, (zeros.astype(jnp.uint32),) * 3)
    step = quick.jit(jax.vmap(lambda state, action: env.step_env(None, state, action, env.default_params)))
    return jax.device_get(step(state, jnp.asarray(states.ctrl, dtype)))


@functools.cache
def drawn(kind):
    """States of a kind, and where MuJoCo restarts."""
    states = kind(3)
    return states, restarts(compile_model(), *states)


@pytest.mark.parametrize("kind", [blowing_up, with_bad_numbers], ids=["fast", "bad numbers"])
def test_flags_are_the_restarts_of_mujoco(dtype, kind):
    states, expected = drawn(kind)
    obs, _, reward, terminated, info = our_step(dtype, states)
    wrong = np.mean(info["diverged"] != expected)
    assert wrong <= (FLOAT32_MISTAKES if dtype == jnp.float32 else 0)
    assert 0.3 < expected.mean() < 1
    np.testing.assert_array_equal(terminated, info["diverged"])
    assert not (info["converged"] & info["diverged"]).any()
    assert info["converged"][~info["diverged"]].all()
    assert np.isfinite(obs[~info["diverged"]]).all()
    assert (reward[info["diverged"]] == 0).all()
    assert reward.dtype == dtype
