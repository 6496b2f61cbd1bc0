"""Many environments as one object with batched methods, seen from one seat each: what the actors of PPO step."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax


@dataclasses.dataclass(frozen=True)
class Vectorised:
    """An environment of :mod:`rlenv_shared.env` with one player, many times.

    A batch is hashable and has these methods; leaves have one entry for each environment first, and its learner there.
    """

    env: Any

    def reset(self, keys: Any, params: Any) -> tuple[Any, Any]:
        """``(obs, state)`` of new episodes."""
        return jax.vmap(self.env.reset, in_axes=(0, None))(keys, params)

    def step(self, state: Any, action: Any, params: Any) -> tuple[Any, Any, Any, Any, Any, Any]:
        """``(obs, state, reward, terminated, truncated, final)`` with same-step auto-reset."""
        obs, state, reward, terminated, truncated, info = jax.vmap(self.env.step, in_axes=(None, 0, 0, None))(
            None, state, action, params
        )
        return obs, state, reward, terminated, truncated, info["final_observation"]

    def final_observation(self, final: Any, params: Any) -> Any:
        """The last observations of the episodes that ended, from what `step` returned; here they are that."""
        return final

    def legal_actions(self, state: Any, params: Any) -> Any:
        """Masks, bool ``[B, A]``."""
        return jax.vmap(self.env.legal_actions, in_axes=(0, None))(state, params)

    def asked(self, state: Any) -> Any:
        """Whether the learner is asked to decide now, bool ``[B]``; where not, its action is not read."""
        return jax.vmap(self.env.to_act)(state)[:, 0]


def batched(env: Any) -> Any:
    """The batch that an environment stands for: its own (``env.batched()``), or itself many times."""
    return env.batched() if hasattr(env, "batched") else Vectorised(env)
