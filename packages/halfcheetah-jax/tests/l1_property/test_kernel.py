"""L1: the kernels' programs, interpreted, make the same step as XLA's form (CUDA compiles the same programs)."""

import importlib
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from halfcheetah_jax import EnvParams, HalfCheetah
from halfcheetah_jax.verification import DECLARATION, gpu
from rlenv_testing import quick

pytestmark = [pytest.mark.l1, pytest.mark.timeout(300)]

ENVS = 5  # no whole block
KERNEL_F64 = 1e-9  # relative to the largest value; the bodies' sums are taken in another order


def test_parameters_of_each_environment_and_a_batch_that_fills_no_block(x64):
    """From a fall with all joints beyond their limits, so that contacts and limits push."""
    rng = np.random.default_rng(4)
    actions = jnp.asarray(rng.uniform(-1.5, 1.5, (ENVS, 6)))
    scale = jnp.asarray(rng.uniform(0.8, 1.2, ENVS))
    masses = tuple(mass * scale for mass in EnvParams().mass)
    default = EnvParams()
    params = EnvParams(
        mass=masses,
        friction=0.5 * scale,
        gravity=9.0 * scale,
        stiffness=tuple(value * scale for value in default.stiffness),
        armature=(0.08, 0.09, 0.1, 0.11, 0.12, 0.13),
        range_low=tuple(0.8 * low for low in default.range_low),
        radius=tuple(value * scale for value in default.radius),
        half_length=tuple(1.1 * half for half in default.half_length),
        push_x=tuple(20 * scale for _ in range(7)),
        push_torque=tuple(float(torque) for torque in range(7)),
        time_step=0.008,
        contact_solref=(0.03, 0.9),
        limit_solimp=(0.1, 0.9, 0.02, 0.4, 3.0),
        inverse_weight=tuple(0.9 * weight for weight in default.inverse_weight),
    )
    axes = jax.tree.map(lambda leaf: 0 if isinstance(leaf, jax.Array) else None, params)
    after = {}
    for backend in ("xla", "interpreted"):
        env = HalfCheetah(dtype=jnp.float64, backend=backend, frame_skip=2)
        _, state = jax.vmap(env.reset)(jax.random.split(jax.random.key(0), ENVS))
        low = (state.qpos[0], state.qpos[1] - 0.6, *(q + 1.2 for q in state.qpos[2:]))
        step = quick.jit(jax.vmap(env.step_env, (None, 0, 0, axes)))
        after[backend] = step(None, state.replace(qpos=low), actions, params)
    ours, theirs = jax.tree.leaves(after["interpreted"]), jax.tree.leaves(after["xla"])
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=KERNEL_F64 * max(1.0, float(np.abs(b).max())))


def test_the_gpu_declarations_load_without_mujoco_and_gymnasium(monkeypatch):
    """They are loaded where nothing but JAX is installed."""
    for name in ("mujoco", "gymnasium"):
        monkeypatch.setitem(sys.modules, name, None)
    importlib.reload(gpu)
    assert all(item.trace.exists() for item in DECLARATION.replays)
    assert len(gpu.COMPARISONS) >= 6
    assert gpu.learning_env(True).backend == "auto"
    (program,) = gpu.PROGRAMS
    function, arguments = program.at(64, to_hash=True)
    assert jax.eval_shape(function, *arguments)[1][-1].shape == (program.steps, 64)
