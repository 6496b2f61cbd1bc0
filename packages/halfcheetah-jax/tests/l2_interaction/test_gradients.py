"""L2: derivatives of a step against central differences, ours and MuJoCo's; every way in which JAX takes them."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from halfcheetah_jax import EnvParams, HalfCheetah, integrator
from halfcheetah_jax.verification.gradients import error, mujoco_differences, slopes, states, step_function
from halfcheetah_jax.verification.states import draw
from rlenv_shared.verification.locate import reference
from rlenv_testing import deadlines, quick

pytestmark = [pytest.mark.l2, pytest.mark.reference("gymnasium_mujoco"), pytest.mark.timeout(900)]

COUNT, SEED = 1024, 41  # `verify` takes 12,000
BOUND = 1e-6  # relative
MUJOCO_BOUND = 1e-4  # relative; differences of a solver that ends with errors near 1e-11
MUJOCO_STEP = 1e-5
# Derivatives of a step are large programs that run once, so what is quickest to compile is quickest.
jit = functools.partial(jax.jit, compiler_options=dict(quick.BARELY))


@deadlines.once
def measured():
    with jax.enable_x64(True), jax.numpy_dtype_promotion("standard"):  # whichever test comes first
        sample = states(COUNT, SEED)
        return sample, slopes(sample, SEED, quick.jit)


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


@pytest.mark.parametrize("dtype", ["float64", pytest.param("float32", marks=pytest.mark.slow)], indirect=True)
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


@pytest.mark.slow  # compiles each loop by itself, for a minute
def test_derivatives_without_jit():
    qpos, qvel, action, warmstart = one(jnp.float32)
    step = step_function(HalfCheetah())
    value, rate = jax.jvp(lambda a: step(qpos, qvel, a, warmstart), (action,), (jnp.ones_like(action),))
    gradient = jax.grad(lambda a: step(qpos, qvel, a, warmstart)[9])(action)
    assert np.isfinite(value).all()
    assert rate[9] != 0
    np.testing.assert_allclose(gradient.sum(), rate[9], rtol=1e-3)


def test_derivatives_by_state_dry_friction_centres_and_rest_are_those_of_mujoco(x64):
    """One substep, along one direction of state, control and parameters at once; sliding hinges and sticking ones."""
    mujoco, count = reference("gymnasium_mujoco"), 64
    rng = np.random.default_rng(3)
    sample, loss = draw("tumble", count, seed=3), rng.uniform(5, 60, 6)
    sample = sample._replace(ctrl=np.clip(sample.ctrl, -0.9, 0.9))
    given = [sample.qpos, sample.qvel, sample.ctrl]
    options = [loss, np.array(EnvParams().centre_x), rng.uniform(-0.1, 0.1, 9)]
    ways = [rng.standard_normal(part.shape) for part in given], [rng.standard_normal(part.shape) for part in options]

    def substep(qpos, qvel, ctrl, warmstart, loss, centre_x, qpos0):
        params = EnvParams(frictionloss=tuple(loss), centre_x=tuple(centre_x), qpos0=tuple(qpos0))
        after = integrator.substep(tuple(qpos), tuple(qvel), tuple(ctrl), tuple(warmstart), params)
        return jnp.stack([*after.qpos, *after.qvel]), after.solution.active.sliding

    def slope(state, way, warmstart):
        call = lambda *x: substep(*x[:3], warmstart, *x[3:])  # noqa: E731
        at = (*state, *options)
        (_, sliding), (rate, _) = jax.jvp(call, tuple(map(jnp.asarray, at)), (*way, *map(jnp.asarray, ways[1])))
        return rate, sliding

    exact, sliding = jit(jax.vmap(slope))(tuple(given), tuple(ways[0]), sample.warmstart)
    assert 0 < np.mean([(np.asarray(sliding) >> bit & 1) for bit in range(12)]) < 0.5
    ends = {}
    for length in (1e-6, -1e-6):
        loss, centre_x, rest = (part + length * way for part, way in zip(options, ways[1], strict=True))
        z = np.array(EnvParams().centre_z)
        changes = {
            "dof_frictionloss": np.array([0, 0, 0, *loss]),
            "body_ipos": np.concatenate([np.zeros((1, 3)), np.stack([centre_x, 0 * z, z], axis=1)]),
            "geom_sameframe": np.zeros(9),
            "body_sameframe": np.zeros(8),
            "qpos0": rest,
        }
        moved = [part + length * way for part, way in zip(given, ways[0], strict=True)]
        after = mujoco.step(mujoco.compile_model(changes=changes), *moved, sample.warmstart)
        ends[length] = np.concatenate(after[:2], axis=1)
    expected = (ends[1e-6] - ends[-1e-6]) / 2e-6
    off = np.abs(exact - expected).max(axis=1) / np.maximum(1, np.abs(expected).max(axis=1))
    assert np.quantile(off, 0.9) <= MUJOCO_BOUND  # of the others some row changes sides
