"""Random arrangements of arrays against XLA: ``JAX_ENABLE_X64=1 python -m rlenv_emit.fuzz.structure --out FILE``.

A program of a seed permutes, cuts, pads, turns, gathers, joins, reduces and scans an array of one dtype, one step after
another, with parameters drawn at random; every step's result is a result.  No two floats are added or multiplied, so
all bits are XLA's.

What is done is kept, part by part, beside the report (``FILE.parts``), so that a run that was stopped goes on where it
was.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from rlenv_emit import processor
from rlenv_emit.bits import equal
from rlenv_emit.call import by_instructions
from rlenv_emit.emit import traced_program
from rlenv_emit.folder import CACHE_VARIABLE
from rlenv_emit.fuzz.compare import INSTRUCTIONS, WARP
from rlenv_emit.fuzz.generate import edge_values
from rlenv_emit.fuzz.operations import EVERY, INTEGERS
from rlenv_emit.fuzz.parts import Parts
from rlenv_emit.gpu.host import HostKernel
from rlenv_emit.key import emitter_version
from rlenv_emit.native import Native
from rlenv_shared import machine

STEPS: Final = 8
MOST: Final = 40
"""Elements of an array that a step may still make larger."""
SHAPES: Final = ((), (1,), (6,), (2, 3), (3, 1), (2, 3, 2), (1, 2, 2, 3), (0, 3), (2, 0))
ROWS: Final = 67

Rng = np.random.Generator
Step = Callable[[Any, Rng], Any]


def _axis(x: Any, rng: Rng) -> int:
    return int(rng.integers(x.ndim))


def _some_axes(x: Any, rng: Rng) -> tuple[int, ...]:
    return tuple(int(axis) for axis in np.flatnonzero(rng.random(x.ndim) < 0.5))


def _order(x: Any, rng: Rng) -> tuple[int, ...]:
    return tuple(map(int, rng.permutation(x.ndim)))


def _shape_of_size(size: int, rng: Rng) -> tuple[int, ...]:
    shape: list[int] = []
    while size > 1 and len(shape) < 3:
        divisors = [n for n in range(1, size + 1) if size % n == 0]
        shape.append(int(rng.choice(divisors)))
        size //= shape[-1]
    return (*shape, size)


def _index(x: Any, most: int) -> Any:
    """An index that is known in no lane, often out of range."""
    first = x.reshape(-1)[0]
    number = (first != first.dtype.type(0)).astype(jnp.int32) if x.dtype.kind in "fb" else (first & 7).astype(jnp.int32)
    return number - jnp.int32(most // 2)


def _reshape(x: Any, rng: Rng) -> Any:
    return lax.reshape(x, _shape_of_size(x.size, rng), _order(x, rng) if rng.random() < 0.7 else None)


def _slice(x: Any, rng: Rng) -> Any:
    begin = [int(rng.integers(0, n + 1)) for n in x.shape]
    end = [int(rng.integers(a, n + 1)) for a, n in zip(begin, x.shape, strict=True)]
    return lax.slice(x, begin, end, [int(rng.integers(1, 4)) for _ in x.shape] if rng.random() < 0.7 else None)


def _pad(x: Any, rng: Rng) -> Any:
    config = []
    for n in x.shape:
        inner = int(rng.integers(0, 3))
        length = n + max(n - 1, 0) * inner
        low = int(rng.integers(-min(length, 2), 3))
        config.append((low, int(rng.integers(-min(max(length + min(low, 0), 0), 2), 3)), inner))
    return lax.pad(x, jnp.ones((), x.dtype), config)


def _broadcast(x: Any, rng: Rng) -> Any:
    shape = list(x.shape)
    places = sorted(rng.choice(x.ndim + 1, x.ndim, replace=False).tolist())
    wide = [int(rng.integers(1, 4)) for _ in range(x.ndim + 1)]
    for place, size in zip(places, shape, strict=True):
        wide[place] = size
    return lax.broadcast_in_dim(x, wide, places)


def _take(x: Any, rng: Rng) -> Any:
    axis, mode = _axis(x, rng), str(rng.choice(["fill", "clip", "wrap"]))
    where = rng.integers(-x.shape[axis] - 1, 2 * x.shape[axis] + 1, int(rng.integers(1, 4)))
    indices = jnp.asarray(where.astype(np.int32))
    if x.size and rng.random() < 0.5:
        indices = indices + _index(x, 4)
    filler = int(rng.integers(0, 2)) if mode == "fill" and rng.random() < 0.5 else None
    return jnp.take(x, indices, axis, mode=mode, fill_value=filler) if x.shape[axis] else x


def _gather(x: Any, rng: Rng) -> Any:
    """A window at every index, with any of the axes left out and the windows' axes in any place."""
    if not x.size:
        return x
    mapped = _order(x, rng)[: int(rng.integers(1, x.ndim + 1))]
    sizes = [int(rng.integers(1, n + 1)) for n in x.shape]
    gone = tuple(sorted(axis for axis in mapped if rng.random() < 0.5))
    for axis in gone:
        sizes[axis] = 1
    windows = x.ndim - len(gone)
    offset = tuple(sorted(rng.choice(windows + 1, windows, replace=False).tolist()))
    indices = rng.integers(-2, 4, (int(rng.integers(1, 4)), len(mapped))).astype(np.int32)
    numbers = lax.GatherDimensionNumbers(offset_dims=offset, collapsed_slice_dims=gone, start_index_map=mapped)
    mode = str(rng.choice(["fill", "clip", "promise_in_bounds"]))
    if mode == "promise_in_bounds":
        return lax.gather(x, np.zeros_like(indices), numbers, sizes, mode=mode)
    return lax.gather(x, jnp.asarray(indices) + _index(x, 2), numbers, sizes, mode=mode)


