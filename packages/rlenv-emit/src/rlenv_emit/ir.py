"""The program between JAX and a back end: scalar operations of one lane, in blocks with structured control flow.

Every value is one number of one lane.  It is *uniform* if all lanes of a group have the same: constants, parameters,
counters, and whether any lane needs something; only uniform values decide branches and loops.

| kind                                        | meaning (bit for bit that of the XLA operation of the same name)    |
|---------------------------------------------|---------------------------------------------------------------------|
| const                                       | attr is a NumPy scalar                                              |
| input, table                                | attr is (argument, element); entry args[0] of table attr, in range  |
| add sub mul div rem min max, and or xor     | of two values of one dtype                                          |
| shl shr sar                                 | shifts; a distance of the width or more leaves zeros (or the sign)  |
| eq ne lt le gt ge                           | b1; ordered, but ne is true of NaN                                  |
| neg abs sign not clz popcount sqrt sin ...  | of one value                                                        |
| fma                                         | args[0] * args[1] + args[2], rounded once                           |
| select                                      | args[1] where args[0] else args[2]                                  |
| convert, bitcast                            | to the dtype of the value                                           |
| any                                         | uniform b1: whether args[0] is true in any lane that is at work     |
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

DTYPES: Final = {
    "bool": "b1",
    **{f"{'u' * unsigned}int{n}": f"{'iu'[unsigned]}{n}" for n in (8, 16, 32, 64) for unsigned in (0, 1)},
    "float32": "f32",
    "float64": "f64",
}
"""NumPy's names of the dtypes there are, and ours."""
NUMPY: Final = {ours: np.dtype(name) for name, ours in DTYPES.items()}
COMPARISONS: Final = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})
COMMUTATIVE: Final = frozenset({"add", "mul", "and", "or", "xor", "eq", "ne"})


class Value:
    """One number of a lane; compared by identity."""

    __slots__ = ("dtype", "id", "uniform")

    def __init__(self, id: int, dtype: str, uniform: bool) -> None:
        self.id, self.dtype, self.uniform = id, dtype, uniform

    def __repr__(self) -> str:
        return f"%{self.id}:{self.dtype}{'' if self.uniform else '*'}"


@dataclasses.dataclass(slots=True, eq=False)
class Op:
    """One operation."""

    kind: str
    args: tuple[Value, ...]
    out: Value
    attr: Any = None


@dataclasses.dataclass(slots=True, eq=False)
class If:
    """A branch that all lanes take or none; ``outs`` get the results of the block that ran."""

    predicate: Value
    then: Block
    other: Block
    outs: tuple[Value, ...]


@dataclasses.dataclass(slots=True, eq=False)
class Loop:
    """While ``condition`` (whose one result is uniform) holds, ``carry`` becomes the results of ``body``."""

    begin: tuple[Value, ...]
    carry: tuple[Value, ...]  # what condition and body read; afterwards the result
    condition: Block
    body: Block


@dataclasses.dataclass(slots=True, eq=False)
class Block:
    """Statements in order, and the values that they yield."""

    statements: list[Op | If | Loop] = dataclasses.field(default_factory=list)
    results: tuple[Value, ...] = ()


@dataclasses.dataclass(frozen=True)
class Array:
    """An argument or result: whether each lane has its own, the shape of one lane's, and the dtype."""

    varying: bool
    shape: tuple[int, ...]
    dtype: str

    @property
    def size(self) -> int:
        """Elements of one lane."""
        return int(np.prod(self.shape, dtype=np.int64))


@dataclasses.dataclass
class Program:
    """A whole function.

    Attributes:
        inputs: arguments.
        outputs: results.
        tables: constants read by index: flat arrays.
        block: its results are the elements of all outputs, in order.
        origins: where operations come from, a `front.lines.Source` or words.
    """

    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]
    tables: list[np.ndarray]
    block: Block
    origins: dict[Value, object] = dataclasses.field(default_factory=dict, repr=False)


def blocks(statement: Op | If | Loop) -> tuple[Block, ...]:
    """Those inside a statement."""
    if isinstance(statement, If):
        return statement.then, statement.other
    if isinstance(statement, Loop):
        return statement.condition, statement.body
    return ()


def uses(statement: Op | If | Loop) -> tuple[Value, ...]:
    """Values that a statement reads itself, besides what is read in its blocks."""
    if isinstance(statement, Op):
        return statement.args
    if isinstance(statement, If):
        return (statement.predicate, *statement.then.results, *statement.other.results)
    return (*statement.begin, *statement.condition.results, *statement.body.results)


def defines(statement: Op | If | Loop) -> tuple[Value, ...]:
    """Values that a statement gives."""
    if isinstance(statement, Op):
        return (statement.out,)
    return statement.outs if isinstance(statement, If) else statement.carry


def walk(block: Block) -> Iterator[Op | If | Loop]:
    """Every statement, those of inner blocks after the statement that holds them."""
    open_blocks = [iter(block.statements)]  # the innermost last
    while open_blocks:
        for statement in open_blocks[-1]:
            yield statement
            if type(statement) is not Op:
                open_blocks += [iter(inner.statements) for inner in reversed(blocks(statement))]
                break
        else:
            open_blocks.pop()


def size(block: Block) -> int:
    """Number of statements, inner ones included."""
    return sum(1 for _ in walk(block))
