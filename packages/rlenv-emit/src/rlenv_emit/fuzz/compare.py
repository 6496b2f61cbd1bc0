"""Runs random programs in both forms and counts the bits in which they differ."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_emit.emit import emit
from rlenv_emit.fuzz.generate import INPUTS, Program, edge_values, generate, run


@dataclasses.dataclass(frozen=True)
class Difference:
    """The first lane in which a program's results differ."""

    seed: int
    result: int
    lane: int
    expected: str
    found: str


def inputs(rows: int, seed: int) -> tuple[Any, ...]:
    """Arguments of every dtype."""
    rng = np.random.default_rng([0xE0, seed])
    return tuple(jnp.asarray(edge_values(dtype, rows, rng)) for dtype in INPUTS)


def compare(
    seeds: Sequence[int], rows: int = 1024, form: str | None = None, counts: Counter[str] | None = None
) -> list[Difference]:
    """The differences of some programs, compiled into one object.

    Args:
        seeds: of the programs.
        rows: lanes; an odd number pads the last group.
        form: of the processor.
        counts: are told what the programs are made of.
    """
    if not jax.config.jax_enable_x64:  # type: ignore[attr-defined]
        raise RuntimeError("comparing needs 64-bit numbers: set JAX_ENABLE_X64=1")
    programs = [generate(seed, counts) for seed in seeds]
    given = inputs(rows, seeds[0])
    scalars = tuple(jax.ShapeDtypeStruct((), array.dtype) for array in given)

    def together(*arguments: Any) -> Any:
        return [run(program, arguments) for program in programs]

    emitted = jax.jit(jax.vmap(emit(together, *scalars, form=form, threads=1)))(*given)
    found: list[Difference] = []
    for seed, program, results in zip(seeds, programs, emitted, strict=True):
        found += _differences(seed, program, given, results)
    return found


def _differences(seed: int, program: Program, given: tuple[Any, ...], results: list[Any]) -> list[Difference]:
    found = []
    for number, (one, other) in enumerate(zip(run(program, given), results, strict=True)):
        expected, got = np.asarray(one), np.asarray(other)
        same = equal(expected, got)
        if not same.all():
            lane = int(np.argmin(same))
            found.append(Difference(seed, number, lane, repr(expected[lane]), repr(got[lane])))
    return found


def equal(expected: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Where two arrays have equal bits; any NaN equals any other, whose bits nobody promises."""
    if expected.dtype != found.dtype or expected.shape != found.shape:
        return np.zeros(np.broadcast_shapes(expected.shape, found.shape), np.bool_)
    same = expected == found
    if expected.dtype.kind == "f":
        same = (same & (np.signbit(expected) == np.signbit(found))) | (np.isnan(expected) & np.isnan(found))
    return same