def _dynamic(x: Any, rng: Rng) -> Any:
    if not x.size:
        return x
    sizes = [int(rng.integers(1, n + 1)) for n in x.shape]
    starts = [jnp.int32(rng.integers(-2, 4)) + _index(x, 2) * int(rng.integers(0, 2)) for _ in sizes]
    part = lax.dynamic_slice(x, starts, sizes)
    return part if rng.random() < 0.5 else lax.dynamic_update_slice(x, lax.rev(part, (0,)), starts[::-1])


def _plain(x: Any) -> Any:
    """Without zeros, denormal numbers and NaN."""
    return jnp.where((x == 0) | (x != x), jnp.ones_like(x), x) if x.dtype.kind == "f" else x


def _reduce(x: Any, rng: Rng) -> Any:
    names = ["max", "min"] + (["sum", "prod"] if x.dtype in INTEGERS else [])
    names += ["and", "or", "xor"] if x.dtype.kind in "iub" else []
    x = _plain(x)  # which zero or NaN XLA keeps depends on the size of the batch
    return getattr(lax, f"reduce_{rng.choice(names)}")(x, axes=_some_axes(x, rng))


def _argument(x: Any, rng: Rng) -> Any:
    axis, dtype = _axis(x, rng), np.dtype(rng.choice(["int32", "int8", "uint32", "int64"]))
    if not x.shape[axis]:
        return x
    return getattr(lax, str(rng.choice(["argmax", "argmin"])))(x, axis, dtype)


def _cumulative(x: Any, rng: Rng) -> Any:
    names = [] if x.dtype == bool else ["cummax", "cummin"]
    names += ["cumsum", "cumprod"] if x.dtype in INTEGERS else []
    return getattr(lax, str(rng.choice(names)))(x, _axis(x, rng), bool(rng.integers(2))) if names else x


def _scan(x: Any, rng: Rng) -> Any:
    order, unroll = bool(rng.integers(2)), int(rng.integers(1, 3))
    if not x.shape[0]:  # XLA aborts on an empty slice of the results of an empty scan (seed 1877)
        return x
    x = _plain(x)  # XLA simplifies max(x, x) to x, which flushes no denormal number (seed 1322)

    def step(carry: Any, row: Any) -> tuple[Any, Any]:
        return row, lax.max(carry, row)

    last, rows = lax.scan(step, jnp.zeros(x.shape[1:], x.dtype), x, reverse=order, unroll=unroll)
    return lax.concatenate([last[None], rows], 0)


