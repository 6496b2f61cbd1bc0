"""Our environment step from given states, and how far it may be from MuJoCo's; needs no MuJoCo."""

from __future__ import annotations

import functools
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from halfcheetah_jax import State, make
from rlenv_shared.verification.compare import Tolerance

# One environment step, five substeps, from MuJoCo's state, against MuJoCo at tolerance 0.
F64_QPOS = Tolerance("F64_QPOS", atol=1e-9)  # m, rad
F64_QVEL = Tolerance("F64_QVEL", atol=1e-7)  # m/s, rad/s
F64_REWARD = Tolerance("F64_REWARD", atol=1e-9)
# float32: the given state is rounded first, and stiff contacts multiply that; x is rounded at its distance from 0.
F32_QPOS = Tolerance("F32_QPOS", atol=5e-5, rtol=2e-7)
F32_QVEL = Tolerance("F32_QVEL", atol=5e-3, rtol=1e-3)
F32_REWARD = Tolerance("F32_REWARD", atol=1e-3)


def _tolerances(qpos: Tolerance, qvel: Tolerance, reward: Tolerance) -> dict[str, Tolerance]:
    of_obs = {f"obs[{i}]": qpos if i < 8 else qvel for i in range(17)}
    return {"state.qpos.*": qpos, "state.qvel.*": qvel, **of_obs, "reward": reward}


STEP_TOLERANCES: Final = {
    "float64": _tolerances(F64_QPOS, F64_QVEL, F64_REWARD),
    "float32": _tolerances(F32_QPOS, F32_QVEL, F32_REWARD),
}
IGNORED: Final = ("state.qacc_warmstart.*",)
FIELDS: Final = ("qpos", "qvel", "qacc_warmstart")


@functools.cache
def our_step(dtype: Any, backend: str = "xla") -> Any:
    """``step(fields, actions) -> fields after``, as `teacher_forced` takes it.

    Fields without accelerations to start the solver from start at 0.  The reward is the sum of its two parts in
    ``info``.
    """
    env = make(dtype=dtype, backend=backend)

    @jax.jit
    @jax.vmap
    def step(state: State, action: Any) -> dict[str, Any]:
        obs, state, reward, terminated, info = env.step_env(None, state, action, env.default_params)
        named = {f"{name}.{i}": getattr(state, name)[i] for name in FIELDS for i in range(9)}
        parts = info["reward_forward"] + info["reward_ctrl"]
        flags = {"terminated": terminated, "truncated": env.is_truncated(state, env.default_params)}
        fields = {**{f"state.{name}": value for name, value in named.items()}, "state.time": state.time}
        return {**fields, "obs": obs, "reward": reward, "parts": parts, **flags}

    def step_from(fields: Any, actions: Any) -> dict[str, Any]:
        time = jnp.asarray(fields["state.time"], jnp.int32)
        cold = np.zeros(time.shape)
        nine = {
            name: tuple(jnp.asarray(fields.get(f"state.{name}.{i}", cold), dtype) for i in range(9)) for name in FIELDS
        }
        unread = (jnp.zeros_like(time, jnp.uint32),) * 3  # a raw step draws nothing
        after = jax.device_get(step(State(**nine, time=time, rng=unread), jnp.asarray(actions, dtype)))
        assert np.array_equal(after.pop("parts"), after["reward"])
        return after

    return step_from
