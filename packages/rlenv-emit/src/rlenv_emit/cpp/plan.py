"""Cuts a program into C++ functions of limited size, since compilers are superlinear in the size of one.

What one function computes and another one reads lies in a *frame*; places in it are used again when they are free.
"""

from __future__ import annotations

import dataclasses
import heapq
from collections import Counter
from collections.abc import Iterator
from typing import Final

from rlenv_emit.cpp.sharing import Sharing
from rlenv_emit.ir import Block, If, Loop, Op, Program, Value, blocks, defines, size

MOST_STATEMENTS: Final = 1500
"""Of one function."""
OWN_FUNCTION: Final = 100
"""Statements from which a branch's block is a function of its own."""
REPEATED: Final = frozenset({"const", "input"})
"""Kinds that every function computes for itself."""


@dataclasses.dataclass(eq=False)
class Part:
    """Statements that go into one function; their results, where the part is the end of a block."""

    number: int
    statements: list[Op | If | Loop]


class Plan:
    """Which statement is in which function, and what lies where in the frame.

    Args:
        program: to be cut.
        most: statements of one function.
        own: statements from which a branch's block is a function of its own; `OWN_FUNCTION` when None.
        stores: places of the results from which on a value is stored by functions of its own; never when None.

    Attributes:
        apart: values that are stored by functions of their own.
        parts: by block: its parts, if it is cut; otherwise it is printed where it stands.
        places: by value that lies in the frame: its place among those of its C++ type.
        frame: places by dtype and uniformity.
    """

    def __init__(
        self,
        program: Program,
        most: int = MOST_STATEMENTS,
        own: int | None = None,
        stores: int | None = MOST_STATEMENTS,
    ) -> None:
        self.parts: dict[int, list[Part]] = {}
        self.places: dict[Value, int] = {}
        self.frame: dict[tuple[str, bool], int] = {}
        self._most, self._own = most, OWN_FUNCTION if own is None else own
        self._functions = 0
        self._home: dict[Value, int] = {}
        self._shared: set[Value] = set()
        self._repeated: set[Value] = set()
        self._position = 0
        self._begin: dict[Value, int] = {}
        self._end: dict[Value, int] = {}
        self._assign(program.block, 0, whole=True)
        self._follow(program.block, 0)
        for value in program.block.results:
            self._use(value, 0)
        places = Counter(program.block.results)
        self.apart = {value for value, n in places.items() if stores is not None and n > stores} - self._repeated
        self._shared |= self.apart
        self._sharing = Sharing(program.block, self._shared)
        self._place()

    def _assign(self, block: Block, function: int, whole: bool = False) -> None:
        """Decide the cuts."""
        if size(block) <= (self._most if whole else self._own):
            for statement in block.statements:
                for inner in blocks(statement):
                    self._assign(inner, function)
            return
        parts: list[Part] = []
        room = 0
        for statement in block.statements:
            weight = 1 + sum(n for n in (size(inner) for inner in blocks(statement)) if n <= self._own)
            if room < weight:
                self._functions += 1
                parts.append(Part(self._functions, []))
                room = self._most
            room -= weight
            parts[-1].statements.append(statement)
            for inner in blocks(statement):
                self._assign(inner, parts[-1].number)
        self.parts[id(block)] = parts

    def cut(self, block: Block) -> list[Part] | None:
        """The functions that a block is cut into."""
        return self.parts.get(id(block))

    def same_place(self, one: Value, other: Value) -> bool:
        """Whether two values lie in the same place of the frame."""
        if one not in self.places or other not in self.places:
            return False
        return self._sharing.first(one) is self._sharing.first(other)

    def _pieces(self, block: Block, function: int) -> Iterator[tuple[int, Op | If | Loop]]:
        parts = self.cut(block)
        if parts is None:
            yield from ((function, statement) for statement in block.statements)
        else:
            yield from ((part.number, statement) for part in parts for statement in part.statements)

    def _follow(self, block: Block, function: int) -> None:
        """Note where every value begins, ends, and which functions read it."""
        for here, statement in self._pieces(block, function):
            self._position += 1
            if isinstance(statement, Op):
                if statement.kind in REPEATED:
                    self._repeated.add(statement.out)
                for value in statement.args:
                    self._use(value, here)
                self._define(statement.out, here)
                continue
            if any(self.cut(inner) for inner in blocks(statement)):  # what other functions give lies in the frame
                self._shared.update(defines(statement))
            if isinstance(statement, If):
                self._use(statement.predicate, here)
                for value in statement.outs:
                    self._define(value, here)
                for inner in blocks(statement):
                    self._follow(inner, here)
                    for value in inner.results:
                        self._use(value, here)
            else:
                self._loop(statement, here)

    def _loop(self, loop: Loop, here: int) -> None:
        for value in loop.begin:
            self._use(value, here)
        for value in loop.carry:
            self._define(value, here)
        begin = self._position
        for inner in blocks(loop):
            self._follow(inner, here)
            for value in inner.results:
                self._use(value, here)
        self._position += 1
        for value, end in self._end.items():  # what a pass reads, the next pass reads too
            if end > begin and self._begin.get(value, 0) <= begin:
                self._end[value] = self._position
        for value in loop.carry:
            self._end[value] = self._position

    def _define(self, value: Value, function: int) -> None:
        self._home[value] = function
        self._begin[value] = self._end[value] = self._position

    def _use(self, value: Value, function: int) -> None:
        if value in self._repeated:
            return
        self._end[value] = max(self._position, self._end[value])
        if self._home[value] != function:
            self._shared.add(value)

    def _place(self) -> None:
        begins: dict[Value, int] = {}
        ends: dict[Value, int] = {}
        for value in self._shared:
            first = self._sharing.first(value)
            begins[first] = min(self._begin[value], begins.get(first, self._begin[value]))
            ends[first] = max(self._end[value], ends.get(first, 0))
        free: dict[tuple[str, bool], list[int]] = {}
        ending: list[tuple[int, int, Value]] = []  # a heap; those that end first come first
        for value in sorted(begins, key=lambda value: (begins[value], value.id)):
            while ending and ending[0][0] < begins[value]:
                other = heapq.heappop(ending)[2]
                free.setdefault((other.dtype, other.uniform), []).append(self.places[other])
            kind = value.dtype, value.uniform
            if free.get(kind):
                self.places[value] = free[kind].pop()
            else:
                self.places[value] = self.frame.get(kind, 0)
                self.frame[kind] = self.places[value] + 1
            heapq.heappush(ending, (ends[value], value.id, value))
        for value in self._shared:
            self.places[value] = self.places[self._sharing.first(value)]
