"""Environments of other JAX libraries behind our contract, to be measured beside ours."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from rlenv_shared import spaces
from rlenv_shared.env import Env


class GymnaxTask(Env):
    """An environment of gymnax with discrete actions; each one splits its own key, as its users do.

    Args:
        task: its id in gymnax, as ``"CartPole-v1"``.
    """

    version = 0
    default_params = None

    def __init__(self, task: str) -> None:
        import gymnax  # an optional dependency of the packages that are measured

        self.task = task
        self.env, self.default_params = gymnax.make(task)

    @property
    def name(self) -> str:
        """Its id, with that of the library."""
        return f"gymnax/{self.task}"

    @property
    def num_actions(self) -> int:
        """As the task has them."""
        return int(self.env.num_actions)

    def init(self, seed: Any, params: Any) -> Any:
        """Reset with a key made of two seed words."""
        key, reset_key = jax.random.split(jnp.stack(seed))
        return key, self.env.reset(reset_key, params)[1]

    def step(self, key: Any, state: Any, action: Any, params: Any = None) -> Any:
        """Step with a key split from the state's, not with the caller's."""
        key, inner = state
        key, step_key = jax.random.split(key)
        obs, inner, reward, terminated, truncated, info = self.env.step(step_key, inner, action, params)
        return obs, (key, inner), reward, terminated, truncated, info

    def action_space(self, params: Any) -> spaces.Discrete:
        """Every action of the task."""
        return spaces.Discrete(self.num_actions)
