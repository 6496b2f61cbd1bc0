"""Episode returns and lengths, counted inside the compiled step."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from rlenv_shared.env import TurnOrder
from rlenv_shared.ops import XLA, Ops
from rlenv_shared.struct import Replaceable, pytree_dataclass
from rlenv_shared.wrapper import Wrapper


@pytree_dataclass
class LogState(Replaceable):
    """State of the wrapped environment with running and last finished counts."""

    env_state: Any
    episode_return: Any  # float32, shape of the reward, since the last reset
    episode_length: Any  # int32, steps since the last reset in which somebody was asked to act
    returned_episode_return: Any  # float32, of the last finished episode, 0 before the first
    returned_episode_length: Any  # int32, likewise


class LogEpisodes(Wrapper):
    """Add ``returned_episode_returns``, ``returned_episode_lengths`` and ``returned_episode`` to ``info``.

    The names are those of gymnax's ``LogWrapper``; unlike it this wrapper follows the whole contract, works with one
    reward per player, counts decisions, and keeps dtypes under strict promotion and x64.  ``returned_episode`` is True
    for the step that ended an episode; the other two hold the last finished episode's figures until the next one ends.
    """

    def inner(self, state: LogState) -> Any:
        """Without the counts."""
        return state.env_state

    def with_inner(self, state: LogState, inner: Any) -> LogState:
        """With the same counts."""
        return state.replace(env_state=inner)

    def begin(self, generator: Any, params: Any, ops: Ops = XLA) -> LogState:
        """As the wrapped environment, all counts at zero."""
        shape = () if self.turn_order is TurnOrder.SINGLE else (self.num_players,)
        zeros, zero = jnp.zeros(shape, jnp.float32), jnp.zeros((), jnp.int32)
        return LogState(self.env.begin(generator, params, ops), zeros, zero, zeros, zero)

    def step_env(
        self, key: Any, state: LogState, action: Any, params: Any, ops: Ops = XLA
    ) -> tuple[Any, LogState, Any, Any, dict]:
        """Raw step; counts go on, an episode is never closed."""
        asked = self._asked(state)
        obs, state, reward, terminated, info = super().step_env(key, state, action, params, ops)
        state = state.replace(episode_return=state.episode_return + reward, episode_length=state.episode_length + asked)
        return obs, state, reward, terminated, info

    def step(
        self, key: Any, state: LogState, action: Any, params: Any = None, ops: Ops = XLA
    ) -> tuple[Any, LogState, Any, Any, Any, dict]:
        """Step with auto-reset; closes the counts of an episode that ends."""
        length = state.episode_length + self._asked(state)
        obs, env_state, reward, terminated, truncated, info = self.env.step(key, state.env_state, action, params, ops)
        done, total = terminated | truncated, state.episode_return + reward
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

    def _asked(self, state: LogState) -> Any:
        """1 where somebody is asked to act, else 0; int32."""
        return jnp.any(self.to_act(state)).astype(jnp.int32)
