"""Primitives that arrange elements, join them or look them up; the axes are small and known."""

from __future__ import annotations

import itertools
import math
from typing import Any, Final

import jax
import numpy as np

from rlenv_emit.front.arrays import Context, Held, Table, dtype_of, held_shape, name_of, objects
from rlenv_emit.front.elementwise import Rule, convert
from rlenv_emit.ir import NUMPY, Value

Mode = jax.lax.GatherScatterMode


def _broadcast_in_dim(context: Context, equation: Any, x: Held) -> Held:
    shape, axes = equation.params["shape"], equation.params["broadcast_dimensions"]
    values = context.elements(x)
    spread = [1] * len(shape)
    for axis, size in zip(axes, values.shape, strict=True):
        spread[axis] = size
    return np.broadcast_to(values.reshape(spread), shape)


def _reshape(context: Context, equation: Any, x: Held) -> Held:
    """Row by row; ``dimensions`` say in which order the axes are gone through."""
    shape, order = tuple(equation.params["new_sizes"]), equation.params["dimensions"]
    if order is not None and tuple(order) != tuple(range(len(held_shape(x)))):
        x = context.elements(x).transpose(order)
    return Table(x.argument, shape, x.dtype) if isinstance(x, Table) else x.reshape(shape)


def _squeeze(context: Context, equation: Any, x: Held) -> Held:
    gone = equation.params["dimensions"]
    shape = tuple(size for axis, size in enumerate(held_shape(x)) if axis not in gone)
    return Table(x.argument, shape, x.dtype) if isinstance(x, Table) else x.reshape(shape)


def _slice(context: Context, equation: Any, x: Held) -> Held:
    begin, end = equation.params["start_indices"], equation.params["limit_indices"]
    steps = equation.params["strides"] or (1,) * len(begin)
    where = tuple(slice(a, b, step) for a, b, step in zip(begin, end, steps, strict=True))
    if isinstance(x, Table):
        numbers = np.arange(np.prod(x.shape, dtype=np.int64)).reshape(x.shape)[where]
        flat = Table(x.argument, (int(np.prod(x.shape, dtype=np.int64)),), x.dtype)
        read = [context.read(flat, context.build.constant(i, "i32")) for i in numbers.reshape(-1)]
        return objects(read, numbers.shape)
    return x[where]


def _concatenate(context: Context, equation: Any, *parts: Held) -> Held:
    return np.concatenate([context.elements(part) for part in parts], equation.params["dimension"])


def _stack(context: Context, equation: Any, *parts: Held) -> Held:
    return np.stack([context.elements(part) for part in parts], equation.params["axis"])


def _split(context: Context, equation: Any, x: Held) -> list[Held]:
    places = np.cumsum(equation.params["sizes"])[:-1]
    return list(np.split(context.elements(x), places, equation.params["axis"]))


def _transpose(context: Context, equation: Any, x: Held) -> Held:
    return context.elements(x).transpose(equation.params["permutation"])


def _rev(context: Context, equation: Any, x: Held) -> Held:
    return np.flip(context.elements(x), equation.params["dimensions"])


def _pad(context: Context, equation: Any, x: Held, filler: Held) -> Held:
    values, fill = context.elements(x), context.scalar(filler)
    for axis, (low, high, inner) in enumerate(equation.params["padding_config"]):
        count = values.shape[axis]
        positions = low + np.arange(count) * (inner + 1)
        length = low + high + count + max(count - 1, 0) * inner
        kept = (positions >= 0) & (positions < length)
        shape = (*values.shape[:axis], length, *values.shape[axis + 1 :])
        padded = np.full(shape, fill, object)
        np.moveaxis(padded, axis, 0)[positions[kept]] = np.moveaxis(values, axis, 0)[kept]
        values = padded
    return values


# --- sums and the like -----------------------------------------------------------------------------------------------

LEFT_TO_RIGHT: Final = ("reduce_sum", "reduce_prod", "cumsum", "cumprod")
"""Of floats: element by element in row-major order, each sum or product rounded.  XLA's order is another for another
batch size, so none gives its bits for all of them."""
_NEUTRAL: Final = {"add": 0, "mul": 1, "or": 0, "xor": 0}


def _reduce(kind: str) -> Rule:
    def rule(context: Context, equation: Any, x: Held) -> Held:
        build, axes = context.build, equation.params["axes"]
        values = context.elements(x)
        dtype = dtype_of(equation.invars[0].aval)
        kept = [axis for axis in range(values.ndim) if axis not in axes]
        length = math.prod(values.shape[axis] for axis in axes)
        rows = values.transpose([*kept, *axes]).reshape((*(values.shape[axis] for axis in kept), length))
        out = np.empty(rows.shape[:-1], object)
        for place in np.ndindex(out.shape):
            row = list(rows[place])
            total = row.pop(0) if row and kind not in _NEUTRAL else build.constant(_start(kind, dtype), dtype)
            for value in row:
                total = build.op(kind, total, value)
            out[place] = total
        return out

    return rule


