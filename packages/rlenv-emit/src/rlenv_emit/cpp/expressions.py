"""One operation as a C++ expression, of one lane's scalars or of all lanes' vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from rlenv_emit.ir import COMPARISONS, NUMPY, Op, Value

INFIX: Final = {
    "add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^",
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
}  # fmt: skip
SHIFTS: Final = {"shl": "<<", "shr": ">>", "sar": ">>"}


def literal(number: Any) -> str:
    """A NumPy scalar as C++ text, exact to the bit."""
    dtype = number.dtype
    if dtype == np.bool_:
        return "true" if number else "false"
    if dtype.kind == "f":
        bits = int(number.view(f"u{dtype.itemsize}"))
        if not np.isfinite(number):
            kind, whole = ("f32", "u32") if dtype.itemsize == 4 else ("f64", "u64")
            return f"s_bitcast<s_{kind}, s_{whole}>({bits:#x})"
        return f"{float(number).hex()}{'f' if dtype.itemsize == 4 else ''}"
    if dtype == np.int64 and number == np.iinfo(np.int64).min:
        return "INT64_MIN"
    suffix = ("u" if dtype.kind == "u" else "") + ("l" if dtype.itemsize == 8 else "")
    return f"({int(number)}{suffix})" if number < 0 else f"{int(number)}{suffix}"


IN_REGISTERS = ("i32", "u32", "f32")
FEW = 128
"""Entries of a table of these dtypes that are looked up in registers, where a processor can."""


class Printer:
    """Prints operations; asks for the name of every value that they read, and how long a table is."""

    def __init__(
        self, name: Callable[[Value], str], constant: Callable[[Value], Any], entries: Callable[[Op], int]
    ) -> None:
        self._name, self._constant, self._entries = name, constant, entries

    def ctype(self, value: Value) -> str:
        """The C++ type of a value."""
        return f"{'s' if value.uniform else 'v'}_{value.dtype}"

    def read(self, value: Value, vector: bool) -> str:
        """A value as an operand of a vector or a scalar operation."""
        text = self._name(value)
        return f"v_splat_{value.dtype}({text})" if vector and value.uniform else text

    def expression(self, op: Op) -> str:
        """The right-hand side of an operation's definition."""
        if op.kind == "any":
            return f"v_any({self._name(op.args[0])})"
        if op.out.uniform:
            return self._scalar(op)
        return self._vector(op)

    def _distance(self, op: Op) -> str | None:
        """The text of a known shift distance within the width."""
        known = self._constant(op.args[1])
        if known is None or not 0 <= int(known) < 8 * NUMPY[op.args[0].dtype].itemsize:
            return None
        return str(int(known))

    def _scalar(self, op: Op) -> str:
        names, of, out = (
            [self._name(arg) for arg in op.args],
            [f"s_{arg.dtype}" for arg in op.args],
            f"s_{op.out.dtype}",
        )
        kind = op.kind
        if kind in INFIX:
            if op.out.dtype[0] in "iu" and kind in ("add", "sub", "mul"):  # as unsigned: signed ones must not overflow
                a, b = (f"(bits_t<{out}>){name}" for name in names)
                return f"({out})(1u * {a} {INFIX[kind]} {b})"  # 1u: narrow ones would be promoted to int
            return f"({out})({names[0]} {INFIX[kind]} {names[1]})"
        match kind:
            case "select":
                return f"s_select<{out}>({', '.join(names)})"
            case "not":
                return f"!{names[0]}" if out == "s_b1" else f"({out})~{names[0]}"
            case "convert" | "bitcast":
                return f"s_{kind}<{out}, {of[0]}>({names[0]})"
            case "table":
                return f"s_table<{out}>({self._table(op)}, {names[0]})"
        return f"s_{kind}<{of[0]}>({', '.join(names)})"

    @staticmethod
    def _table(op: Op) -> str:
        place, number = op.attr
        return f"table{number}" if place == "constant" else f"c->in[{number}]"

    def _vector(self, op: Op) -> str:
        args, kind, dtype = op.args, op.kind, op.out.dtype
        if kind == "select":
            if args[0].uniform:
                return f"{self._name(args[0])} ? {self.read(args[1], True)} : {self.read(args[2], True)}"
            return f"v_select_{dtype}({self._names(args)})"
        if kind in COMPARISONS and args[0].dtype != "b1":
            return f"v_{kind}_{args[0].dtype}({self._names(args)})"
        if kind in INFIX:
            sign = {"eq": "^ ~", "ne": "^"}.get(kind, INFIX[kind])  # of two flags
            return f"(v_{dtype})({self.read(args[0], True)} {sign}{self.read(args[1], True)})"
        if kind in SHIFTS and (distance := self._distance(op)) is not None:
            bits = f"({'z' if kind == 'sar' else 'w'}_{dtype}){self.read(args[0], True)}"
            return f"(v_{dtype})({bits} {SHIFTS[kind]} {distance})"
        if (kind == "div" and dtype == "f32") or (dtype == "f64" and kind == "div"):
            return f"{self.read(args[0], True)} / {self.read(args[1], True)}"
        if kind in ("div", "rem") and dtype[0] != "f":
            known = self._constant(args[1])
            if known is not None and int(known) not in (0, -1):
                if kind == "div" and dtype[0] == "i":
                    return f"v_quotient_{dtype}({self.read(args[0], True)}, {self._name(args[1])})"
                return f"{self.read(args[0], True)} {'/' if kind == 'div' else '%'} {self._name(args[1])}"
        match kind:
            case "not":
                return f"(v_{dtype})~{self._name(args[0])}"
            case "neg":
                return f"-{self._name(args[0])}"
            case "convert" | "bitcast":
                return f"v_{kind}_{dtype}_{args[0].dtype}({self.read(args[0], True)})"
            case "table":
                entries = self._entries(op)
                few = f"few_{dtype}<{entries}>" if dtype in IN_REGISTERS and entries <= FEW else f"table_{dtype}"
                return f"v_{few}({self._table(op)}, {self._name(args[0])})"
        return f"v_{kind}_{args[0].dtype}({self._names(args)})"

    def _names(self, args: Sequence[Value]) -> str:
        return ", ".join(self.read(arg, True) for arg in args)
