"""From packed words to arrays by name and back, each in a handful of array operations."""

from __future__ import annotations

import functools
import re
from typing import Any, Final

import numpy as np

from rlenv_shared.packing import Layout
from tcgjax import xp
from tcgjax.arrays import Record
from tcgjax.layout import LAYOUT


class Codec:
    """Packs and unpacks all fields of a layout at once.

    Attributes:
        shapes: of each field.
    """

    def __init__(self, layout: Layout) -> None:
        names: dict[str, list] = {}
        for place in layout.places():
            path = re.findall(r"(\w+)(?:\[(\d+)\])?", place.path)
            index = tuple(int(number) for _, number in path if number)
            word = layout.tables[place.table].start + place.word
            names.setdefault(path[-1][0], []).append((index, word, place.shift, place.field))
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.fields = {name: items[0][3] for name, items in names.items()}
        self._begin: dict[str, int] = {}
        flat: list = []
        flags = {name for name, field in self.fields.items() if field.dtype == np.bool_}
        for name, items in sorted(names.items(), key=lambda item: item[0] in flags):  # flags come last
            self._begin[name] = len(flat)
            items.sort(key=lambda item: item[0])
            self.shapes[name] = tuple(n + 1 for n in items[-1][0])
            flat += items
        self._numbers = sum(len(items) for name, items in names.items() if name not in flags)
        self.words = layout.num_words
        self._places = functools.cache(self._find_places)
        self._word = np.array([item[1] for item in flat], np.int32)
        self._shift = np.array([item[2] for item in flat], np.uint32)
        self._mask = np.array([item[3].mask for item in flat], np.uint32)
        self._sign = np.array([1 << (f.width - 1) if f.is_signed else 0 for *_, f in flat], np.uint32)
        self._empty = np.array([f.empty & 0xFFFFFFFF for *_, f in flat], np.uint32)

    def unpack(self, words: Any) -> Record:
        """The arrays of one game from its words."""
        stacked, end = xp.stack(words)[self._word], self._numbers
        values = (stacked[:end] >> self._shift[:end]) & self._mask[:end]
        values = ((values ^ self._sign[:end]) - self._sign[:end]) + self._empty[:end]
        flags = (stacked[end:] & (self._mask[end:] << self._shift[end:])) != 0
        fields = {}
        for name, shape in self.shapes.items():
            first, size = self._begin[name], int(np.prod(shape, dtype=int))
            found = values[first : first + size] if first < end else flags[first - end : first - end + size]
            fields[name] = found.reshape(shape).astype(self.fields[name].dtype)
        return Record(**fields)

    def pack(self, game: Record) -> tuple[Any, ...]:
        """The words of one game."""
        return self._words_of(game, tuple(self.shapes))

    def repack(self, words: tuple[Any, ...], before: Record, after: Record) -> tuple[Any, ...]:
        """The words of a game that was unpacked from some: they keep the fields that are the same arrays as before."""
        changed = tuple(name for name in self.shapes if getattr(after, name) is not getattr(before, name))
        if not changed:
            return words
        flat, _ = self._places(changed)
        cleared = np.zeros((self.words,), np.uint32)
        np.bitwise_or.at(cleared, self._word[flat], self._mask[flat] << self._shift[flat])
        found = self._words_of(after, changed)
        return tuple((old & ~mask) | new if mask else old for old, new, mask in zip(words, found, cleared, strict=True))

    def _words_of(self, game: Record, names: tuple[str, ...]) -> tuple[Any, ...]:
        """The words with some fields alone, which are named in the order of `shapes`: flags come last."""
        flat, parts = self._places(names)
        wide, narrow = flat[flat < self._numbers], flat[flat >= self._numbers]
        entries, codes = [getattr(game, name).reshape(-1) for name in names], []
        if len(wide):
            numbers = xp.concatenate([entry.astype(xp.uint32) for entry in entries if entry.dtype != np.bool_])
            codes.append(((numbers - self._empty[wide]) & self._mask[wide]) << self._shift[wide])
        if len(narrow):
            flags = xp.concatenate([entry for entry in entries if entry.dtype == np.bool_])
            codes.append(xp.where(flags, self._mask[narrow] << self._shift[narrow], np.uint32(0)))
        padded = xp.concatenate([*codes, xp.zeros((1,), xp.uint32)])
        words = xp.sum(padded[parts], axis=1, dtype=xp.uint32)
        return tuple(words[i] for i in range(self.words))

    def _find_places(self, names: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Where the entries of fields stand among all, int32 [n]; which of them each word holds, int32 [words, most].

        The latter is filled up with ``n``.
        """
        sizes = {name: int(np.prod(self.shapes[name], dtype=int)) for name in names}
        flat = np.concatenate([np.arange(self._begin[name], self._begin[name] + size) for name, size in sizes.items()])
        words = self._word[flat]
        parts = np.full((self.words, max(np.bincount(words))), len(flat), np.int32)
        for word in range(self.words):
            here = np.flatnonzero(words == word)
            parts[word, : len(here)] = here
        return flat, parts

    def empty(self) -> Record:
        """A game in which every field is what zero bits stand for."""
        values = {}
        for name, shape in self.shapes.items():
            field = self.fields[name]
            values[name] = xp.full(shape, field.empty, field.dtype)
        return Record(**values)


CODEC: Final = Codec(LAYOUT)
