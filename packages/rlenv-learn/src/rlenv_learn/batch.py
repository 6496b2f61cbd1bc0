"""Many environments as one object with batched methods, seen from one seat each: what the actors of PPO step."""

from __future__ import annotations

import dataclasses
from typing import Any, Protocol

import jax


class BatchedEnv(Protocol):
    """A batch of environments with one learner in each; hashable.  Leaves have one entry for each environment first."""

    def reset(self, keys: Any, params: Any) -> tuple[Any, Any]:
        """``(obs, state)`` of new episodes."""

    def step(self, state: Any, action: Any, params: Any) -> tuple[Any, Any, Any, Any, Any, Any]:
        """``(obs, state, reward, terminated, truncated, final)`` with same-step auto-reset."""

    def final_observation(self, final: Any, params: Any) -> Any:
        """The last observations of the episodes that ended, from what `step` returned."""

    def legal_actions(self, state: Any, params: Any) -> Any:
        """Masks, bool ``[B, A]``."""

    def asked(self, state: Any) -> Any:
        """Whether the learner is asked to decide now, bool ``[B]``; where not, its action is not read."""


@dataclasses.dataclass(frozen=True)
class Vectorised:
    """An environment of :mod:`rlenv_shared.env` with one player, many times."""

    env: Any

    def reset(self, keys: Any, params: Any) -> tuple[Any, Any]:
        """``(obs, state)`` of new episodes."""
        return jax.vmap(self.env.reset, in_axes=(0, None))(keys, params)

    def step(self, state: Any, action: Any, params: Any) -> tuple[Any, Any, Any, Any, Any, Any]:
        """One step of each; what is final is the observation, computed only where it is read."""
        obs, state, reward, terminated, truncated, info = jax.vmap(self.env.step, in_axes=(None, 0, 0, None))(
            None, state, action, params
        )
        return obs, state, reward, terminated, truncated, info["final_observation"]

    def final_observation(self, final: Any, params: Any) -> Any:
        """They are at hand."""
        return final

    def legal_actions(self, state: Any, params: Any) -> Any:
        """Mask of each."""
        return jax.vmap(self.env.legal_actions, in_axes=(0, None))(state, params)

    def asked(self, state: Any) -> Any:
        """Whether the only player is."""
        return jax.vmap(self.env.to_act)(state)[:, 0]


def batched(env: Any) -> BatchedEnv:
    """The batch that an environment stands for: its own (``env.batched()``), or itself many times."""
    return env.batched() if hasattr(env, "batched") else Vectorised(env)
