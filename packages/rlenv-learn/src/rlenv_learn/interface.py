"""What a network must know about an environment: sizes of observation and action, read off its spaces.

Accepts :mod:`rlenv_shared.spaces` and Gymnasium spaces alike, by their attributes.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from typing import Any, Self

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_shared.errors import InvalidParamsError


@dataclasses.dataclass(frozen=True)
class Part:
    """One entry of a dictionary of observations."""

    path: tuple[str, ...]  # its keys
    shape: tuple[int, ...]  # of one observation's entry
    ids: int = 0  # how many different ids its integers stand for, which networks embed; 0 for numbers

    @property
    def size(self) -> int:
        """Entries, flattened."""
        return math.prod(self.shape)


@dataclasses.dataclass(frozen=True)
class Interface:
    """Sizes of observation and action."""

    observation_shape: tuple[int, ...]  # networks receive it flattened; of a dictionary, the size of all its parts
    num_actions: int  # 0 for continuous ones
    low: tuple[float, ...] = ()  # bounds of each continuous action component, flattened; empty for discrete actions
    high: tuple[float, ...] = ()  # likewise
    action_shape: tuple[int, ...] = ()
    parts: tuple[Part, ...] = ()  # of a dictionary or of ids, in the order in which they are flattened

    @classmethod
    def from_spaces(cls, observation_space: Any, action_space: Any) -> Self:
        """Read the spaces of one environment.

        Raises InvalidParamsError: observations other than a Box, ids (Discrete, MultiDiscrete), or a Dict of such, or
        actions other than Discrete or a Box.
        """
        parts = tuple(_parts(observation_space))
        if _is_box(observation_space):
            shape, parts = parts[0].shape, ()
        else:
            shape = (sum(part.size for part in parts),)
        if (
            isinstance(getattr(action_space, "n", None), int | np.integer)
            and int(getattr(action_space, "start", 0)) == 0
        ):
            return cls(shape, num_actions=int(action_space.n), parts=parts)
        if _is_box(action_space) and np.issubdtype(np.dtype(action_space.dtype), np.floating):
            action_shape = tuple(int(n) for n in action_space.shape)
            low, high = (
                tuple(float(x) for x in np.broadcast_to(np.asarray(bound, np.float64), action_shape).ravel())
                for bound in (action_space.low, action_space.high)
            )
            return cls(shape, num_actions=0, low=low, high=high, action_shape=action_shape, parts=parts)
        expected = "Discrete counting from 0, or a Box of floats"
        raise InvalidParamsError("PPO action space", action_space, expected, "map the action in a wrapper")

    @classmethod
    def from_env(cls, env: Any, params: Any) -> Self:
        """Read a native environment's spaces.  Raises InvalidParamsError: unsupported, or more than one player."""
        if env.num_players != 1:
            remedy = "put the other players into the environment by a wrapper"
            raise InvalidParamsError(f"PPO on {env.name}", f"{env.num_players} players", "one player", remedy)
        return cls.from_spaces(env.observation_space(params), env.action_space(params))

    def to_dict(self) -> dict[str, Any]:
        """As JSON values; an infinite bound is None."""
        return {
            "observation_shape": list(self.observation_shape),
            "num_actions": self.num_actions,
            "low": [x if math.isfinite(x) else None for x in self.low],
            "high": [x if math.isfinite(x) else None for x in self.high],
            "action_shape": list(self.action_shape),
            "parts": [[list(part.path), list(part.shape), part.ids] for part in self.parts],
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
            parts=tuple(Part(tuple(path), tuple(shape), ids) for path, shape, ids in values.get("parts", ())),
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
        if self.parts:
            return self._flatten_parts(obs)
        obs = jnp.asarray(obs)
        batch = obs.shape[: obs.ndim - len(self.observation_shape)]
        flat = jnp.reshape(obs, (*batch, self.observation_size))
        return flat if flat.dtype == jnp.uint8 else flat.astype(jnp.float32)  # a rollout of pixels is large as it is

    def _flatten_parts(self, obs: Any) -> Any:
        flat = []
        for part in self.parts:
            entry = obs
            for key in part.path:
                entry = entry[key]
            entry = jnp.asarray(entry)
            batch = entry.shape[: entry.ndim - len(part.shape)]
            flat.append(jnp.reshape(entry, (*batch, part.size)).astype(jnp.float32))  # exact for ids below 2**24
        return jnp.concatenate(flat, axis=-1)

    def batch_size(self, obs: Any) -> int:
        """Rows of a batch of the environment's observations.  Raises InvalidParamsError: other shapes than its."""
        shapes = [np.shape(leaf) for leaf in (jax.tree.leaves(obs) if self.parts else [obs])]
        wanted = [part.shape for part in self.parts] or [self.observation_shape]
        found = [shape[1:] for shape in shapes]
        if sorted(found) != sorted(wanted) or not all(shapes):
            raise InvalidParamsError(
                "observations",
                f"shape {shapes[0] if len(shapes) == 1 else shapes}",
                f"(batch, *{wanted[0] if len(wanted) == 1 else wanted})",
                "pass a batch of observations of the environment the policy was trained on",
            )
        return int(shapes[0][0])

    def says_of_actions(self, part: Part) -> bool:
        """Whether a part is about the actions: ``actions`` or ``action_ids`` of shape ``[num_actions, F]``.

        Networks treat every action's row alike, together with the rest of the observation.
        """
        named = part.path in (("actions",), ("action_ids",))
        return named and len(part.shape) == 2 and part.shape[0] == self.num_actions

    def is_of_sets(self, part: Part) -> bool:
        """Whether a part holds sets, of whose members the order means nothing: ids ``[sets, members]``.

        Its name ends in ``sets``.  Networks add up the vectors of a set's members; an id of 0 is nobody.
        """
        return part.ids > 0 and len(part.shape) == 2 and part.path[-1].endswith("sets")

    @property
    def is_kept(self) -> np.ndarray:
        """Entries of a flattened observation that nothing normalises: ids, what is about actions; bool ``[size]``."""
        flags = [np.full(part.size, part.ids > 0 or self.says_of_actions(part)) for part in self.parts]
        return np.concatenate(flags) if flags else np.zeros(self.observation_size, np.bool_)

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


def _parts(space: Any, path: tuple[str, ...] = ()) -> Iterator[Part]:
    """The entries of an observation space."""
    inside = getattr(space, "spaces", None)
    if isinstance(inside, Mapping):
        for name in sorted(inside):
            yield from _parts(inside[name], (*path, name))
    elif _is_box(space):
        yield Part(path, tuple(int(n) for n in space.shape))
    elif hasattr(space, "nvec"):
        yield Part(path, tuple(int(n) for n in np.shape(space.nvec)), int(np.max(space.nvec)))
    elif hasattr(space, "n"):
        yield Part(path, (), int(space.n))
    else:
        what, expected = "PPO observation space", "a Box, Discrete, MultiDiscrete, or a Dict of them"
        raise InvalidParamsError(what, space, expected, "flatten the observation into one array in a wrapper")


def _is_box(space: Any) -> bool:
    return hasattr(space, "low") and hasattr(space, "high") and getattr(space, "shape", None) is not None
