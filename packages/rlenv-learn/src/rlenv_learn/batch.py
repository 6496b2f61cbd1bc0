"""Many environments as one object with batched methods: what the actors of PPO step."""

from __future__ import annotations

import dataclasses
from typing import Any, Protocol

import jax


class BatchedEnv(Protocol):
    """A batch of single-player environments; hashable.  Leaves have a first axis of one entry for each environment."""

    def reset(self, keys: Any, params: Any) -> tuple[Any, Any]:
        """``(obs, state)`` of new episodes."""

    def step(self, state: Any, action: Any, params: Any) -> tuple[Any, Any, Any, Any, Any, dict[str, Any]]:
        """``(obs, state, reward, terminated, truncated, info)`` with same-step auto-reset."""

    def legal_actions(self, state: Any, params: Any) -> Any:
        """Masks, bool ``[B, A]``."""


@dataclasses.dataclass(frozen=True)
class Vectorised:
    """An environment of :mod:`rlenv_shared.protocol`, many times."""

    env: Any

    def reset(self, keys: Any, params: Any) -> tuple[Any, Any]:
        """``(obs, state)`` of new episodes."""
        return jax.vmap(self.env.reset, in_axes=(0, None))(keys, params)

    def step(self, state: Any, action: Any, params: Any) -> tuple[Any, Any, Any, Any, Any, dict[str, Any]]:
        """One step of each.  `step` takes a key for gymnax's sake and does not read it."""
        return jax.vmap(self.env.step, in_axes=(None, 0, 0, None))(jax.random.key(0), state, action, params)

    def legal_actions(self, state: Any, params: Any) -> Any:
        """Mask of each."""
        return jax.vmap(self.env.legal_actions, in_axes=(0, None))(state, params)


def batched(env: Any) -> BatchedEnv:
    """The batch that an environment stands for: its own (``env.batched()``), or itself many times."""
    return env.batched() if hasattr(env, "batched") else Vectorised(env)