def _while(x: Any, rng: Rng) -> Any:
    """One loop for each row, which goes on until its own flag is down."""
    passes = int(rng.integers(1, 4))

    def one(row: Any) -> Any:
        flag = (row != row.dtype.type(0)).any()
        return lax.while_loop(lambda s: (s[0] < passes) & flag, lambda s: (s[0] + 1, jnp.roll(s[1], 1)), (0, row))[1]

    return jax.vmap(one)(x) if x.size else x


def _split(x: Any, rng: Rng) -> Any:
    axis = _axis(x, rng)
    first = int(rng.integers(0, x.shape[axis] + 1))
    return lax.split(x, (first, x.shape[axis] - first), axis)[int(rng.integers(2))]


def _squeeze(x: Any, rng: Rng) -> Any:
    gone = tuple(axis for axis in range(x.ndim) if x.shape[axis] == 1 and rng.random() < 0.7)
    return lax.squeeze(x, gone) if gone else lax.expand_dims(x, (int(rng.integers(x.ndim + 1)),))


OF_ANY: Final[dict[str, Step]] = {"reshape": _reshape, "broadcast": _broadcast, "squeeze": _squeeze, "reduce": _reduce}
"""Steps of arrays of any number of axes."""
OF_AXES: Final[dict[str, Step]] = {
    "transpose": lambda x, rng: lax.transpose(x, _order(x, rng)),
    "rev": lambda x, rng: lax.rev(x, _some_axes(x, rng)),
    "slice": _slice,
    "pad": _pad,
    "concatenate": lambda x, rng: lax.concatenate([x, lax.rev(x, (0,))], _axis(x, rng)),
    "stack": lambda x, rng: jnp.stack([x, lax.rev(x, (0,))], int(rng.integers(-x.ndim - 1, x.ndim + 1))),
    "split": _split,
    "take": _take,
    "gather": _gather,
    "dynamic": _dynamic,
    "argument": _argument,
    "cumulative": _cumulative,
    "scan": _scan,
    "while under vmap": _while,
    "map": lambda x, rng: jax.vmap(lambda row: lax.rev(row, (0,)), 1, int(rng.integers(2)))(x) if x.ndim > 1 else x,
}
"""Steps of arrays with an axis at least."""


@dataclasses.dataclass(frozen=True)
class Arrangement:
    """A program: the array that it is given, and the seed of each step's choices."""

    shape: tuple[int, ...]
    dtype: str
    seeds: tuple[int, ...]

    def __call__(self, x: Any) -> list[Any]:
        """The results of all steps."""
        found = []
        for seed in self.seeds:
            x = chosen(x, seed)[1](x, np.random.default_rng([1, seed]))
            found.append(x)
        return found

    def names(self) -> list[str]:
        """Of the steps."""
        arrays = [jax.ShapeDtypeStruct(self.shape, self.dtype)]
        arrays += jax.eval_shape(self, arrays[0])
        return [chosen(array, seed)[0] for array, seed in zip(arrays, self.seeds, strict=False)]


def chosen(x: Any, seed: int) -> tuple[str, Step]:
    """The step of a seed for an array."""
    rng = np.random.default_rng([0, seed])
    if x.size > MOST:
        return ("slice", _slice) if rng.random() < 0.5 else ("reduce", _reduce)
    steps = OF_ANY | OF_AXES if x.ndim else OF_ANY
    name = str(rng.choice(list(steps)))
    return name, steps[name]


def arrangement(seed: int) -> Arrangement:
    """The program of a seed."""
    rng = np.random.default_rng([0x57, seed])
    return Arrangement(
        SHAPES[rng.integers(len(SHAPES))], str(rng.choice(EVERY)), tuple(rng.integers(0, 2**31, STEPS).tolist())
    )


