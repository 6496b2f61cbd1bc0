"""What a view remembers: words, the fields decoded from them, and elements of records chosen by an array.

A chosen element is a store of its own.  Its words are picked when they are first read, and put back when somebody else
needs the words they come from, or when the view is done.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rlenv_shared.packing.allocate import Node, Start, shifted
from rlenv_shared.packing.fields import WORD_MASK, Key, bad, bit_word, is_integer, kind
from rlenv_shared.packing.select import one_hot, select

Flags = dict[tuple[int, int], tuple[Any, tuple[Any, ...]]]
"""By id of an index and size: the index (kept, so that its id stays its own) and `one_hot` of it."""


class Conditions:
    """What has to hold for a write to take place: conditions within conditions.

    Attributes:
        here: all of them that are present, bool; None where there is none, so that everything is written.
    """

    def __init__(self, here: Any = None) -> None:
        self.here = here

    def both(self, condition: Any) -> Any:
        """A condition (None: none) where those that are present hold."""
        if condition is None or condition is self.here:
            return self.here
        if self.here is None:
            return condition
        return self.here & condition

    def when(self, condition: Any) -> Within:
        """Within, this condition is present, too; gives where all of them hold."""
        return Within(self, condition)


class Within:
    """A block in which one more condition is present."""

    def __init__(self, conditions: Conditions, condition: Any) -> None:
        self._conditions, self._condition = conditions, condition

    def __enter__(self) -> Any:
        self._outside = self._conditions.here
        self._conditions.here = self._conditions.both(self._condition)
        return self._conditions.here

    def __exit__(self, *_: object) -> None:
        self._conditions.here = self._outside


class Store:
    """Words of one shape by table, counted from the beginning of a state or of a chosen element."""

    def __init__(self, words: dict[Key, Any], shape: tuple[int, ...], flags: Flags, conditions: Conditions) -> None:
        self.words, self.shape, self.flags, self.conditions = words, shape, flags, conditions
        self.dtypes = {key: word.dtype for key, word in words.items()}
        self.decoded: dict[Key, dict[int, tuple[int, Any]]] = {}  # by word and the field's first bit: its bits, value
        self.chosen: dict[tuple[int, tuple[tuple[str, Start], ...], int], Chosen] = {}
        self.writes = 0  # so far
        self.written: dict[Key, dict[int, int]] = {}  # by word and bits: the number of the last write to them

    def load(self, key: Key) -> Any:
        """A word, with all that was written to it."""
        for other in self.chosen.values():
            other.put_back(key)
        return self.words[key]

    def save(self, key: Key, word: Any, bits: int = WORD_MASK, by: Chosen | None = None) -> None:
        """Replace a word, of which these bits may differ: fields that lie in none of them are not decoded again."""
        self.claim(key, by)
        self.words[key] = word
        known = self.decoded.pop(key, {})
        self.decoded[key] = {start: found for start, found in known.items() if not found[0] & bits}
        self.writes += 1
        self.written.setdefault(key, {})[bits] = self.writes

    def last_write(self, key: Key, bits: int) -> int:
        """The number of the last write to any of a word's bits, counted from 1; 0 if there was none."""
        self.load(key)  # with what chosen elements still hold
        return max((number for written, number in self.written.get(key, {}).items() if written & bits), default=0)

    def claim(self, key: Key, by: Chosen | None) -> None:
        """Before a word is written: whoever else holds parts of it puts them back and reads them again afterwards."""
        for other in self.chosen.values():
            if other is not by:
                other.put_back(key)
                other.forget(key)

    def choose(self, node: Node, begin: dict[str, Start], index: Any, path: str) -> Chosen:
        """The element of a record at an index that is an array, or at flags from `one_hot`."""
        known = (id(node), tuple(begin.items()), id(index))
        if known not in self.chosen:
            self.chosen[known] = Chosen(self, node, begin, self._flags(index, node.member.count or 1, path))
        return self.chosen[known]

    def _flags(self, index: Any, size: int, path: str) -> tuple[Any, ...]:
        if (id(index), size) not in self.flags:
            if isinstance(index, Sequence):
                if len(index) != size:
                    raise bad(path, f"{len(index)} flags", f"{size} flags", f"use one_hot(index, {size})")
                hot = tuple(index)
            elif is_integer(index) and np.shape(index) in ((), self.shape):
                hot = one_hot(index if index.dtype == np.int32 else index.astype(np.int32), size)
            else:
                expected = f"an int, integers of shape () or {self.shape}, or flags"
                raise bad(path, f"an index of {kind(index)}", expected, "convert it")
            self.flags[id(index), size] = index, hot
        return self.flags[id(index), size][1]