def _start(kind: str, dtype: str) -> Any:
    """What a sum of nothing is."""
    if kind in _NEUTRAL:
        return _NEUTRAL[kind]
    if kind == "and":
        return True if dtype == "b1" else np.invert(NUMPY[dtype].type(0))
    if dtype[0] == "f":
        return -np.inf if kind == "max" else np.inf
    info = np.iinfo(NUMPY[dtype])
    return info.min if kind == "max" else info.max


def _bool_reduce(kind: str) -> Rule:
    plain, flags = _reduce(kind), _reduce({"max": "or", "min": "and"}[kind])
    return lambda context, equation, x: (flags if dtype_of(equation.invars[0].aval) == "b1" else plain)(
        context, equation, x
    )


def _cumulative(kind: str) -> Rule:
    def rule(context: Context, equation: Any, x: Held) -> Held:
        values = np.moveaxis(context.elements(x), equation.params["axis"], 0).copy()
        order = range(len(values))[:: -1 if equation.params["reverse"] else 1]
        dtype = dtype_of(equation.invars[0].aval)
        if dtype[0] == "f" and (len(order) > 1 or (order and kind == "mul")):  # XLA flushes the first like all others
            first, start = values[order[0] : order[0] + 1], context.build.constant(_start(kind, dtype), dtype)
            first[:] = context.each(lambda a: context.build.op(kind, start, a), first)
        for before, now in itertools.pairwise(order):
            rows = values[before : before + 1], values[now : now + 1]
            values[now : now + 1] = context.each(lambda a, b: context.build.op(kind, a, b), *rows)
        return np.moveaxis(values, 0, equation.params["axis"])

    return rule


def _arg(kind: str) -> Rule:
    def rule(context: Context, equation: Any, x: Held) -> Held:
        """The first of the greatest (or least); a NaN counts as such."""
        build, dtype = context.build, name_of(equation.params["index_dtype"])
        (axis,) = equation.params["axes"]
        values = np.moveaxis(context.elements(x), axis, -1)
        out = np.empty(values.shape[:-1], object)
        for place in np.ndindex(out.shape):
            best, where = values[place][0], build.constant(0, dtype)
            for number, value in enumerate(values[place][1:], 1):
                if value.dtype == "b1":
                    better = build.op(
                        "and", *((value, build.op("not", best)) if kind == "gt" else (build.op("not", value), best))
                    )
                else:
                    better = build.op(kind, value, best)
                if value.dtype[0] == "f":
                    nan, settled = build.op("ne", value, value), build.op("ne", best, best)
                    better = build.op("and", build.op("or", better, nan), build.op("not", settled))
                best = build.op("select", better, value, best)
                where = build.op("select", better, build.constant(number, dtype), where)
            out[place] = where
        return out

    return rule


# --- looking up ------------------------------------------------------------------------------------------------------


def _clamped(context: Context, index: Value, most: int) -> Value:
    """An index as int32 on [0, most]."""
    build = context.build
    if index.dtype in ("i8", "u8", "i16", "u16"):
        index = convert(context, index, "i32")
    if index.dtype[0] == "i":
        index = build.op("max", index, build.constant(0, index.dtype))
    return convert(context, build.op("min", index, build.constant(most, index.dtype)), "i32")


def _linear(context: Context, starts: list[Value], offsets: tuple[int, ...], shape: tuple[int, ...]) -> Value:
    """The flat place of an element: clamped starts plus known offsets."""
    build = context.build
    place = build.constant(0, "i32")
    for start, offset, size in zip(starts, offsets, shape, strict=True):
        place = build.op("mul", place, build.constant(size, "i32"))
        place = build.op("add", place, build.op("add", start, build.constant(offset, "i32")))
    return place


def _element(context: Context, x: Held, starts: list[Value], offsets: tuple[int, ...], sizes: tuple[int, ...]) -> Value:
    """An element of a window: clamped starts plus known offsets; there are choices along unknown starts alone."""
    shape, build = held_shape(x), context.build
    if not (isinstance(x, np.ndarray) and x.dtype == object):
        return context.read(x, _linear(context, starts, offsets, shape))
    known = [build.constant_of(start) for start in starts]
    where = tuple(
        slice(offset, offset + n - size + 1) if number is None else int(number) + offset
        for number, offset, n, size in zip(known, offsets, shape, sizes, strict=True)
    )

    def chosen(values: Any, unknown: list[Value]) -> Value:
        if not unknown:
            return values
        found = chosen(values[-1], unknown[1:])
        for number in range(len(values) - 2, -1, -1):
            here = build.op("eq", unknown[0], build.constant(number, "i32"))
            found = build.op("select", here, chosen(values[number], unknown[1:]), found)
        return found

    return chosen(x[where], [start for start, number in zip(starts, known, strict=True) if number is None])


