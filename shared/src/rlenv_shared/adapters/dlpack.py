"""DLPack adapter: many environments in one compiled step for PyTorch and whatever else speaks DLPack, without copies.

Pass the library's own import function::

    envs = DLPackVectorEnv(env, 4096, torch.from_dlpack)
    obs, info = envs.reset(seed=0)  # torch tensors on the environment's device
    obs, reward, terminated, truncated, info = envs.step(actor(obs))

Arrays share their memory, so treat what a step returned as read-only and clone what is to be changed.  The state is
not shared.  Actions are not checked on the host, which would wait for the device: as in native JAX an illegal action
becomes the first legal one and sets ``info["illegal_action"]``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from rlenv_shared.compiling import programs
from rlenv_shared.env import TurnOrder
from rlenv_shared.errors import InvalidParamsError


class DLPackVectorEnv:
    """At least one single-player environment, whose `reset` and `step` speak another array library.

    ``from_dlpack`` makes the library's array of a JAX array, e.g. ``torch.from_dlpack`` (bools need torch 2.2); the
    default parameters where None.  Raises InvalidParamsError: impossible ``num_envs``, or several players.
    """

    def __init__(self, env: Any, num_envs: int, from_dlpack: Callable[[Any], Any], params: Any = None) -> None:
        if env.turn_order is not TurnOrder.SINGLE:
            remedy = "put an opponent into the environment first"
            raise InvalidParamsError(f"DLPack adapter of {env.name}", env.turn_order, TurnOrder.SINGLE, remedy)
        if isinstance(num_envs, bool) or not isinstance(num_envs, int) or num_envs < 1:
            raise InvalidParamsError("num_envs", repr(num_envs), "an integer >= 1", "pass num_envs=1 or more")
        self.env, self.num_envs, self._from_dlpack = env, num_envs, from_dlpack
        self.params = env.default_params if params is None else params
        self._state: Any = None

    def reset(self, seed: int = 0) -> tuple[Any, dict[str, Any]]:
        """``(obs, info)`` of new episodes; ``info["action_mask"]`` is bool ``[N, A]``."""
        keys = jax.random.split(jax.random.key(seed), self.num_envs)
        obs, self._state, mask, _ = programs(self.env).reset_many(jax.random.key_data(keys), self.params)
        return self._out(obs), {"action_mask": self._out(mask)}

    def step(self, action: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """``(obs, reward, terminated, truncated, info)`` with same-step auto-reset.

        ``action``: integers ``[N]`` or float32 ``[N, k]``, on the environment's device, without gradient.  Raises
        InvalidParamsError: `reset` was never called, or another number of actions.
        """
        if self._state is None or len(action) != self.num_envs:
            got = "no episodes" if self._state is None else f"{len(action)} actions"
            remedy = "call reset() first, and pass one action for each environment"
            raise InvalidParamsError("step", got, f"{self.num_envs} running environments with an action each", remedy)
        action = jnp.from_dlpack(action)
        if self.env.num_actions:
            action = action.astype(jnp.int32)  # torch counts in int64
        obs, self._state, reward, terminated, truncated, info, mask, _ = programs(self.env).step_many(
            self._state, action, self.params
        )
        info = {**info, "action_mask": mask}
        return self._out(obs), self._out(reward), self._out(terminated), self._out(truncated), self._out(info)

    def _out(self, tree: Any) -> Any:
        return jax.tree.map(self._from_dlpack, tree)