class Chosen(Store):
    """Words of the element at the hot place; where no place is hot, the first element is read and none is written."""

    def __init__(self, owner: Store, node: Node, begin: dict[str, Start], hot: tuple[Any, ...]) -> None:
        super().__init__({}, owner.shape, owner.flags, owner.conditions)
        self.owner, self.hot, self.sizes = owner, hot, node.sizes
        self.changed: dict[Key, int] = {}  # bits that were written to since they were put back
        starts = [shifted(node, i, begin) for i in range(len(hot))]
        # The owner's word, and the bit in it, at which each of its own words lies for every element; and back.
        self.origins: dict[Key, list[tuple[Key, int]]] = {
            (table, word): [((table, start[table][0] + word), start[table][1]) for start in starts]
            for table in starts[0]
            for word in range(node.sizes[table].words)
        }
        self.dtypes = {key: owner.dtypes[origins[0][0]] for key, origins in self.origins.items()}
        self.parts: dict[Key, dict[Key, None]] = {}
        for key, origins in self.origins.items():
            for origin, _ in origins:
                self.parts.setdefault(origin, {})[key] = None

    def load(self, key: Key) -> Any:
        """Pick the word from the owner's words, unless that has been done."""
        if key not in self.words:
            word = None
            for is_here, (origin, shift) in zip(self.hot, self.origins[key], strict=True):
                part = self.owner.load(origin)
                part = part >> bit_word(shift, part.dtype) if shift else part
                word = part if word is None else select(is_here, part, word)
            self.words[key] = word
        return super().load(key)

    def save(self, key: Key, word: Any, bits: int = WORD_MASK, by: Chosen | None = None) -> None:
        """Replace a word, here alone for now."""
        super().save(key, word, bits, by)
        self.changed[key] = self.changed.get(key, 0) | bits

    def claim(self, key: Key, by: Chosen | None) -> None:
        """As of any store, and the same in the owner."""
        super().claim(key, by)
        for origin in dict.fromkeys(origin for origin, _ in self.origins[key]):
            self.owner.claim(origin, self)

    def put_back(self, origin: Key | None = None) -> None:
        """Write what changed (in one word of the owner's) into the owner's words."""
        for key in self.origins if origin is None else self.parts.get(origin, ()):
            for other in self.chosen.values():
                other.put_back(key)
            if key not in self.changed:
                continue
            mask, new, of = self.sizes[key[0]].mask, self.words[key], self.dtypes[key]
            bits = self.changed.pop(key) & mask
            new = new & bit_word(mask, of) if mask != WORD_MASK else new
            for is_here, (word, shift) in zip(self.hot, self.origins[key], strict=True):
                old, put = self.owner.load(word), new
                if mask != WORD_MASK:
                    put = (old & bit_word(~(mask << shift), of)) | (new << bit_word(shift, of) if shift else new)
                self.owner.save(word, select(is_here, put, old), bits << shift, self)

    def forget(self, origin: Key) -> None:
        """Pick its parts of a word of the owner's again when they are next asked for."""
        for key in self.parts.get(origin, ()):
            self.words.pop(key, None)
            self.decoded.pop(key, None)
            for other in self.chosen.values():
                other.forget(key)
