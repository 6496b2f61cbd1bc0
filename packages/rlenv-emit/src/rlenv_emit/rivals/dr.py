"""A program played by Dr.Jit: its operations on whole batches, loops and branches recorded once, compiled through LLVM.

Dr.Jit branches lane by lane, so what any lane needs is what the lane itself needs: handlers change nothing elsewhere.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from rlenv_emit.errors import UnsupportedError
from rlenv_emit.ir import Block, If, Loop, Op, Program, Value
from rlenv_shared.errors import explain

_NAMES: Final = {"b1": "Bool", "i32": "Int", "u32": "UInt", "f32": "Float"}


class Played:
    """A program over a batch.

    Args:
        program: to be played.
        batch: environments.
    """

    def __init__(self, program: Program, batch: int) -> None:
        self._program, self._batch = program, batch
        self._dr, self._llvm = (importlib.import_module(name) for name in ("drjit", "drjit.llvm"))
        self._dr.set_thread_count(1)
        self._firsts = np.cumsum([0, *(array.size for array in program.inputs)])
        self._columns: list[Any] = []
        self._given_tables: list[Any] = []
        self._frozen = self._dr.freeze(self._recorded)
        self._tables = [self._type("i32")(table.view(np.int32)) for table in program.tables]

    def _type(self, dtype: str) -> Any:
        if dtype not in _NAMES:
            raise UnsupportedError(explain("dtype", got=dtype, expected=sorted(_NAMES), remedy="use the C++ back end"))
        return getattr(self._llvm, _NAMES[dtype])

    def taken(self, arrays: Sequence[np.ndarray]) -> list[Any]:
        """Arguments as arrays of Dr.Jit, one for each element."""
        columns = []
        for array, given in zip(arrays, self._program.inputs, strict=True):
            flat = np.asarray(array).reshape(self._batch if given.varying else 1, -1)
            columns += [self._type(given.dtype)(np.ascontiguousarray(flat[:, e])) for e in range(given.size)]
        self._dr.eval(*columns)
        return columns

    def __call__(self, columns: Sequence[Any]) -> list[Any]:
        """The elements of all results."""
        results = self._frozen(list(columns), self._tables)
        self._dr.eval(*results)
        self._dr.sync_thread()
        return results

    def _recorded(self, columns: list[Any], tables: list[Any]) -> list[Any]:
        self._columns, self._given_tables = columns, tables
        return self._block(self._program.block, {})

    def _given(self, number: int, element: int) -> Any:
        return self._columns[self._firsts[number] + element]

    def _wide(self, values: Sequence[Any], of: Sequence[Value]) -> tuple[Any, ...]:
        """As many numbers as there are environments, of each."""
        return tuple(
            self._type(one.dtype)(value) | self._dr.zeros(self._llvm.Bool, self._batch)
            if one.dtype == "b1"
            else self._type(one.dtype)(value) + self._dr.zeros(self._type(one.dtype), self._batch)
            for value, one in zip(values, of, strict=True)
        )

    def _block(self, block: Block, outer: dict[Value, Any]) -> list[Any]:
        held = self._held_after(block, outer)
        return [held[value] for value in block.results]

    def _held_after(self, block: Block, outer: dict[Value, Any]) -> dict[Value, Any]:
        held = dict(outer)
        for statement in block.statements:
            if isinstance(statement, Op):
                held[statement.out] = self._operation(statement, [held[value] for value in statement.args])
            elif isinstance(statement, If):
                held.update(zip(statement.outs, self._if(statement, held), strict=True))
            else:
                held.update(zip(statement.carry, self._loop(statement, held), strict=True))
        return held

    def _if(self, branch: If, held: dict[Value, Any]) -> tuple[Any, ...]:
        def played(block: Block) -> Callable[[], tuple[Any, ...]]:
            return lambda: self._wide(self._block(block, held), branch.outs)

        predicate = self._wide([held[branch.predicate]], [branch.predicate])[0]
        return self._dr.if_stmt((), predicate, played(branch.then), played(branch.other))

    def _loop(self, loop: Loop, held: dict[Value, Any]) -> tuple[Any, ...]:
        def carried(values: tuple[Any, ...]) -> dict[Value, Any]:
            return held | dict(zip(loop.carry, values, strict=True))

        def body(*values: Any) -> tuple[Any, ...]:  # reads what the condition computed
            return self._wide(self._block(loop.body, self._held_after(loop.condition, carried(values))), loop.carry)

        return self._dr.while_loop(
            self._wide([held[value] for value in loop.begin], loop.carry),
            lambda *values: self._block(loop.condition, carried(values))[0],
            body,
        )

    def _operation(self, op: Op, args: list[Any]) -> Any:
        dr, of = self._dr, op.args[0].dtype if op.args else ""
        out = self._type(op.out.dtype)
        match op.kind:
            case "const":
                return out(op.attr.item())
            case "input":
                return self._given(*op.attr)
            case "any":
                return args[0]
            case "add" | "sub" | "mul" | "and" | "or" | "xor" | "eq" | "ne" | "lt" | "le" | "gt" | "ge":
                return _INFIX[op.kind](*args)
            case "select":
                return dr.select(*args)
            case "not":
                return ~args[0]
            case "neg":
                return -args[0]
            case "abs" | "floor" if of == "f32":
                return getattr(dr, op.kind)(args[0])
            case "div" if of == "f32":
                return args[0] / args[1]
            case "min" | "max" if of in ("i32", "u32"):
                return getattr(dr, f"{op.kind}imum")(*args)
            case "mulhi":
                return dr.mul_hi(*args)
            case "sign" if of == "i32":
                return dr.select(args[0] > 0, out(1), args[0] >> 31)
            case "shl" | "shr" | "sar":
                return self._shifted(op.kind, out, *args)
            case "div" | "rem" if of == "i32":
                return self._divided(op.kind, out, *args)
            case "convert":
                if of == "b1":
                    return dr.select(args[0], out(1), out(0))
                return dr.reinterpret_array(out, args[0]) if of != "f32" and op.out.dtype != "f32" else out(args[0])
            case "table":
                place, number = op.attr
                if place == "constant":
                    table = self._given_tables[number]
                else:
                    size = self._program.inputs[number].size
                    table = dr.concat([self._given(number, e) for e in range(size)])
                found = dr.gather(type(table), table, self._llvm.UInt(args[0]))
                return found if type(table) is out else dr.reinterpret_array(out, found)
        raise UnsupportedError(explain("operation", got=f"{op.kind} {of}", expected="another", remedy="use C++"))

    def _shifted(self, kind: str, out: Any, a: Any, distance: Any) -> Any:
        count = self._llvm.UInt(distance)
        limited = out(count & 31)
        shifted = a << limited if kind == "shl" else a >> limited
        return self._dr.select(count < 32, shifted, a >> 31 if kind == "sar" else out(0))

    def _divided(self, kind: str, out: Any, a: Any, b: Any) -> Any:
        none, negates = b == 0, b == -1
        divisor = self._dr.select(none | negates, out(1), b)
        if kind == "rem":
            return self._dr.select(none, a, a % divisor)
        return self._dr.select(none, out(-1), self._dr.select(negates, -a, a // divisor))


_INFIX: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
}  # fmt: skip
