"""A pgx-style face: ``init(key)`` and ``step(state, action, key=None)`` on one `State`, for pgx programs and for mctx.

It follows pgx 2: a finished game stays as it is and gives no reward, all actions are legal at its end, nothing resets
by itself, and a key given to `step` decides what chance does in that step.  One thing differs on purpose: an illegal
action is replaced by the first legal one, as everywhere here, and does not lose the game.  pgx itself is not needed.

A search must not see the future.  Pass `PgxEnv.step` a fresh key at every simulated step, or `reseed` the root::

    def recurrent_fn(params, key, action, state):
        state = jax.vmap(env.step)(state, action, jax.random.split(key, len(action)))
        ...
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32

from rlenv_shared.env import TurnOrder, select
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.struct import Replaceable, pytree_dataclass, static


@pytree_dataclass
class State(Replaceable):
    """A position as pgx shows it; fields beginning with an underscore are not for learners."""

    current_player: Int32[Array, ""]
    observation: Any  # of the current player
    rewards: Float[Array, " players"]  # float32, of the last step
    terminated: Bool[Array, ""]
    truncated: Bool[Array, ""]
    legal_action_mask: Bool[Array, " actions"]
    _step_count: Int32[Array, ""]
    _env_state: Any  # the environment's own state
    _env_id: str = static()

    @property
    def env_id(self) -> str:
        """Id of the environment."""
        return self._env_id


class PgxEnv:
    """An environment whose players take turns (or that has one player) behind pgx's interface.

    The default parameters where None.  Raises InvalidParamsError: simultaneous players, or actions that are not
    discrete.
    """

    def __init__(self, env: Any, params: Any = None) -> None:
        if env.turn_order is TurnOrder.SIMULTANEOUS or not env.num_actions:
            raise InvalidParamsError(
                f"pgx adapter of {env.name}",
                f"{env.turn_order}, {env.num_actions} actions",
                "players who take turns, and discrete actions",
                "use adapters.pettingzoo or adapters.jaxmarl for simultaneous players",
            )
        self.env, self.params = env, env.default_params if params is None else params
        self.id: str = env.name
        self.version: str = str(env.version)
        self.num_players: int = env.num_players
        self.num_actions: int = env.num_actions

    @property
    def observation_shape(self) -> tuple[int, ...]:
        """Shape of one observation (None for a tree of several arrays)."""
        return self.env.observation_space(self.params).shape

    def init(self, key: Any) -> State:
        """A new game."""
        obs, env_state = self.env.reset_env(key, self.params)
        zeros = jnp.zeros((self.num_players,), jnp.float32)
        no = jnp.zeros((), jnp.bool_)
        return self._state(obs, env_state, zeros, no, no, jnp.zeros((), jnp.int32))

    def step(self, state: State, action: Any, key: Any = None) -> State:
        """The position after a move, int32 ``()``; a ``key`` decides what chance does; a finished game stays."""
        env_state = state._env_state if key is None else self.env.reseed(state._env_state, key)
        action = jnp.asarray(action, jnp.int32)
        obs, env_state, reward, terminated, _ = self.env.step_env(jax.random.key(0), env_state, action, self.params)
        rewards = jnp.reshape(reward, (self.num_players,))
        truncated = self.env.is_truncated(env_state, self.params)
        moved = self._state(obs, env_state, rewards, terminated, truncated, state._step_count + jnp.int32(1))
        stayed = state.replace(rewards=jnp.zeros_like(state.rewards))
        return select(state.terminated | state.truncated, stayed, moved)

    def observe(self, state: State, player_id: Any = None) -> Any:
        """What the current player, or another, sees."""
        if player_id is None:
            return state.observation
        player = jnp.asarray(player_id, jnp.int32) if self.env.turn_order is TurnOrder.SEQUENTIAL else None
        return self.env.observe(state._env_state, player, self.params)

    def reseed(self, state: State, key: Any) -> State:
        """The same position with fresh randomness."""
        return state.replace(_env_state=self.env.reseed(state._env_state, key))

    def _state(self, obs: Any, env_state: Any, rewards: Any, terminated: Any, truncated: Any, count: Any) -> State:
        sequential = self.env.turn_order is TurnOrder.SEQUENTIAL
        return State(
            current_player=self.env.current_player(env_state) if sequential else jnp.zeros((), jnp.int32),
            observation=obs,
            rewards=rewards,
            terminated=terminated,
            truncated=truncated,
            legal_action_mask=self.env.legal_actions(env_state, self.params) | terminated | truncated,
            _step_count=count,
            _env_state=env_state,
            _env_id=self.id,
        )
