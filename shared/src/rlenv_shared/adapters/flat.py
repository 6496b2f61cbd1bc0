"""Observations of ids and numbers as one flat Box, with the layout that tells ids from numbers.

Libraries that know Gymnasium's spaces turn a MultiDiscrete into one-hot vectors: 34,484 inputs of pokejax, 469,450 of
tcgjax.  Here an id stays one column, and a network looks its vector up: `rlenv_shared.adapters.torch_embedding` and
`rlenv_shared.adapters.sb3_embedding` build that from the layout.  Needs Gymnasium alone.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space

from rlenv_shared.errors import InvalidParamsError

MOST_IDS: Final = 2**24
"""Numbers below it are exact in float32."""


@dataclasses.dataclass(frozen=True)
class Columns:
    """Neighbouring columns of one meaning."""

    name: str  # the path in the dictionary, joined by dots; "" of an observation that is none
    start: int
    stop: int
    kinds: int = 0  # ids 0 … kinds - 1, an embedding's rows; 0 for numbers
    scale: float = 1.0  # numbers times this lie in -1 … 1 where their space is bounded

    @property
    def are_ids(self) -> bool:
        """Whether they are indices into an embedding."""
        return self.kinds > 0


@dataclasses.dataclass(frozen=True)
class Layout:
    """What the columns of a flat observation mean, in their order."""

    columns: tuple[Columns, ...]

    @classmethod
    def of(cls, space: Any) -> Layout:
        """Of an observation space, ours or Gymnasium's: Box, Discrete, MultiDiscrete, or a Dict of them, by name.

        Neighbouring ids of one part with equally many kinds are together, as they share an embedding.  Raises
        InvalidParamsError: another space, or more kinds than float32 holds exactly.
        """
        found: list[Columns] = []
        for path, part in _parts(space):
            at = found[-1].stop if found else 0
            for count, kinds, scale in _runs(part, path):
                found.append(Columns(path, at, at + count, kinds, scale))
                at += count
        return cls(tuple(found))

    @property
    def size(self) -> int:
        """Columns."""
        return self.columns[-1].stop

    @property
    def ids(self) -> tuple[Columns, ...]:
        """Those that are indices."""
        return tuple(part for part in self.columns if part.are_ids)

    @property
    def numbers(self) -> tuple[Columns, ...]:
        """The others."""
        return tuple(part for part in self.columns if not part.are_ids)

    @property
    def tables(self) -> dict[tuple[str, int], tuple[Columns, ...]]:
        """Columns by the embedding they share: ids of one part of the observation with as many kinds."""
        found: dict[tuple[str, int], tuple[Columns, ...]] = {}
        for part in self.ids:
            found[part.name, part.kinds] = (*found.get((part.name, part.kinds), ()), part)
        return found


class FlatBox(spaces.Box):
    """The Box of flat observations, float32 ``[layout.size]``, which carries its layout."""

    def __init__(self, space: Any) -> None:
        self.layout = Layout.of(space)
        bounds = [_bounds(part) for _, part in _parts(space)]
        low, high = (np.concatenate([pair[side] for pair in bounds]).astype(np.float32) for side in (0, 1))
        super().__init__(low, high, (self.layout.size,), np.float32)


def flatten(space: Any, obs: Any, batch: int = 0) -> np.ndarray:
    """An observation as float32 ``[size]``; ``batch`` counts the axes before it."""
    parts = []
    for path, _ in _parts(space):
        entry = obs
        for key in path.split(".") if path else ():
            entry = entry[key]
        array = np.asarray(entry)
        parts.append(array.reshape(*array.shape[:batch], -1).astype(np.float32))
    return np.concatenate(parts, axis=-1)


class FlatObservation(gymnasium.ObservationWrapper):
    """One environment whose observations are flat."""

    def __init__(self, env: gymnasium.Env) -> None:
        super().__init__(env)
        self.observation_space = FlatBox(env.observation_space)

    def observation(self, observation: Any) -> np.ndarray:
        """Float32 ``[size]``."""
        return flatten(self.env.observation_space, observation)


class FlatVectorObservation(gymnasium.vector.VectorWrapper):
    """Many environments whose observations are flat, ``info["final_obs"]`` too."""

    def __init__(self, env: gymnasium.vector.VectorEnv) -> None:
        super().__init__(env)
        self.single_observation_space = FlatBox(env.single_observation_space)
        self.observation_space = batch_space(
            spaces.Box(self.single_observation_space.low, self.single_observation_space.high), self.num_envs
        )

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Float32 ``[N, size]``, and the environments' info."""
        obs, info = self.env.reset(seed=seed, options=options)
        return self._flat(obs), info

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """As the environments', flat."""
        obs, *others, info = self.env.step(actions)
        if "final_obs" in info:
            info = {**info, "final_obs": self._flat(info["final_obs"])}
        return (self._flat(obs), *others, info)

    def _flat(self, obs: Any) -> np.ndarray:
        return flatten(self.env.single_observation_space, obs, batch=1)


def _parts(space: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    inside = getattr(space, "spaces", None)
    if isinstance(inside, Mapping):
        for name in sorted(inside):
            yield from _parts(inside[name], f"{path}.{name}" if path else name)
        return
    if not any(hasattr(space, name) for name in ("low", "nvec", "n")) or getattr(space, "shape", None) is None:
        expected, remedy = "a Box, Discrete, MultiDiscrete, or a Dict of them", "map the observation in a wrapper"
        raise InvalidParamsError("flat observations", space, expected, remedy)
    yield path, space


def _kinds(part: Any) -> np.ndarray | None:
    """How many kinds each id has, flattened; None for numbers."""
    if hasattr(part, "nvec"):
        return np.asarray(part.nvec).ravel()
    return np.array([part.n]) if hasattr(part, "n") and not hasattr(part, "low") else None


def _bounds(part: Any) -> tuple[np.ndarray, np.ndarray]:
    kinds = _kinds(part)
    if kinds is not None:
        return np.zeros(len(kinds)), kinds - 1.0
    return np.ravel(part.low), np.ravel(part.high)


def _runs(part: Any, path: str) -> Iterator[tuple[int, int, float]]:
    """``(columns, kinds, scale)`` of neighbours that are alike."""
    kinds = _kinds(part)
    if kinds is None:
        most = float(np.max(np.abs([part.low, part.high])))
        yield math.prod(part.shape), 0, 1.0 / most if 0 < most < 1e30 else 1.0
        return
    if kinds.max() > MOST_IDS:
        raise InvalidParamsError(f"ids {path!r}", int(kinds.max()), f"at most {MOST_IDS} kinds", "split the id in two")
    start = 0
    for end in range(1, len(kinds) + 1):
        if end == len(kinds) or kinds[end] != kinds[start]:
            yield end - start, int(kinds[start]), 1.0
            start = end
