"""What a program becomes: instructions over rows of words, one word for each environment of a group."""

from __future__ import annotations

import dataclasses
from typing import Any, Final, NamedTuple

import numpy as np

from rlenv_emit.ir import NUMPY, Array

JUMP, BRANCH = 0, 1
"""The first two operations: go to the line in the second operand; the same where the first environment's word is 0."""
OPERANDS: Final = 6
FIELDS: Final = 2 + OPERANDS
"""Of an instruction: operation, row of the result, and operands, which are rows or words known beforehand."""
ROW, WORD = "row", "word"
"""What an operand can be, besides a formula of its own."""


class Formula(NamedTuple):
    """An operation, and the operations that its operands come from.

    Attributes:
        kind: as in `rlenv_emit.ir`, or ``move``.
        dtypes: of the operands; ``word`` takes the bits as they are.
        operands: each `ROW`, `WORD` or a formula.
        out: dtype of a conversion's result.
        table: of a read: ``constant`` or ``argument``, and its number.
    """

    kind: str
    dtypes: tuple[str, ...]
    operands: tuple[Any, ...]
    out: str = ""
    table: tuple[str, int] | None = None

    def width(self) -> int:
        """Operands that an instruction has to hold."""
        return sum(one.width() if isinstance(one, Formula) else 1 for one in self.operands)

    def tables(self) -> set[tuple[str, int]]:
        """Those that are read."""
        inner = [one.tables() for one in self.operands if isinstance(one, Formula)]
        return set().union(*inner, {self.table} if self.table else set())


@dataclasses.dataclass(frozen=True)
class Code:
    """A whole function.

    Attributes:
        operations: what the first field of an instruction means, after `JUMP` and `BRANCH`.
        instructions: integers ``[lines, FIELDS]`` of the width of a word.
        rows: how many there are; what has no result is written to the last.
        inputs: of each argument, the rows of its elements; -1 for those that nobody reads.
        results: rows of the elements of all results, in order.
        arrays: arguments and results, of one environment.
        tables: constants that are read by index.
    """

    operations: tuple[Formula, ...]
    instructions: np.ndarray
    rows: int
    inputs: tuple[np.ndarray, ...]
    results: np.ndarray
    arrays: tuple[tuple[Array, ...], tuple[Array, ...]]
    tables: tuple[np.ndarray, ...]


def word_dtype(dtypes: set[str]) -> np.dtype:
    """int32, or int64 where one of the dtypes is as wide."""
    return np.dtype(np.int64 if any(NUMPY[dtype].itemsize == 8 for dtype in dtypes) else np.int32)


def word_of(number: np.generic, word: np.dtype) -> int:
    """A constant as a word: integers and flags by their values, floats by their bits."""
    if number.dtype.kind == "f" or number.dtype.itemsize == word.itemsize:
        return int(np.asarray(number).view(f"i{number.dtype.itemsize}"))
    return int(number)
