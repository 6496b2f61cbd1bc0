"""Tables of observations: which entries there are, what each says, where its values lie."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from typing import Any, Final

import jax.numpy as jnp

IDS: Final = "ids"
"""The array of categories, int32, in every version of the observation."""


@dataclasses.dataclass(frozen=True)
class Entry:
    """One row of a table.

    Attributes:
        array: of the observation.
        name: unique in the observation.
        count: how many values.
        meaning: for the documentation.
        names: of which kind of names an id is a number, if it is one of `tables.NAMES`.
        limit: ids are below it; 0 for numbers.
        most: the most that a number can be.
        least: the least.
    """

    array: str
    name: str
    count: int
    meaning: str
    names: str = ""
    limit: int = 0
    most: int = 1
    least: int = 0


@dataclasses.dataclass(frozen=True)
class Table:
    """The entries of an observation, in the order of the values of its arrays."""

    entries: tuple[Entry, ...]

    @property
    def arrays(self) -> tuple[str, ...]:
        """The names of the arrays."""
        return tuple(dict.fromkeys(entry.array for entry in self.entries))

    @functools.cached_property
    def _of(self) -> Mapping[str, tuple[Entry, ...]]:
        return {array: tuple(entry for entry in self.entries if entry.array == array) for array in self.arrays}

    def of(self, array: str) -> tuple[Entry, ...]:
        """The entries of an array."""
        return self._of[array]

    def size(self, array: str) -> int:
        """How many values an array has."""
        return sum(entry.count for entry in self.of(array))

    def each(self, array: str, field: str) -> tuple[int, ...]:
        """A field of the entry of every value of an array."""
        return tuple(getattr(entry, field) for entry in self.of(array) for _ in range(entry.count))

    @functools.cached_property
    def places(self) -> Mapping[str, tuple[str, slice]]:
        """Where each entry lies: its array and its slice of it."""
        ends = dict.fromkeys(self.arrays, 0)
        found: dict[str, tuple[str, slice]] = {}
        for entry in self.entries:
            begin = ends[entry.array]
            ends[entry.array] = begin + entry.count
            found[entry.name] = (entry.array, slice(begin, begin + entry.count))
        return found

    def flat(self, array: str, values: Mapping[str, Sequence[Any]]) -> list[Any]:
        """The values of an array, of every entry's values by its name."""
        found: list[Any] = []
        for entry in self.of(array):
            assert len(values[entry.name]) == entry.count, entry.name
            found += values[entry.name]
        return found


def stacked(values: Sequence[Any], dtype: Any) -> Any:
    """Scalars as an array of this dtype."""
    return jnp.stack([jnp.asarray(value).astype(dtype) for value in values])