def _dynamic_slice(context: Context, equation: Any, x: Held, *starts: Held) -> Held:
    shape, sizes = held_shape(x), equation.params["slice_sizes"]
    begin = [_clamped(context, context.scalar(s), n - m) for s, n, m in zip(starts, shape, sizes, strict=True)]
    read = [_element(context, x, begin, offsets, sizes) for offsets in np.ndindex(*sizes)]
    return objects(read, tuple(sizes))


def _dynamic_update_slice(context: Context, equation: Any, x: Held, update: Held, *starts: Held) -> Held:
    build = context.build
    values, new = context.elements(x).copy(), context.elements(update)
    limits = [n - m for n, m in zip(values.shape, new.shape, strict=True)]
    begin = [_clamped(context, context.scalar(s), most) for s, most in zip(starts, limits, strict=True)]
    for start in np.ndindex(*(most + 1 for most in limits)):
        here = build.constant(True, "b1")
        for value, number in zip(begin, start, strict=True):
            here = build.op("and", here, build.op("eq", value, build.constant(number, "i32")))
        window = tuple(slice(a, a + n) for a, n in zip(start, new.shape, strict=True))
        values[window] = context.each(lambda a, b, here=here: build.op("select", here, a, b), new, values[window])
    return values


def _gather(context: Context, equation: Any, x: Held, indices: Held) -> Held:
    numbers, mode = equation.params["dimension_numbers"], equation.params["mode"]
    given = equation.params["fill_value"]
    if mode not in (Mode.CLIP, Mode.FILL_OR_DROP, Mode.PROMISE_IN_BOUNDS):
        raise context.unsupported(f"mode {mode}", "clip, fill or promise_in_bounds", "read with one of those")
    shape, sizes = held_shape(x), equation.params["slice_sizes"]
    rows = context.elements(indices)
    out_shape = equation.outvars[0].aval.shape
    hidden = (*numbers.collapsed_slice_dims, *numbers.operand_batching_dims)
    window_axes = [axis for axis in range(len(shape)) if axis not in hidden]
    batch_axes = [axis for axis in range(len(out_shape)) if axis not in numbers.offset_dims]
    out = np.empty(out_shape, object)
    for place in np.ndindex(*out_shape):
        batch = tuple(place[axis] for axis in batch_axes)
        starts = [context.build.constant(0, "i32")] * len(shape)
        inside = context.build.constant(True, "b1")
        for axis, start in zip(numbers.start_index_map, rows[batch], strict=True):
            most = shape[axis] - sizes[axis]
            if mode == Mode.FILL_OR_DROP:
                start = convert(context, start, "i32") if start.dtype in ("i64", "u64") else start  # as JAX lowers it
                inside = context.build.op("and", inside, _in_range(context, start, most))
            starts[axis] = _clamped(context, start, most)
        for axis, index_axis in zip(numbers.operand_batching_dims, numbers.start_indices_batching_dims, strict=True):
            starts[axis] = context.build.constant(batch[index_axis], "i32")
        offsets = [0] * len(shape)
        for axis, out_axis in zip(window_axes, numbers.offset_dims, strict=True):
            offsets[axis] = place[out_axis]
        value = _element(context, x, starts, tuple(offsets), sizes)
        if mode == Mode.FILL_OR_DROP:
            value = context.build.op("select", inside, value, _filler(context, given, value.dtype))
        out[place] = value
    return out


def _in_range(context: Context, index: Value, most: int) -> Value:
    build = context.build
    if index.dtype in ("i8", "u8", "i16", "u16"):
        index = convert(context, index, "i32")
    low = build.op("le", index, build.constant(most, index.dtype))
    return low if index.dtype[0] == "u" else build.op("and", low, build.op("ge", index, build.constant(0, index.dtype)))


def _filler(context: Context, given: Any, dtype: str) -> Value:
    if given is None:
        given = {"f": np.nan, "b": True}.get(dtype[0])
        if given is None:
            info = np.iinfo(NUMPY[dtype])
            given = info.min if dtype[0] == "i" else info.max
    return context.build.constant(given, dtype)


RULES: Final[dict[str, Rule]] = {
    "broadcast_in_dim": _broadcast_in_dim,
    "reshape": _reshape,
    "squeeze": _squeeze,
    "slice": _slice,
    "concatenate": _concatenate,
    "stack": _stack,
    "split": _split,
    "transpose": _transpose,
    "rev": _rev,
    "pad": _pad,
    "reduce_sum": _reduce("add"),
    "reduce_prod": _reduce("mul"),
    "reduce_max": _bool_reduce("max"),
    "reduce_min": _bool_reduce("min"),
    "reduce_and": _reduce("and"),
    "reduce_or": _reduce("or"),
    "reduce_xor": _reduce("xor"),
    "cumsum": _cumulative("add"),
    "cumprod": _cumulative("mul"),
    "cummax": _cumulative("max"),
    "cummin": _cumulative("min"),
    "argmax": _arg("gt"),
    "argmin": _arg("lt"),
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice,
    "gather": _gather,
}
