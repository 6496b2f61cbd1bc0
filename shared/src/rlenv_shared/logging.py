"""Episode returns and lengths, counted inside the compiled step."""

from __future__ import annotations

import inspect
from typing import Any

import jax.numpy as jnp

from rlenv_shared.protocol import TurnOrder
from rlenv_shared.struct import Replaceable, pytree_dataclass


@pytree_dataclass
class LogState(Replaceable):
    """State of the wrapped environment with running and last finished counts."""

    env_state: Any
    episode_return: Any  # float32, shape of the reward, since the last reset
    episode_length: Any  # int32, steps since the last reset
    returned_episode_return: Any  # float32, of the last finished episode, 0 before the first
    returned_episode_length: Any  # int32, likewise


class LogEpisodes:
    """Add ``returned_episode_returns``, ``returned_episode_lengths`` and ``returned_episode`` to ``info``.

    The names are those of gymnax's ``LogWrapper``; unlike it this wrapper follows the whole protocol, works with one
    reward per player, and keeps dtypes under strict promotion and x64.  ``returned_episode`` is True for the step that
    ended an episode; the other two hold the last finished episode's figures until the next one ends.
    """

    def __init__(self, env: Any) -> None:
        self.env = env
        self._reward_shape = () if env.turn_order is TurnOrder.SINGLE else (env.num_players,)

    def __getattr__(self, name: str) -> Any:
        """Forward attributes, not methods: those take the wrapped environment's state, so use ``.env``."""
        value = getattr(self.env, name) if name != "env" else None  # no env yet while being copied
        if name == "env" or inspect.ismethod(value):
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}; try .env.{name}")
        return value

    def _begin(self, env_state: Any) -> LogState:
        zeros, zero = jnp.zeros(self._reward_shape, jnp.float32), jnp.zeros((), jnp.int32)
        return LogState(env_state, zeros, zero, zeros, zero)

    def begin_episode(self, rng: Any, params: Any) -> tuple[Any, LogState]:
        """As the wrapped environment, all counts at zero."""
        obs, env_state = self.env.begin_episode(rng, params)
        return obs, self._begin(env_state)

    def reset_env(self, key: Any, params: Any) -> tuple[Any, LogState]:
        """As the wrapped environment, all counts at zero."""
        obs, env_state = self.env.reset_env(key, params)
        return obs, self._begin(env_state)

    def reset(self, key: Any, params: Any = None) -> tuple[Any, LogState]:
        """As the wrapped environment, all counts at zero."""
        obs, env_state = self.env.reset(key, params)
        return obs, self._begin(env_state)

    def step_env(self, key: Any, state: LogState, action: Any, params: Any) -> tuple[Any, LogState, Any, Any, dict]:
        """Raw step; counts go on, an episode is never closed."""
        obs, env_state, reward, terminated, info = self.env.step_env(key, state.env_state, action, params)
        state = state.replace(
            env_state=env_state,
            episode_return=state.episode_return + reward,
            episode_length=state.episode_length + jnp.int32(1),
        )
        return obs, state, reward, terminated, info

    def step(
        self, key: Any, state: LogState, action: Any, params: Any = None
    ) -> tuple[Any, LogState, Any, Any, Any, dict]:
        """Step with auto-reset; closes the counts of an episode that ends."""
        obs, env_state, reward, terminated, truncated, info = self.env.step(key, state.env_state, action, params)
        done = terminated | truncated
        total, length = state.episode_return + reward, state.episode_length + jnp.int32(1)
        state = LogState(
            env_state,
            jnp.where(done, jnp.float32(0), total),
            jnp.where(done, jnp.int32(0), length),
            jnp.where(done, total, state.returned_episode_return),
            jnp.where(done, length, state.returned_episode_length),
        )
        info = {
            **info,
            "returned_episode_returns": state.returned_episode_return,
            "returned_episode_lengths": state.returned_episode_length,
            "returned_episode": done,
        }
        return obs, state, reward, terminated, truncated, info

    def observe(self, key: Any, state: LogState, action: Any, params: Any) -> Any:
        """The wrapped environment's observation."""
        return self.env.observe(key, state.env_state, action, params)

    def is_truncated(self, state: LogState, params: Any) -> Any:
        """The wrapped environment's time limit."""
        return self.env.is_truncated(state.env_state, params)

    def legal_actions(self, state: LogState, params: Any) -> Any:
        """The wrapped environment's mask."""
        return self.env.legal_actions(state.env_state, params)

    def reseed(self, state: LogState, key: Any) -> LogState:
        """Replace the wrapped environment's generator."""
        return state.replace(env_state=self.env.reseed(state.env_state, key))

    def action_space(self, params: Any) -> Any:
        """The wrapped environment's space."""
        return self.env.action_space(params)

    def observation_space(self, params: Any) -> Any:
        """The wrapped environment's space."""
        return self.env.observation_space(params)

    def state_space(self, params: Any) -> Any:
        """The wrapped environment's space (without the counts)."""
        return self.env.state_space(params)
