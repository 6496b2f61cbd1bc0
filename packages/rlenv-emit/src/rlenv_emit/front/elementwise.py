"""Primitives that treat every element alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import jax
import numpy as np

from rlenv_emit.front.arrays import Context, Held, dtype_of, name_of, objects
from rlenv_emit.front.functions import log_f32
from rlenv_emit.ir import NUMPY, Value

Rule = Callable[..., Any]
"""``(context, equation, *held) -> held, or a list of them``."""

SAME: Final = {
    "add": "add", "add_any": "add", "sub": "sub", "mul": "mul", "rem": "rem", "max": "max", "min": "min",
    "and": "and", "or": "or", "xor": "xor", "shift_left": "shl", "shift_right_logical": "shr",
    "shift_right_arithmetic": "sar", "eq": "eq", "ne": "ne", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge",
    "neg": "neg", "abs": "abs", "sign": "sign", "not": "not", "clz": "clz", "population_count": "popcount",
    "mulhi": "mulhi", "sqrt": "sqrt", "floor": "floor", "ceil": "ceil", "is_finite": "finite",
    "sin": "sin", "cos": "cos",
}  # fmt: skip
"""Primitives that are one operation."""
_BOOLEAN: Final = {"max": "or", "min": "and", "mul": "and", "add": "or", "add_any": "or"}
_ROUND: Final = {jax.lax.RoundingMethod.AWAY_FROM_ZERO: "round", jax.lax.RoundingMethod.TO_NEAREST_EVEN: "rint"}


def _same(context: Context, equation: Any, *operands: Held) -> Held:
    name = equation.primitive.name
    kind, build = SAME[name], context.build
    if dtype_of(equation.invars[0].aval) == "b1":
        kind = _BOOLEAN.get(name, kind)
        if kind in ("lt", "le", "gt", "ge"):
            return context.each(lambda a, b: _compare_flags(context, kind, a, b), *operands)
    dtype = "b1" if kind == "finite" else None
    return context.each(lambda *values: build.op(kind, *values, dtype=dtype), *operands)


def _compare_flags(context: Context, kind: str, a: Value, b: Value) -> Value:
    """False is less than True."""
    if kind in ("gt", "le"):
        a, b = b, a
    less = context.build.op("and", context.build.op("not", a), b)
    return less if kind in ("lt", "gt") else context.build.op("not", less)


def _div(context: Context, equation: Any, x: Held, y: Held) -> Held:
    """A float divided by a known number is multiplied by its reciprocal, as in every program that XLA compiles."""
    build = context.build

    def divide(a: Value, b: Value) -> Value:
        known = build.constant_of(b)
        if a.dtype[0] != "f" or known is None or build.constant_of(a) is not None:
            return build.op("div", a, b)
        with np.errstate(divide="ignore"):
            return build.op("mul", a, build.constant(known.dtype.type(1) / known, b.dtype))

    return context.each(divide, x, y)


def _select_n(context: Context, equation: Any, which: Held, *cases: Held) -> Held:
    build = context.build

    def choose(which: Value, *cases: Value) -> Value:
        if which.dtype == "b1":
            return cases[0] if len(cases) == 1 else build.op("select", which, cases[1], cases[0])
        found = cases[-1]
        for number in range(len(cases) - 2, -1, -1):  # an index out of range counts as the last
            low = build.op("lt", which, build.constant(number + 1, which.dtype))
            found = build.op("select", low, cases[number], found)
        return found

    return context.each(choose, which, *cases)


def _clamp(context: Context, equation: Any, low: Held, x: Held, high: Held) -> Held:
    build = context.build
    return context.each(lambda a, x, b: build.op("min", build.op("max", a, x), b), low, x, high)


def convert(context: Context, value: Value, dtype: str) -> Value:
    """A value in another dtype."""
    build = context.build
    if dtype == "b1" and value.dtype != "b1":
        return build.op("ne", value, build.constant(0, value.dtype))
    return build.op("convert", value, dtype=dtype)


def _convert_element_type(context: Context, equation: Any, x: Held) -> Held:
    dtype = name_of(equation.params["new_dtype"])
    return context.each(lambda value: convert(context, value, dtype), x)


def _bitcast(context: Context, equation: Any, x: Held) -> Held:
    before, after = dtype_of(equation.invars[0].aval), name_of(equation.params["new_dtype"])
    if NUMPY[before].itemsize != NUMPY[after].itemsize or "b1" in (before, after):
        if before == after:
            return x
        raise context.unsupported(f"{before} to {after}", "two dtypes of one width", "shift and mask instead")
    return context.each(lambda value: context.build.op("bitcast", value, dtype=after), x)


def _round(context: Context, equation: Any, x: Held) -> Held:
    kind = _ROUND[equation.params["rounding_method"]]
    return context.each(lambda value: context.build.op(kind, value), x)


def _log(context: Context, equation: Any, x: Held) -> Held:
    """In float32 XLA's own polynomial, in float64 the C library's, as in every program that XLA compiles."""
    build = context.build
    return context.each(lambda value: log_f32(build, value) if value.dtype == "f32" else build.op("log", value), x)


def _pow(context: Context, equation: Any, x: Held, y: Held) -> Held:
    """The C library's, but for known exponents of few products, as in every program that XLA compiles.

    An integer exponent is converted first, as JAX lowers it.
    """
    build = context.build

    def power(a: Value, b: Value) -> Value:
        b = convert(context, b, a.dtype)
        known = build.constant_of(b)
        if known is None or known not in (-1, 0, 1, 2, 3):
            return build.op("pow", a, b)
        one = build.constant(1, a.dtype)
        if known < 0:
            return build.op("div", one, a)
        result = a if known else one
        for _ in range(int(known) - 1):
            result = build.op("mul", result, a)
        return result

    return context.each(power, x, y)


def _square(context: Context, equation: Any, x: Held) -> Held:
    return context.each(lambda value: context.build.op("mul", value, value), x)


def _integer_pow(context: Context, equation: Any, x: Held) -> Held:
    """Repeated squaring in the order in which JAX lowers it."""
    exponent, build = int(equation.params["y"]), context.build

    def power(value: Value) -> Value:
        left, result, square = abs(exponent), None, value
        while left:
            if left & 1:
                result = square if result is None else build.op("mul", result, square)
            left >>= 1
            if left:
                square = build.op("mul", square, square)
        one = build.constant(1, value.dtype)
        result = one if result is None else result
        return build.op("div", one, result) if exponent < 0 else result

    return context.each(power, x)


def _iota(context: Context, equation: Any) -> Held:
    shape, axis = equation.params["shape"], equation.params["dimension"]
    numbers = np.arange(shape[axis]).reshape([-1 if i == axis else 1 for i in range(len(shape))])
    return np.broadcast_to(numbers, shape).astype(equation.params["dtype"])


def _any_lane(context: Context, equation: Any, flag: Held) -> Held:
    return objects([context.build.op("any", context.scalar(flag), attr=equation.params["name"])], ())


def _identity(context: Context, equation: Any, *operands: Held) -> list[Held]:
    return list(operands)


RULES: Final[dict[str, Rule]] = {
    **dict.fromkeys(SAME, _same),
    "div": _div,
    "select_n": _select_n,
    "clamp": _clamp,
    "convert_element_type": _convert_element_type,
    "bitcast_convert_type": _bitcast,
    "round": _round,
    "log": _log,
    "pow": _pow,
    "square": _square,
    "integer_pow": _integer_pow,
    "iota": _iota,
    "any_lane": _any_lane,
    **dict.fromkeys(("copy", "copy_p", "stop_gradient", "optimization_barrier", "cpu_barrier"), _identity),
}
