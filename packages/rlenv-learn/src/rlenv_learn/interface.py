"""What a network must know about an environment: sizes of observation and action, read off its spaces.

Accepts :mod:`rlenv_shared.spaces` and Gymnasium spaces alike, by their attributes.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Self

import jax.numpy as jnp
import numpy as np

from rlenv_shared.errors import InvalidParamsError, explain


@dataclasses.dataclass(frozen=True)
class Interface:
    """Sizes of observation and action.

    Attributes:
        observation_shape: shape of one observation; networks receive it flattened.
        num_actions: number of discrete actions, 0 for continuous ones.
        low, high: bounds of each continuous action component, flattened; empty for discrete actions.
        action_shape: shape of one action.
    """

    observation_shape: tuple[int, ...]
    num_actions: int
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    action_shape: tuple[int, ...] = ()

    @classmethod
    def from_spaces(cls, observation_space: Any, action_space: Any) -> Self:
        """Read the spaces of one environment.

        Raises:
            InvalidParamsError: observations that are no Box, or actions that are neither Discrete nor a Box.
        """
        if not _is_box(observation_space):
            raise InvalidParamsError(
                explain(
                    "PPO observation space",
                    got=observation_space,
                    expected="a Box",
                    remedy="flatten the observation into one array in a wrapper",
                )
            )
        shape = tuple(int(n) for n in observation_space.shape)
        if (
            isinstance(getattr(action_space, "n", None), int | np.integer)
            and int(getattr(action_space, "start", 0)) == 0
        ):
            return cls(shape, num_actions=int(action_space.n))
        if _is_box(action_space) and np.issubdtype(np.dtype(action_space.dtype), np.floating):
            action_shape = tuple(int(n) for n in action_space.shape)
            low, high = (
                tuple(float(x) for x in np.broadcast_to(np.asarray(bound, np.float64), action_shape).ravel())
                for bound in (action_space.low, action_space.high)
            )
            return cls(shape, num_actions=0, low=low, high=high, action_shape=action_shape)
        raise InvalidParamsError(
            explain(
                "PPO action space",
                got=action_space,
                expected="Discrete counting from 0, or a Box of floats",
                remedy="map the action in a wrapper",
            )
        )

    @classmethod
    def from_env(cls, env: Any, params: Any) -> Self:
        """Read a native environment's spaces.

        Raises:
            InvalidParamsError: unsupported spaces, or more than one player.
        """
        if env.num_players != 1:
            raise InvalidParamsError(
                explain(
                    f"PPO on {env.name}",
                    got=f"{env.num_players} players",
                    expected="one player",
                    remedy="put the other players into the environment by a wrapper",
                )
            )
        return cls.from_spaces(env.observation_space(params), env.action_space(params))

    def to_dict(self) -> dict[str, Any]:
        """As JSON values; an infinite bound is None."""
        return {
            "observation_shape": list(self.observation_shape),
            "num_actions": self.num_actions,
            "low": [x if math.isfinite(x) else None for x in self.low],
            "high": [x if math.isfinite(x) else None for x in self.high],
            "action_shape": list(self.action_shape),
        }

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Inverse of `to_dict`; TypeError or KeyError for anything else."""
        return cls(
            observation_shape=tuple(values["observation_shape"]),
            num_actions=int(values["num_actions"]),
            low=tuple(-math.inf if x is None else float(x) for x in values["low"]),
            high=tuple(math.inf if x is None else float(x) for x in values["high"]),
            action_shape=tuple(values["action_shape"]),
        )

    @property
    def discrete(self) -> bool:
        """True for discrete actions."""
        return self.num_actions > 0

    @property
    def observation_size(self) -> int:
        """Length of a flattened observation."""
        return math.prod(self.observation_shape)

    @property
    def action_size(self) -> int:
        """Outputs of the policy head: number of actions, or of action components."""
        return self.num_actions if self.discrete else len(self.low)

    def flatten(self, obs: Any) -> Any:
        """``[..., *observation_shape]`` to ``[..., observation_size]``; bytes stay bytes, all else becomes float32."""
        batch = obs.shape[: obs.ndim - len(self.observation_shape)]
        flat = jnp.reshape(obs, (*batch, self.observation_size))
        return flat if flat.dtype == jnp.uint8 else flat.astype(jnp.float32)  # a rollout of pixels is large as it is

    def to_env(self, action: Any) -> Any:
        """What the environment receives for a policy's action.

        Discrete actions pass unchanged.  Continuous ones are policy outputs ``[..., action_size]``: -1…1 is mapped onto
        the range of a component that is bounded on both sides, then everything is clipped to the bounds.
        """
        if self.discrete:
            return action
        low, high = np.asarray(self.low, np.float32), np.asarray(self.high, np.float32)
        bounded = np.isfinite(low) & np.isfinite(high)
        centre = np.zeros_like(low)
        half_range = np.ones_like(low)
        centre[bounded] = low[bounded] / 2 + high[bounded] / 2
        half_range[bounded] = high[bounded] / 2 - low[bounded] / 2
        clipped = jnp.clip(centre + half_range * action, low, high)
        return clipped.reshape(*clipped.shape[:-1], *self.action_shape)


def _is_box(space: Any) -> bool:
    return hasattr(space, "low") and hasattr(space, "high") and getattr(space, "shape", None) is not None
