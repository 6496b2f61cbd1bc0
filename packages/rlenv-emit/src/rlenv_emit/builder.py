"""Makes the statements of a program: equal operations are computed once, and what is known beforehand not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from rlenv_emit.ir import COMMUTATIVE, COMPARISONS, NUMPY, Block, Op, Value

_BITWISE = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
_COMPARE = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
_OPPOSITE = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}
_WRAPPING = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "min": np.minimum, "max": np.maximum}


class Builder:
    """Appends to the innermost open block."""

    def __init__(self) -> None:
        self.block = Block()
        self._known: list[dict[Any, Value]] = [{}]  # one for each open block
        self._constants: dict[Value, Any] = {}  # NumPy scalars
        self._flags: dict[Value, Value] = {}  # numbers that are a converted b1
        self._made: dict[Value, tuple[str, tuple[Value, ...]]] = {}  # of each operation's result: kind and arguments
        self._count = 0
        self.source: object = ""  # where the operations that are made come from
        self.origins: dict[Value, object] = {}

    @contextmanager
    def inner(self) -> Iterator[Block]:
        """Open a block inside the present one; its statements are known in it only."""
        outer, self.block = self.block, Block()
        self._known.append({})
        try:
            yield self.block
        finally:
            self.block = outer
            self._known.pop()

    def value(self, dtype: str, uniform: bool) -> Value:
        """A value that no operation of its own gives: a carry, or the result of a branch."""
        self._count += 1
        return Value(self._count, dtype, uniform)

    def constant(self, number: Any, dtype: str) -> Value:
        """A constant."""
        scalar = np.asarray(number).astype(NUMPY[dtype])[()]
        key = ("const", dtype, scalar.tobytes())
        found = self._known[0].get(key)
        if found is None:  # constants are written where they are used, so they are known everywhere
            found = self._known[0][key] = self.value(dtype, True)
            self._constants[found] = scalar
        return found

    def constant_of(self, value: Value) -> Any:
        """The NumPy scalar that a value is known to be, or None."""
        return self._constants.get(value)

    def flag(self, value: Value) -> Value | None:
        """The b1 that a number was converted from."""
        return self._flags.get(value)

    @property
    def constants(self) -> dict[Value, Any]:
        """All constants."""
        return self._constants

    def op(
        self, kind: str, *args: Value, dtype: str | None = None, uniform: bool | None = None, attr: Any = None
    ) -> Value:
        """The result of an operation; its dtype is that of the last argument unless the kind says otherwise."""
        dtype = dtype or ("b1" if kind in COMPARISONS or kind == "any" else args[-1].dtype)
        simpler = self._simplify(kind, args, dtype)
        if simpler is not None:
            return simpler
        if kind in COMMUTATIVE and args[0].id > args[1].id:
            args = (args[1], args[0])
        key = (kind, attr, dtype, *args)
        for known in reversed(self._known):
            if key in known:
                return known[key]
        if uniform is None:
            uniform = kind == "any" or all(arg.uniform for arg in args)
        out = self.value(dtype, uniform)
        self._known[-1][key] = out
        self.origins[out] = self.source
        self._made[out] = (kind, args)
        if kind == "convert" and args[0].dtype == "b1":
            self._flags[out] = args[0]
        self.block.statements.append(Op(kind, args, out, attr))
        return out

    def _simplify(self, kind: str, args: tuple[Value, ...], dtype: str) -> Value | None:
        """What an operation comes to, if that needs no operation; floats are left alone but for choices."""
        known = [self._constants.get(arg) for arg in args]
        if kind == "select":
            if known[0] is not None:
                return args[1] if known[0] else args[2]
            return self._simplify_choice(*args)
        elif kind in ("convert", "bitcast") and args[0].dtype == dtype:
            return args[0]
        elif kind == "ne" and known[1] is not None and not known[1] and args[0] in self._flags:
            return self._flags[args[0]]
        elif kind == "any" and (known[0] is not None or args[0].uniform):
            return args[0]
        elif kind == "convert" and known[0] is not None and args[0].dtype[0] != "f" and dtype != "b1":
            return self.constant(known[0], dtype)
        elif kind == "not":
            return self.constant(~known[0], dtype) if known[0] is not None else self._simplify_not(args[0])
        elif len(args) == 2 and args[0].dtype[0] != "f":
            return self._simplify_pair(kind, args, known, dtype)
        return None

    def _simplify_not(self, value: Value) -> Value | None:
        kind, args = self._made.get(value, ("", ()))
        if kind == "not":
            return args[0]
        if kind in _OPPOSITE and args[0].dtype[0] in "iu":
            return self.op(_OPPOSITE[kind], *args)
        return None

    def _simplify_choice(self, flag: Value, new: Value, old: Value) -> Value | None:
        """A choice of what is chosen by the same flag already, or that leaves what another flag leaves too."""
        if new is old:
            return new
        for one, which in ((new, 1), (old, 2)):
            kind, args = self._made.get(one, ("", ()))
            if kind == "select" and args[0] is flag:
                return self.op("select", flag, *((args[1], old) if which == 1 else (new, args[2])))
        if new.dtype == "b1":
            return self._simplify_choice_of_flags(flag, new, old)
        kind, args = self._made.get(new, ("", ()))
        if kind == "select" and args[2] is old:
            return self.op("select", self.op("and", flag, args[0]), args[1], old)
        return None

    def _simplify_choice_of_flags(self, flag: Value, new: Value, old: Value) -> Value | None:
        """As logic, which takes one instruction where a choice takes three."""
        known = self._constants.get(new), self._constants.get(old)
        if known[1] is not None:
            return self.op("or", self.op("not", flag), new) if known[1] else self.op("and", flag, new)
        if known[0] is not None:
            return self.op("or", flag, old) if known[0] else self.op("and", self.op("not", flag), old)
        kind, args = self._made.get(new, ("", ()))
        if kind in ("and", "or") and old in args:
            other = args[1] if args[0] is old else args[0]
            if kind == "or":
                return self.op("or", old, self.op("and", flag, other))
            return self.op("and", old, self.op("or", self.op("not", flag), other))
        return None

    def _simplify_pair(self, kind: str, args: tuple[Value, ...], known: list[Any], dtype: str) -> Value | None:
        if known[0] is not None and known[1] is not None:
            function = _BITWISE.get(kind) or _COMPARE.get(kind) or (_WRAPPING.get(kind) if dtype != "b1" else None)
            if function is not None:
                with np.errstate(over="ignore"):
                    return self.constant(function(known[0], known[1]), dtype)
            return None
        for one, other in ((0, 1), (1, 0)):
            number = known[one]
            if number is None:
                continue
            ones = not np.invert(number)
            if (
                (kind in ("or", "xor", "add") and not number)
                or (kind == "and" and ones)
                or (kind == "mul" and number == 1)
            ):
                return args[other]
            if (kind == "and" and not number) or (kind == "or" and ones):
                return args[one]
            if one == 1 and kind in ("sub", "shl", "shr", "sar") and not number:
                return args[0]
        if kind in ("and", "or"):
            if args[0] is args[1]:
                return args[0]
            for part, whole in (args, args[::-1]):
                made, operands = self._made.get(whole, ("", ()))
                if made in ("and", "or") and part in operands:
                    return whole if made == kind else part
                if made == "not" and operands == (part,) and dtype == "b1":
                    return self.constant(kind == "or", dtype)
        return None
