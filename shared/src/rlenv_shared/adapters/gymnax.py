"""Faces for programs written for gymnax: `GymnaxEnv` for 1.0, `FiveValueEnv` for those before.

gymnax 1.0's own training programs need no face: they run on the environments as they are.  What asks for gymnax's own
spaces, with or without parameters, does: its `FlattenObservationWrapper`, `StickyActionWrapper` and wrappers to Gym.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from gymnax.environments import spaces as gymnax_spaces

from rlenv_shared.env import TurnOrder
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.spaces import Box, Dict, Discrete


class GymnaxEnv:
    """A single player's environment with gymnax 1.0's interface, hashable; InvalidParamsError for several players."""

    def __init__(self, env: Any) -> None:
        if env.turn_order is not TurnOrder.SINGLE:
            remedy = "put an opponent into the environment first"
            raise InvalidParamsError(f"gymnax adapter of {env.name}", env.turn_order, TurnOrder.SINGLE, remedy)
        self.env = env

    @property
    def name(self) -> str:
        """Id of the environment."""
        return self.env.name

    @property
    def num_actions(self) -> int:
        """Number of discrete actions."""
        return self.env.num_actions

    @property
    def default_params(self) -> Any:
        """Parameters with the reference's values."""
        return self.env.default_params

    def reset(self, key: Any, params: Any = None) -> tuple[Any, Any]:
        """``(obs, state)`` of a new episode."""
        return self.env.reset(key, params)

    def step(self, key: Any, state: Any, action: Any, params: Any = None) -> tuple[Any, ...]:
        """``(obs, state, reward, terminated, truncated, info)`` with same-step auto-reset."""
        action = jnp.asarray(action, self.env.action_space(self._or_default(params)).dtype)  # gymnax takes an int too
        return self.env.step(key, state, action, params)

    def action_space(self, params: Any = None) -> Any:
        """A space of gymnax."""
        return _to_gymnax(self.env.action_space(self._or_default(params)))

    def observation_space(self, params: Any = None) -> Any:
        """A space of gymnax."""
        return _to_gymnax(self.env.observation_space(self._or_default(params)))

    def _or_default(self, params: Any) -> Any:
        return self.default_params if params is None else params


class FiveValueEnv(GymnaxEnv):
    """A single-player environment with the interface of gymnax 0.0.x, as rejax 0.1.3 wants it.

    ``done`` is True after a termination and after the time limit alike, and nothing tells a learner which it was: that
    is what the old interface cannot say.  ``info`` still has ``terminated``, ``truncated`` and ``final_observation``.
    """

    def step(self, key: Any, state: Any, action: Any, params: Any = None) -> tuple[Any, ...]:
        """``(obs, state, reward, done, info)`` with same-step auto-reset."""
        obs, state, reward, terminated, truncated, info = super().step(key, state, action, params)
        return obs, state, reward, terminated | truncated, info


def _to_gymnax(space: Any) -> Any:
    """The same space as gymnax has it."""
    parts = space.spaces.values() if isinstance(space, Dict) else [space]
    if all(isinstance(part, Discrete | Box) for part in parts):
        return space.to(gymnax_spaces)
    raise InvalidParamsError("gymnax space", space, "Discrete, Box, or Dict of these", "flatten it in a wrapper")
