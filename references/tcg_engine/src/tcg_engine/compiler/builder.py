"""The tables being built: names, filters, programs and modifiers, each stored once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from typing import TypeVar

from tcg_engine.cards import Filter
from tcg_engine.codes import Modifier, Op, Row

T = TypeVar("T")


class UnknownTextError(ValueError):
    """A text that the grammar does not cover."""


class Tables:
    """Interned records; number 0 of programs is empty and number 1 is the bare damage step."""

    def __init__(self, card_names: Sequence[str]) -> None:
        self.card_names = sorted(set(card_names), key=lambda name: (-len(name), name))
        self.names: list[str] = [""]
        self.filters: list[Filter] = [Filter()]
        self.programs: list[tuple[Row, ...]] = [(), (Row(Op.HIT),)]
        self.modifiers: list[Modifier] = [Modifier(0)]

    def name(self, text: str) -> int:
        """The id of a card's, attack's or Tool's name."""
        return self._number(self.names, text)

    def filter(self, **parts: int | tuple[int, ...]) -> int:
        """The number of a filter."""
        return self._number(self.filters, Filter(**parts))  # type: ignore[arg-type]

    def program(self, rows: Sequence[Row]) -> int:
        """The number of a program."""
        return self._number(self.programs, tuple(Row(*map(int, row)) for row in rows))

    def modifier(self, modifier: Modifier) -> int:
        """The number of a modifier."""
        return self._number(self.modifiers, Modifier(*map(int, modifier)))

    def filter_rows(self) -> list[list[object]]:
        """The filters as lists."""
        return [[list(v) if isinstance(v, tuple) else v for v in astuple(item)] for item in self.filters]

    @staticmethod
    def _number(items: list[T], item: T) -> int:
        if item not in items:
            items.append(item)
        return items.index(item)
