"""From packed words to arrays by name and back, each in a handful of array operations."""

from __future__ import annotations

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
        return self._words(game, list(self.shapes))

    def repack(self, words: tuple[Any, ...], before: Record, after: Record) -> tuple[Any, ...]:
        """The words of a game that was unpacked from some: they keep the fields that are the same arrays as before."""
        changed = [name for name in self.shapes if getattr(after, name) is not getattr(before, name)]
        if not changed:
            return words
        cleared = np.zeros((self.words,), np.uint32)
        for name in changed:
            places = slice(*self._range(name))
            np.bitwise_or.at(cleared, self._word[places], self._mask[places] << self._shift[places])
        found = self._words(after, changed)
        return tuple((old & ~mask) | new if mask else old for old, new, mask in zip(words, found, cleared, strict=True))

    def _words(self, game: Record, names: list[str]) -> tuple[Any, ...]:
        """The words with these fields alone."""
        flat = [place for name in names for place in range(*self._range(name))]
        wide = [place for place in flat if place < self._numbers]
        parts = [getattr(game, name).reshape(-1) for name in names]
        numbers = [part.astype(xp.uint32) for part in parts if part.dtype != np.bool_]
        flags = [part for part in parts if part.dtype == np.bool_]
        codes = []
        if numbers:
            joined = xp.concatenate(numbers)
            codes.append(((joined - self._empty[wide]) & self._mask[wide]) << self._shift[wide])
        if flags:
            narrow = [place for place in flat if place >= self._numbers]
            bits = self._mask[narrow] << self._shift[narrow]
            codes.append(xp.where(xp.concatenate(flags), bits, np.uint32(0)))
        padded = xp.concatenate([*codes, xp.zeros((1,), xp.uint32)])
        parts_of = self._parts_of(flat)
        words = xp.sum(padded[parts_of], axis=1, dtype=xp.uint32)
        return tuple(words[i] for i in range(self.words))

    def _range(self, name: str) -> tuple[int, int]:
        """Where a field's entries stand among all."""
        return self._begin[name], self._begin[name] + int(np.prod(self.shapes[name], dtype=int))

    def _parts_of(self, flat: list[int]) -> np.ndarray:
        """Which of these entries each word holds, int32 [words, most]; filled up with the number behind the last."""
        words = self._word[flat]
        parts = np.full((self.words, max(np.bincount(words))), len(flat), np.int32)
        for word in range(self.words):
            here = np.flatnonzero(words == word)
            parts[word, : len(here)] = here
        return parts

    def empty(self) -> Record:
        """A game in which every field is what zero bits stand for."""
        values = {}
        for name, shape in self.shapes.items():
            field = self.fields[name]
            values[name] = xp.full(shape, field.empty, field.dtype)
        return Record(**values)


CODEC: Final = Codec(LAYOUT)
