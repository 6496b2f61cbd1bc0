"""A program run statement by statement on NumPy arrays of one group of lanes: slow, without a compiler, and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from rlenv_emit.errors import UnsupportedError
from rlenv_emit.ir import NUMPY, Block, If, Op, Program, Value
from rlenv_shared.errors import explain


def _divided(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Towards zero; nothing asks for what a division by zero gives."""
    wide_a, wide_b = a.astype(np.int64), np.where(b == 0, 1, b).astype(np.int64)
    return (np.sign(wide_a) * np.sign(wide_b) * (abs(wide_a) // abs(wide_b))).astype(a.dtype)


def _leading_zeros(a: np.ndarray) -> np.ndarray:
    width, wide = 8 * a.dtype.itemsize, a.astype(np.uint64)
    digits = sum(((wide >> np.uint64(bit)) != 0).astype(np.int64) for bit in range(width))
    return (width - digits).astype(a.dtype)


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "min": np.minimum, "max": np.maximum,
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "not": np.invert, "neg": np.negative,
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "shl": np.left_shift, "shr": np.right_shift, "sar": np.right_shift, "select": np.where, "abs": np.abs,
    "sign": np.sign, "div": _divided, "rem": lambda a, b: a - _divided(a, b) * b, "clz": _leading_zeros,
    "popcount": lambda a: np.bitwise_count(a).astype(a.dtype),
    "mulhi": lambda a, b: ((a.astype(np.uint64) * b.astype(np.uint64)) >> np.uint64(32)).astype(np.uint32),
}  # fmt: skip
"""Of integers and flags; floats are added, multiplied and compared, with NumPy's bits."""


class Interpreter:
    """Runs a program.

    Args:
        program: as the front made it.
        lanes: of the group that takes branches together.

    Attributes:
        runs: how often each block ran, by its ``id``, in all calls together.

    Raises:
        UnsupportedError: an operation is not among those above.
    """

    def __init__(self, program: Program, lanes: int = 16) -> None:
        self.program, self.lanes = program, lanes
        self.runs: Counter[int] = Counter()
        self._prepared: dict[int, list[Any]] = {}

    def __call__(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The results, each ``[lanes, *shape]``, of arguments that are so too where every lane has its own."""
        self._held: dict[Value, Any] = {}
        self._arrays = [
            np.asarray(array).reshape(self.lanes if given.varying else 1, -1)
            for array, given in zip(arrays, self.program.inputs, strict=True)
        ]
        with np.errstate(all="ignore"):
            values = iter(self._block(self.program.block))
            return [
                np.stack([np.broadcast_to(next(values), (self.lanes,)) for _ in range(array.size)], -1).reshape(
                    (self.lanes, *array.shape)
                )
                for array in self.program.outputs
            ]

    def _block(self, block: Block) -> list[Any]:
        self.runs[id(block)] += 1
        prepared = self._prepared.get(id(block))
        if prepared is None:
            prepared = self._prepared[id(block)] = [
                (self._function(one), one.args, one.out) if isinstance(one, Op) else (None, one, None)
                for one in block.statements
            ]
        held = self._held
        for function, what, out in prepared:
            if function is not None:
                held[out] = function(*[held[value] for value in what])
            elif isinstance(what, If):
                chosen = what.then if held[what.predicate] else what.other
                held.update(zip(what.outs, self._block(chosen), strict=True))
            else:
                held.update(zip(what.carry, [held[value] for value in what.begin], strict=True))
                while self._block(what.condition)[0]:
                    held.update(zip(what.carry, self._block(what.body), strict=True))
        return [held[value] for value in block.results]

    def _function(self, op: Op) -> Callable[..., Any]:
        dtype = NUMPY[op.out.dtype]
        if op.kind == "const":
            return lambda: op.attr
        if op.kind == "input":
            number, element = op.attr
            return lambda: self._arrays[number][:, element] if not op.out.uniform else self._arrays[number][0, element]
        if op.kind == "table":
            place, number = op.attr
            if place == "constant":
                return lambda index: self.program.tables[number][index]
            return lambda index: self._arrays[number][0][index]
        if op.kind == "any":
            return lambda flags: bool(np.any(flags))
        if op.kind == "convert":
            return lambda a: a.astype(dtype)
        if op.kind == "bitcast":
            return lambda a: a.view(dtype)
        if op.kind not in FUNCTIONS:
            remedy = "compile the program instead"
            raise UnsupportedError(explain("operation", got=op.kind, expected=sorted(FUNCTIONS), remedy=remedy))
        return FUNCTIONS[op.kind]