def compare(seeds: Sequence[int], forms: Sequence[str]) -> list[str]:
    """What differs from XLA in any form: form, seed, number of the step."""
    programs = [arrangement(seed) for seed in seeds]
    rng = np.random.default_rng([0x58, seeds[0]])
    arrays = [edge_values(one.dtype, ROWS * int(np.prod(one.shape)), rng).reshape(ROWS, *one.shape) for one in programs]
    expected = [jax.jit(jax.vmap(one))(array) for one, array in zip(programs, arrays, strict=True)]
    scalars = [jax.ShapeDtypeStruct(array.shape[1:], array.dtype) for array in arrays]

    def together(*given: Any) -> list[Any]:
        return [one(x) for one, x in zip(programs, given, strict=True)]

    closed, varying, differ = jax.make_jaxpr(together)(*scalars), (True,) * len(arrays), list[str]()
    for form in forms:
        if form == WARP:
            kernel = HostKernel(traced_program(together, *scalars))
            found = [array[0] for array in kernel([array[None] for array in arrays], 1, ROWS)]
        elif form in INSTRUCTIONS:
            found = by_instructions(closed, varying, processor.known(form), arrays, ROWS)
        else:
            found = Native.of(closed, varying, ROWS, processor.named(form))(arrays)
        rest = iter(found)
        for seed, wanted in zip(seeds, expected, strict=True):
            for number, one in enumerate(wanted):
                if not equal(np.asarray(one), np.asarray(next(rest))).all():
                    differ.append(f"{form}, seed {seed}, step {number}")
    return differ


def one_part(seeds: range, forms: Sequence[str]) -> dict[str, Any]:
    """Compare some programs; what is kept of them."""
    with tempfile.TemporaryDirectory() as folder:  # objects that nobody needs again
        os.environ[CACHE_VARIABLE] = folder
        differences = compare(seeds, forms)
    jax.clear_caches()
    kinds = Counter(name for seed in seeds for name in arrangement(seed).names())
    return {
        "first": seeds.start,
        "programs": len(seeds),
        "forms": list(forms),
        "emitter": emitter_version()[:12],
        "differences": differences,
        "steps": dict(sorted(kinds.items())),
    }


def summary(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The report of all parts."""
    by_form, steps = Counter[str](), Counter[str]()
    for part in parts:
        by_form.update(dict.fromkeys(part["forms"], part["programs"]))
        steps.update(part["steps"])
    return {
        "programs": sum(part["programs"] for part in parts),
        "programs_by_form": by_form,
        "rows": ROWS,
        "differences": [difference for part in parts for difference in part["differences"]],
        "emitters": Counter(part["emitter"] for part in parts),
        "steps": dict(sorted(steps.items())),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 1 where any bit differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--programs", type=int, default=5000)
    parser.add_argument("--together", type=int, default=100, help="programs in one object")
    parser.add_argument("--every", type=int, default=10, help="parts of which one is run in the other forms, too")
    given = parser.parse_args(arguments)
    best = processor.best().name
    others = [form.name for form in processor.FORMS if processor.runs(form) and form.name != best]
    about = {"machine": machine.describe(), "command": machine.command_line()}
    about |= machine.git_state(Path(__file__).parent)  # before the report changes it
    parts = Parts(given.out)
    for first in range(0, given.programs, given.together):
        seeds = range(first, min(first + given.together, given.programs))
        everywhere = first // given.together % given.every == 0
        if not parts.has(first):
            parts.add(one_part(seeds, [best, *([*others, *INSTRUCTIONS, WARP] if everywhere else [])]))
        report = summary(parts.done)
        print(f"{seeds.stop} programs, {len(report['differences'])} differences", flush=True)
        given.out.write_text(json.dumps({**report, **about}, indent=1) + "\n")
    return 1 if any(part["differences"] for part in parts.done) else 0


if __name__ == "__main__":
    sys.exit(main())
