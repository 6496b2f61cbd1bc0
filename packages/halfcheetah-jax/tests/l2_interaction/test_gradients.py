"""L2: derivatives of a step against central differences, ours and MuJoCo's; every way in which JAX takes them."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from halfcheetah_jax import HalfCheetah
from halfcheetah_jax.verification.gradients import error, mujoco_differences, slopes, states, step_function
from rlenv_shared import compiling

pytestmark = [pytest.mark.l2, pytest.mark.reference("gymnasium_mujoco"), pytest.mark.timeout(900)]

COUNT, SEED = 1024, 41  # `verify` takes 12,000
BOUND = 1e-6  # relative
MUJOCO_BOUND = 1e-4  # relative; differences of a solver that ends with errors near 1e-11
MUJOCO_STEP = 1e-5
# Derivatives of a step are large programs that run once, so what is quickest to compile is quickest.
jit = functools.partial(
    jax.jit, compiler_options={**compiling.WITHOUT_FUSION["cpu"], "xla_backend_optimization_level": 0}
)


@functools.cache
def measured():
    with jax.enable_x64(True), jax.numpy_dtype_promotion("standard"):  # whichever test comes first
        sample = states(COUNT, SEED)
        return sample, slopes(sample, SEED)


def test_derivatives_are_the_limits_of_differences():
    found = measured()[1]
    assert found.smooth.mean() > 0.9
    assert error(found)[found.smooth].max() <= BOUND
    assert (np.abs(found.exact).max(axis=1) > 0.1).all()


def test_derivatives_are_those_of_mujoco():
    sample, found = measured()
    expected = mujoco_differences(sample, SEED, MUJOCO_STEP)
    off = np.abs(found.exact[:, :18] - expected).max(axis=1) / np.maximum(1, np.abs(expected).max(axis=1))
    assert np.quantile(off[found.smooth], 0.97) <= MUJOCO_BOUND  # further apart, some rows do change sides


def one(dtype, index=3):
    sample = measured()[0]
    return [jnp.asarray(field[index], dtype) for field in (sample.qpos, sample.qvel, sample.ctrl, sample.warmstart)]


def test_forward_and_reverse_agree_and_vmap_over_states(x64):
    step = step_function(HalfCheetah(jnp.float64))
    sample = measured()[0]
    few = [jnp.asarray(field[:4]) for field in (sample.qpos, sample.qvel, sample.ctrl, sample.warmstart)]
    forward = jit(jax.vmap(jax.jacfwd(step, 2)))(*few)
    backward = jit(jax.vmap(jax.jacrev(step, 2)))(*few)
    assert forward.shape == (4, 19, 6)
    assert np.isfinite(forward).all()
    assert (np.abs(forward).max(axis=1) > 0).all()  # whatever a motor does, something moves
    np.testing.assert_allclose(backward, forward, atol=1e-10 * np.abs(forward).max())


def test_a_gradient_through_fifty_steps_is_what_the_return_changes_by(dtype):
    """Through `step`, the automatic resets too; by differences in float64."""
    env = HalfCheetah(dtype)
    _, start = env.reset(jax.random.key(0))

    def total(action):
        def body(state, _):
            _, state, reward, *_ = env.step(None, state, action)
            return state, reward

        return jax.lax.scan(body, start, length=50)[1].sum()

    value_and_grad = jit(jax.value_and_grad(total))
    action = jnp.asarray([0.3, -0.2, 0.1, 0.2, -0.1, 0.05], dtype)
    gradient = value_and_grad(action)[1]
    assert gradient.dtype == dtype
    assert np.isfinite(gradient).all()
    assert (gradient != 0).all()
    if dtype == jnp.float64:
        way = jnp.asarray([0.5, 1.0, -0.3, 0.2, 0.7, -0.4])
        ends = [value_and_grad(action + sign * 1e-7 * way)[0] for sign in (1, -1)]
        assert jnp.dot(gradient, way) == pytest.approx(float(ends[0] - ends[1]) / 2e-7, rel=1e-4)


def test_derivatives_without_jit():
    qpos, qvel, action, warmstart = one(jnp.float32)
    step = step_function(HalfCheetah())
    value, rate = jax.jvp(lambda a: step(qpos, qvel, a, warmstart), (action,), (jnp.ones_like(action),))
    gradient = jax.grad(lambda a: step(qpos, qvel, a, warmstart)[9])(action)
    assert np.isfinite(value).all()
    assert rate[9] != 0
    np.testing.assert_allclose(gradient.sum(), rate[9], rtol=1e-3)
