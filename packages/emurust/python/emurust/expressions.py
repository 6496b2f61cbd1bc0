"""Rewards and ends of episodes as expressions over memory, compiled once and evaluated for all consoles in one call.

>>> from emurust.expressions import u8, maximum
>>> score, lives = u8(0xC0A1), u8(0xC0A2)
>>> reward = (score - score.before()) - 5 * (lives < lives.before())
>>> reward
((now[0xc0a1] - before[0xc0a1]) - (5 * (now[0xc0a2] < before[0xc0a2])))

`before` is the value at the evaluation before: after the last step, or after the reset.  Numbers are floats;
comparisons give 0 or 1; ``& | ^ >>`` and `count_ones` work on their integer parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emurust.errors import InvalidArgumentError
from rlenv_shared.errors import explain

ANY_BANK: Final = -1


class Cell(NamedTuple):
    """A byte of memory: `address`, and a `bank` where the address alone does not name one."""

    address: int
    bank: int = ANY_BANK


NO_CELL: Final = Cell(0)
Number = int | float
Instruction = tuple[str, float]

SYMBOLS: Final = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "and": "&",
    "or": "|",
    "xor": "^",
    "shift_right": ">>",
    "equal": "==",
    "less": "<",
    "less_equal": "<=",
    "minimum": "min",
    "maximum": "max",
}


@dataclass(frozen=True, eq=False)
class Expression:
    """A value computed from memory; combine with ``+ - * & | ^ >> == < <= > >=``, `minimum`, `maximum`, `count_ones`.

    Attributes:
        name: of the instruction.
        parts: operands.
        cell: what `now` and `before` read.
        value: of a `constant`.
    """

    name: str
    parts: tuple[Expression, ...] = ()
    cell: Cell = NO_CELL
    value: float = 0.0

    def before(self) -> Expression:
        """This expression over the memory of the evaluation before."""
        name = "before" if self.name == "now" else self.name
        return Expression(name, tuple(part.before() for part in self.parts), self.cell, self.value)

    def delta(self) -> Expression:
        """Change since the evaluation before."""
        return self - self.before()

    def __add__(self, other: Expression | Number) -> Expression:
        return _combine("add", self, other)

    def __radd__(self, other: Number) -> Expression:
        return _combine("add", other, self)

    def __sub__(self, other: Expression | Number) -> Expression:
        return _combine("subtract", self, other)

    def __rsub__(self, other: Number) -> Expression:
        return _combine("subtract", other, self)

    def __mul__(self, other: Expression | Number) -> Expression:
        return _combine("multiply", self, other)

    def __rmul__(self, other: Number) -> Expression:
        return _combine("multiply", other, self)

    def __and__(self, other: Expression | Number) -> Expression:
        return _combine("and", self, other)

    def __or__(self, other: Expression | Number) -> Expression:
        return _combine("or", self, other)

    def __xor__(self, other: Expression | Number) -> Expression:
        return _combine("xor", self, other)

    def __rshift__(self, other: Expression | Number) -> Expression:
        return _combine("shift_right", self, other)

    def __lt__(self, other: Expression | Number) -> Expression:
        return _combine("less", self, other)

    def __le__(self, other: Expression | Number) -> Expression:
        return _combine("less_equal", self, other)

    def __gt__(self, other: Expression | Number) -> Expression:
        return _combine("less", other, self)

    def __ge__(self, other: Expression | Number) -> Expression:
        return _combine("less_equal", other, self)

    def equals(self, other: Expression | Number) -> Expression:
        """1 where both are equal, else 0."""
        return _combine("equal", self, other)

    def __repr__(self) -> str:
        if self.name == "constant":
            return f"{self.value:g}"
        if self.name in ("now", "before"):
            bank = "" if self.cell.bank == ANY_BANK else f"{self.cell.bank}:"
            return f"{self.name}[{bank}{self.cell.address:#x}]"
        if len(self.parts) == 1:
            return f"{self.name}({self.parts[0]!r})"
        return f"({self.parts[0]!r} {SYMBOLS[self.name]} {self.parts[1]!r})"

    def cells(self) -> list[Cell]:
        """The cells it reads, each once, in order of appearance."""
        found = [self.cell] if self.name in ("now", "before") else []
        for part in self.parts:
            found += part.cells()
        return list(dict.fromkeys(found))

    def program(self, cells: Sequence[Cell]) -> list[Instruction]:
        """Instructions for a stack machine that knows cells by their index."""
        if self.name == "constant":
            return [("constant", self.value)]
        if self.name in ("now", "before"):
            return [(self.name, float(cells.index(self.cell)))]
        return [step for part in self.parts for step in part.program(cells)] + [(self.name, 0.0)]

    def evaluate(self, cells: Sequence[Cell], now: NDArray[np.uint8], before: NDArray[np.uint8]) -> NDArray[np.float64]:
        """The same value in NumPy, for consoles that are not ours; float64 `(n,)`.

        Args:
            cells: what the columns of the arrays are.
            now: bytes `(n, len(cells))`.
            before: bytes of the evaluation before.
        """
        if self.name == "constant":
            return np.full(len(now), self.value)
        if self.name in ("now", "before"):
            column = cells.index(self.cell)
            return (now if self.name == "now" else before)[:, column].astype(np.float64)
        return _NUMPY[self.name](*(part.evaluate(cells, now, before) for part in self.parts))


def _integers(call: np.ufunc) -> Callable[..., NDArray[np.float64]]:
    return lambda *parts: call(*(part.astype(np.int64) for part in parts)).astype(np.float64)


_NUMPY: Final[dict[str, Callable[..., Any]]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "and": _integers(np.bitwise_and),
    "or": _integers(np.bitwise_or),
    "xor": _integers(np.bitwise_xor),
    "shift_right": _integers(np.right_shift),
    "count_ones": _integers(np.bitwise_count),
    "equal": lambda a, b: (a == b).astype(np.float64),
    "less": lambda a, b: (a < b).astype(np.float64),
    "less_equal": lambda a, b: (a <= b).astype(np.float64),
    "minimum": np.minimum,
    "maximum": np.maximum,
}


def _combine(name: str, left: Expression | Number, right: Expression | Number) -> Expression:
    return Expression(name, (constant(left), constant(right)))


def constant(value: Expression | Number) -> Expression:
    """A number as an expression; expressions are returned as they are."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        remedy = "use numbers and expressions of emurust.expressions"
        raise InvalidArgumentError(explain("operand", got=repr(value), expected="a number", remedy=remedy))
    return Expression("constant", value=float(value))


