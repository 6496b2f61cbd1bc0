"""A reference's single Gymnasium environments side by side, as the trainer steps them."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv, VectorWrapper


class DenseFinalObs(VectorWrapper):
    """``info["final_obs"]`` as one array ``[N, ...]`` in every step, instead of an object array in some."""

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """As the vector environment; rows of unfinished episodes hold the current observation."""
        obs, reward, terminated, truncated, info = self.env.step(actions)
        final_obs = obs.copy()
        for i in np.flatnonzero(terminated | truncated):
            final_obs[i] = info["final_obs"][i]
        return obs, reward, terminated, truncated, {**info, "final_obs": final_obs}


def side_by_side(env_id: str, num_envs: int, **options: Any) -> VectorEnv:
    """``num_envs`` unmodified environments with same-step auto-reset.

    Args:
        env_id: of Gymnasium's registry.
        num_envs: how many.
        **options: keyword arguments of the environment.
    """
    factories = [lambda: gymnasium.make(env_id, disable_env_checker=True, **options)] * num_envs
    return DenseFinalObs(SyncVectorEnv(factories, autoreset_mode=AutoresetMode.SAME_STEP))
