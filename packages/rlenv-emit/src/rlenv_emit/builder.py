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
_EXACT = frozenset({bool, int, np.bool_, *(np.dtype(f"{sign}{size}").type for sign in "iu" for size in (1, 2, 4, 8))})
"""Types of numbers that are equal only where they are the same, and have a hash."""
_WRAPPING = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "min": np.minimum, "max": np.maximum}


class Builder:
    """Appends to the innermost open block."""

    def __init__(self) -> None:
        self.block = Block()
        self._known: dict[Any, Value] = {}  # what has been computed in the open blocks
        self._opened: list[list[Any]] = [[]]  # for each open block, what was added there
        self._numbers: dict[Any, Value] = {}  # constants are written where they are used, so they are known everywhere
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
        self._opened.append([])
        try:
            yield self.block
        finally:
            self.block = outer
            for key in self._opened.pop():
                del self._known[key]

    def value(self, dtype: str, uniform: bool) -> Value:
        """A value that no operation of its own gives: a carry, or the result of a branch."""
        self._count += 1
        return Value(self._count, dtype, uniform)

    def constant(self, number: Any, dtype: str) -> Value:
        """A constant."""
        given = (dtype, type(number), number) if type(number) in _EXACT else None
        if given in self._numbers:
            return self._numbers[given]
        scalar = np.asarray(number).astype(NUMPY[dtype])[()]
        key = (dtype, scalar.tobytes())
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = self.value(dtype, True)
            self._constants[found] = scalar
        if given is not None:
            self._numbers[given] = found
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
        known = self._known.get(key)
        if known is not None:
            return known
        if uniform is None:
            uniform = kind == "any" or False not in [arg.uniform for arg in args]
        out = self._known[key] = self.value(dtype, uniform)
        self._opened[-1].append(key)
        self.origins[out] = self.source
        self._made[out] = (kind, args)
        if kind == "convert" and args[0].dtype == "b1":
            self._flags[out] = args[0]
        self.block.statements.append(Op(kind, args, out, attr))
        return out

    def _simplify(self, kind: str, args: tuple[Value, ...], dtype: str) -> Value | None:
        """What an operation comes to, if that needs no operation; floats are left alone but for choices."""
        first = self._constants.get(args[0]) if args else None
        if kind == "select":
            if first is not None:
                return args[1] if first else args[2]
            return self._simplify_choice(*args)
        if len(args) == 2:
            return self._simplify_pair(kind, args, (first, self._constants.get(args[1])), dtype)
        if kind in ("convert", "bitcast") and args[0].dtype == dtype:
            return args[0]
        if kind == "any" and (first is not None or args[0].uniform):
            return args[0]
        if kind == "convert" and first is not None and args[0].dtype[0] != "f" and dtype != "b1":
            return self.constant(first, dtype)
        if kind == "not":
            return self.constant(~first, dtype) if first is not None else self._simplify_not(args[0])
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

    def _simplify_pair(self, kind: str, args: tuple[Value, ...], known: tuple[Any, Any], dtype: str) -> Value | None:
        if kind == "ne" and known[1] is not None and not known[1] and args[0] in self._flags:
            return self._flags[args[0]]
        if args[0].dtype[0] == "f":
            return None
        if known[0] is not None and known[1] is not None:
            function = _BITWISE.get(kind) or _COMPARE.get(kind) or (_WRAPPING.get(kind) if dtype != "b1" else None)
            if function is not None:
                with np.errstate(over="ignore"):
                    return self.constant(function(known[0], known[1]), dtype)
            return None
        if known[0] is not None or known[1] is not None:
            simpler = self._simplify_known(kind, args, known)
            if simpler is not None:
                return simpler
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

    @staticmethod
    def _simplify_known(kind: str, args: tuple[Value, ...], known: tuple[Any, Any]) -> Value | None:
        """An operation with one known number that leaves the other argument, or this number."""
        one = 0 if known[0] is not None else 1
        number, other = known[one], args[1 - one]
        ones = kind in ("and", "or") and not np.invert(number)
        if not number and kind in ("or", "xor", "add"):
            return other
        if (kind == "and" and ones) or (kind == "mul" and number == 1):
            return other
        if (kind == "and" and not number) or (kind == "or" and ones):
            return args[one]
        if one == 1 and kind in ("sub", "shl", "shr", "sar") and not number:
            return args[0]
        return None