def u8(address: int, bank: int = ANY_BANK) -> Expression:
    """The byte at an address (of a bank where the address alone does not name one)."""
    check_address(address)
    return Expression("now", cell=Cell(address, bank))


def u16(address: int, bank: int = ANY_BANK) -> Expression:
    """Two bytes, low byte first."""
    return u8(address, bank) + 256 * u8(address + 1, bank)


def bcd(address: int, count: int = 1, bank: int = ANY_BANK) -> Expression:
    """``count`` bytes of two decimal digits each, highest first, as many games keep scores and money."""
    value = constant(0)
    for offset in range(count):
        byte = u8(address + offset, bank)
        value = 100 * value + 10 * (byte >> 4) + (byte & 15)
    return value


def count_ones(value: Expression) -> Expression:
    """Number of set bits."""
    return Expression("count_ones", (value,))


def flags(start: int, stop: int, bank: int = ANY_BANK) -> Expression:
    """Number of set bits in the bytes from ``start`` up to, not including, ``stop``: the progress of many games."""
    return total(count_ones(u8(address, bank)) for address in range(start, stop))


def total(values: Iterable[Expression]) -> Expression:
    """Sum of expressions."""
    result = None
    for value in values:
        result = value if result is None else result + value
    return constant(0) if result is None else result


def minimum(left: Expression | Number, right: Expression | Number) -> Expression:
    """The smaller one."""
    return _combine("minimum", left, right)


def maximum(left: Expression | Number, right: Expression | Number) -> Expression:
    """The larger one."""
    return _combine("maximum", left, right)


def check_address(address: int) -> None:
    """Refuses what is no address.

    Raises:
        InvalidArgumentError: not an integer from 0 to FFFF.
    """
    if not isinstance(address, int | np.integer) or not 0 <= address <= 0xFFFF:
        raise InvalidArgumentError(
            explain("address", got=address, expected="an integer from 0 to 0xffff", remedy="correct it")
        )
