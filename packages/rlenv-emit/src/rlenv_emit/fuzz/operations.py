"""The operations of random programs: for each, the dtypes it is made of and how it is applied."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend import core as jax_core

INTEGERS: Final = tuple(f"{kind}{n}" for n in (8, 16, 32, 64) for kind in ("int", "uint"))
FLOATS: Final = ("float32", "float64")
NUMBERS: Final = INTEGERS + FLOATS
EVERY: Final = (*NUMBERS, "bool")
TABLE_ENTRIES: Final = {"promise_in_bounds": 13, "clip": 61, "fill": 150}
"""By what happens out of range; one instruction reads a table, some do, or each lane by itself."""
AXIS: Final = 3
"""Length of the small axes."""


@dataclasses.dataclass(frozen=True)
class Operation:
    """An operation of random programs.

    Attributes:
        name: of the primitive, and what sets this use of it apart.
        dtypes: of its operands.
        arity: how many operands.
        apply: of arrays of one shape; ``apply(*operands)``.
        result: dtype of the result, that of the operands when None.
        row: the operands are the elements of a small axis, which ``apply`` gets as one array, last axis first to last.
    """

    name: str
    dtypes: tuple[str, ...]
    arity: int
    apply: Callable[..., Any]
    result: str | None = None
    row: bool = False


def _canonical(x: Any) -> Any:
    """Without NaNs, whose bits no standard says."""
    return jnp.where(x != x, jnp.zeros_like(x), x)


def _plain(name: str, dtypes: tuple[str, ...], arity: int, function: Any, result: str | None = None) -> Operation:
    return Operation(name, dtypes, arity, function, result)


def _row(name: str, dtypes: tuple[str, ...], function: Any, result: str | None = None, arity: int = AXIS) -> Operation:
    return Operation(name, dtypes, arity, function, result, row=True)


def _converted(dtype: str) -> Callable[[Any], Any]:
    return lambda x: lax.convert_element_type(x, np.dtype(dtype))


def _bitcast(before: str, after: str) -> Operation:
    def apply(x: Any) -> Any:
        return lax.bitcast_convert_type(_canonical(x) if before[0] == "f" else x, np.dtype(after))

    return Operation(f"bitcast_convert_type {after}", (before,), 1, apply, after)


_BITCASTS: Final = [
    _bitcast(before, after)
    for size in (1, 2, 4, 8)
    for before in NUMBERS
    for after in NUMBERS
    if np.dtype(before).itemsize == np.dtype(after).itemsize == size and before != after
]
_INDICES: Final = ("int32", "uint32", "int8", "uint8", "int64")


def _table(dtype: str, entries: int) -> np.ndarray:
    """A table of edge values."""
    numbers = np.random.default_rng(7).integers(0, 2**63, entries, np.uint64)
    if dtype == "bool":
        return numbers % 2 == 1
    if dtype[0] == "f":
        return (numbers.astype(np.int64) / 2**40).astype(dtype)
    return numbers.astype(dtype)


def _by(name: str, number: int) -> Operation:
    """An operation of two integers of which the second is known."""
    function = getattr(lax, name)
    return Operation(f"{name} by {number}", INTEGERS, 1, lambda x: function(x, jnp.full_like(x, number)))


def _power(exponent: int) -> Operation:
    """A power whose exponent is known."""
    return Operation(f"pow {exponent}", FLOATS, 1, lambda x: lax.pow(x, jnp.full_like(x, exponent)))


def _take(dtype: str, mode: str) -> Operation:
    table = _table(dtype, TABLE_ENTRIES[mode])
    numbers = lax.GatherDimensionNumbers(offset_dims=(), collapsed_slice_dims=(0,), start_index_map=(0,))

    def apply(index: Any) -> Any:
        return lax.gather(jnp.asarray(table), index, numbers, (1,), mode=mode)

    return Operation(f"gather {mode} of {dtype}", _INDICES, 1, apply, dtype, row=True)


def _index(x: Any) -> Any:
    """The last element of a row as an index of it."""
    return x[-1].astype(jnp.int32)


OPERATIONS: Final = (
    _plain("pow", FLOATS, 2, lax.pow),
    *(_plain(name, NUMBERS, 2, getattr(lax, name)) for name in ("add", "sub", "mul", "div", "rem", "max", "min")),
    *(_plain(name, (*INTEGERS, "bool"), 2, getattr(lax, f"bitwise_{name}")) for name in ("and", "or", "xor")),
    *(
        _plain(name, INTEGERS, 2, getattr(lax, name))
        for name in ("shift_left", "shift_right_logical", "shift_right_arithmetic")
    ),
    *(
        _by(name, distance)
        for name in ("shift_left", "shift_right_logical", "shift_right_arithmetic")
        for distance in (1, 7, 8, 31, 33)
    ),
    *(_power(exponent) for exponent in (-1, 0, 1, 2, 3, 4)),
    *(_by(name, number) for name in ("div", "rem") for number in (2, 7, 100, 127)),
    *(_plain(name, EVERY, 2, getattr(lax, name), "bool") for name in ("eq", "ne", "lt", "le", "gt", "ge")),
    _plain("max", ("bool",), 2, lax.max),
    _plain("min", ("bool",), 2, lax.min),
    _plain("not", (*INTEGERS, "bool"), 1, lax.bitwise_not),
    _plain("neg", NUMBERS, 1, lax.neg),
    _plain("sign", NUMBERS, 1, lax.sign),
    _plain("abs", tuple(d for d in NUMBERS if d[0] != "u"), 1, lax.abs),
    _plain("clz", INTEGERS, 1, lax.clz),
    _plain("population_count", INTEGERS, 1, lax.population_count),
    _plain("mulhi", ("int32", "uint32", "int64", "uint64"), 2, lax.mulhi),
    *(_plain(name, FLOATS, 1, getattr(lax, name)) for name in ("sqrt", "floor", "ceil", "sin", "cos", "log")),
    _plain("is_finite", FLOATS, 1, lax.is_finite, "bool"),
    _plain("round away", FLOATS, 1, lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO)),
    _plain("round even", FLOATS, 1, lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN)),
    _plain("square", NUMBERS, 1, lax.square),
    *(_plain(f"integer_pow {n}", NUMBERS, 1, lambda x, n=n: lax.integer_pow(x, n)) for n in (0, 1, 2, 3, 5)),
    _plain("integer_pow -2", FLOATS, 1, lambda x: lax.integer_pow(x, -2)),
    _plain("clamp", NUMBERS, 3, lax.clamp),
    *(_plain(f"convert_element_type {dtype}", EVERY, 1, _converted(dtype), dtype) for dtype in EVERY),
    *_BITCASTS,
    *(_take(dtype, mode) for dtype in EVERY for mode in ("promise_in_bounds", "clip", "fill")),
    *(_row(f"reduce_{name}", NUMBERS, getattr(jnp, name)) for name in ("max", "min")),
    _row("reduce_prod", NUMBERS, lambda x: jnp.prod(x, dtype=x.dtype)),
    _row("reduce_sum", NUMBERS, lambda x: jnp.sum(x, dtype=x.dtype)),
    _row("reduce_and", ("bool",), jnp.all),
    _row("reduce_or", ("bool",), jnp.any),
    _row("argmax", EVERY, lambda x: jnp.argmax(x).astype(jnp.int32), "int32"),
    _row("argmin", EVERY, lambda x: jnp.argmin(x).astype(jnp.int32), "int32"),
    _row("cumsum", INTEGERS, lambda x: lax.cumsum(x)[1]),
    _row("cumsum reverse", INTEGERS, lambda x: lax.cumsum(x, reverse=True)[0]),
    _row("cummax", NUMBERS, lambda x: lax.cummax(x)[2]),
    _row("dynamic_slice", INTEGERS, lambda x: lax.dynamic_slice(x, (x[-1],), (1,))[0]),
    _row(
        "dynamic_update_slice", INTEGERS, lambda x: lax.dynamic_update_slice(x, x[:1] + x[1:2], (x[-1],))[1]
    ),
    _row("gather of values", INTEGERS, lambda x: x.at[_index(x)].get(mode="clip")),
    _row("pad", NUMBERS, lambda x: lax.pad(x, x[0], [(1, -1, 1)])[2]),
    _row(
        "concatenate, rev, reshape, transpose", NUMBERS, lambda x: jnp.concatenate([x, x[::-1]]).reshape(2, 3).T[1, 1]
    ),
    _row("iota, broadcast_in_dim", NUMBERS, lambda x: (x[:, None] * jnp.arange(2, dtype=x.dtype))[1, 1]),
)  # fmt: skip
"""Every operation that is emitted, besides select, branches and loops."""

CASES: Final = tuple((operation, dtype) for operation in OPERATIONS for dtype in operation.dtypes)
"""Every operation with every dtype of its operands."""
SELECTED: Final = EVERY
"""Dtypes of choices."""


def applied(operation: Operation, operands: list[Any]) -> Any:
    """The operation of scalars, or of batches."""
    return (_of_batches if jnp.ndim(operands[0]) else _of_scalars)(operation)(*operands)


@functools.cache
def _of_scalars(operation: Operation) -> Any:
    def scalar(*operands: Any) -> Any:
        return operation.apply(jnp.stack(operands)) if operation.row else operation.apply(*operands)

    return jax.jit(scalar)


@functools.cache
def _of_batches(operation: Operation) -> Any:
    """Each primitive compiled by XLA alone: together it would leave out a product with 1, and with it a flush."""
    if not operation.row:
        return jax.jit(operation.apply)
    return lambda *operands: _each_alone(operation, len(operands[0]), operands[0].dtype)(*operands)


@functools.cache
def _each_alone(operation: Operation, rows: int, dtype: np.dtype[Any]) -> Any:
    """An operation of rows, traced once; a literal is an argument of its primitive, not a number that XLA knows."""
    operand = jax.ShapeDtypeStruct((rows,), dtype)
    traced = jax.make_jaxpr(lambda *operands: jax.vmap(operation.apply)(jnp.stack(operands, -1)))(
        *[operand] * operation.arity
    )
    jaxpr = traced.jaxpr
    alone = [_primitive(equation.primitive, _Parameters(equation.params)) for equation in jaxpr.eqns]

    def run(*operands: Any) -> Any:
        values = dict(zip((*jaxpr.invars, *jaxpr.constvars), (*operands, *traced.consts), strict=True))
        for function, equation in zip(alone, jaxpr.eqns, strict=True):
            read = [one.val if isinstance(one, jax_core.Literal) else values[one] for one in equation.invars]
            values.update(zip(equation.outvars, function(*read), strict=True))
        return values[jaxpr.outvars[0]]

    return run


class _Parameters(dict[str, Any]):
    """Parameters of a primitive that can be looked up."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(sorted(self)))


@functools.cache  # operations of many dtypes are made of the same few primitives
def _primitive(primitive: Any, params: _Parameters) -> Any:
    """A primitive as XLA compiles it alone."""

    def bound(*operands: Any) -> list[Any]:
        results = primitive.bind(*operands, **primitive.get_bind_params(params))
        return list(results) if primitive.multiple_results else [results]

    return jax.jit(bound)
