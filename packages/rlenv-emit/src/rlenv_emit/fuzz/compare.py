"""Runs random programs in both forms and counts the bits in which they differ."""

from __future__ import annotations

import dataclasses
import functools
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_emit import processor
from rlenv_emit.bits import equal
from rlenv_emit.call import by_instructions
from rlenv_emit.front.trace import program
from rlenv_emit.fuzz import separate
from rlenv_emit.fuzz.generate import INPUTS, Program, alive, edge_values, generate, run
from rlenv_emit.gpu.host import HostKernel
from rlenv_emit.native import Native

WARP: Final = "warp"
"""Among forms: the kernel for GPUs, played by this machine."""
INSTRUCTIONS: Final = [form.name for form in processor.INSTRUCTIONS]


@dataclasses.dataclass(frozen=True)
class Difference:
    """The first lane in which a program's results differ."""

    form: str
    seed: int
    result: int
    lane: int
    expected: str
    found: str


def inputs(rows: int, seed: int) -> tuple[Any, ...]:
    """Arguments of every dtype."""
    rng = np.random.default_rng([0xE0, seed])
    return tuple(jnp.asarray(edge_values(dtype, rows, rng)) for dtype in INPUTS)


@dataclasses.dataclass
class Compared:
    """What came of some programs.

    Attributes:
        differences: the first of each result that differs.
        kinds: how often each operation with each dtype took part in a result.
        equations: of each program's jaxpr.
    """

    differences: list[Difference]
    kinds: Counter[str]
    equations: list[int]


def compare(
    seeds: Sequence[int], rows: int, forms: Sequence[str], sanitized: Sequence[str] = (), emulated: Sequence[str] = ()
) -> Compared:
    """Compare some programs, compiled into one object for each form.

    Args:
        seeds: of the programs.
        rows: lanes; an odd number pads the last group.
        forms: of processors, those of `INSTRUCTIONS`, and `WARP`.
        sanitized: forms that are also compiled and run under the sanitizers.
        emulated: forms that are also run on an emulated processor that has no more than they need.

    Raises:
        ProcessError: a sanitizer found something, or a process crashed.
    """
    if not jax.config.jax_enable_x64:  # type: ignore[attr-defined]
        raise RuntimeError("comparing needs 64-bit numbers: set JAX_ENABLE_X64=1")
    programs = [generate(seed) for seed in seeds]
    given = inputs(rows, seeds[0])
    expected = [[np.asarray(array) for array in run(program, given)] for program in programs]
    arrays = [np.asarray(array) for array in given]
    scalars = tuple(jax.ShapeDtypeStruct((), array.dtype) for array in given)
    calls = [jax.jit(functools.partial(_tuple, program)) for program in programs]
    closed = jax.make_jaxpr(lambda *arguments: [call(*arguments) for call in calls])(*scalars)
    varying = (True,) * len(arrays)
    found = []
    for name in forms:
        if name == WARP:
            results = [array[0] for array in HostKernel(program(closed, varying))([a[None] for a in arrays], 1, rows)]
        elif name in INSTRUCTIONS:
            results = list(map(np.asarray, by_instructions(closed, varying, processor.known(name), given, rows)))
        else:
            results = Native.of(closed, varying, rows, processor.named(name))(arrays)
        found += _differences(name, seeds, expected, results)
    for name in sanitized:
        results = separate.run(closed, processor.known(name), arrays, separate.SANITIZED)
        found += _differences(f"{name} sanitized", seeds, expected, results)
    for name in emulated:
        results = separate.run(closed, processor.known(name), arrays, separate.EMULATED[name])
        found += _differences(f"{name} emulated", seeds, expected, results)
    kinds = sum((alive(program) for program in programs), Counter())
    return Compared(found, kinds, [equations(equation.params["jaxpr"].jaxpr) for equation in closed.jaxpr.eqns])


def _tuple(program: Program, *arguments: Any) -> tuple[Any, ...]:
    return tuple(run(program, arguments))


def _differences(
    form: str, seeds: Sequence[int], expected: list[list[np.ndarray]], results: list[np.ndarray]
) -> list[Difference]:
    found = []
    rest = iter(results)
    for seed, wanted in zip(seeds, expected, strict=True):
        for number, one in enumerate(wanted):
            got = next(rest)
            same = equal(one, got)
            if not same.all():
                lane = int(np.argmin(same))
                found.append(Difference(form, seed, number, lane, repr(one[lane]), repr(got[lane])))
    return found


def equations(jaxpr: Any) -> int:
    """Equations of a jaxpr, those of its calls, branches and loops in their place."""
    count = 0
    for equation in jaxpr.eqns:
        params = [p for param in equation.params.values() for p in (param if isinstance(param, tuple) else (param,))]
        inner = [equations(param.jaxpr) for param in params if hasattr(param, "jaxpr")]
        count += sum(inner) if inner else 1
    return count
