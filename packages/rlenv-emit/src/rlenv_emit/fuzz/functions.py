"""Compare functions of one number with XLA's: ``JAX_ENABLE_X64=1 python -m rlenv_emit.fuzz.functions --out FILE``.

Every float32 there is, and many of float64: a third of any bits, a third at and beside multiples of a quarter turn and
powers of two, a third of the size that environments have.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import jax
import numpy as np

from rlenv_emit import processor
from rlenv_emit.bits import equal
from rlenv_emit.native import Native
from rlenv_shared import machine

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {"sin": jax.lax.sin, "cos": jax.lax.cos, "log": jax.lax.log}
CHUNK: Final = (1 << 20) + 3
"""Numbers in a call; odd, so that the last group of lanes is padded, and XLA's last lanes are scalars."""
FLOAT32: Final = 1 << 32


def float32_bits(first: int, count: int) -> np.ndarray:
    """Consecutive float32 by their bits."""
    return np.arange(first, first + count, dtype=np.uint64).astype(np.uint32).view(np.float32)


def float64_values(number: int, count: int) -> np.ndarray:
    """Numbers of float64, drawn anew for every number."""
    rng = np.random.default_rng([0xF64, number])
    bits = rng.integers(0, 1 << 64, count, np.uint64, endpoint=False)
    any_bits = bits.view(np.float64)
    sizes = np.exp2(rng.uniform(0, 62, count))
    at_edge = np.floor(rng.random(count) * sizes) * np.where(rng.random(count) < 0.5, math.pi / 4, 1.0)
    at_edge = np.where(rng.random(count) < 0.2, np.exp2(rng.integers(-1074, 1024, count).astype(np.float64)), at_edge)
    beside = at_edge.view(np.int64) + rng.integers(-2, 3, count)
    plain = rng.normal(size=count) * 10 ** rng.uniform(-6, 3, count)
    kind = rng.integers(0, 3, count)
    return np.select([kind == 0, kind == 1], [any_bits, beside.view(np.float64)], plain)


class Pair:
    """A function in both forms, for arrays of one dtype and size."""

    def __init__(self, name: str, dtype: str, count: int, form: str) -> None:
        function = FUNCTIONS[name]
        closed = jax.make_jaxpr(function)(jax.ShapeDtypeStruct((), np.dtype(dtype)))
        self._xla = jax.jit(function)
        self._native = Native.of(closed, [True], count, processor.named(form))

    def differences(self, values: np.ndarray) -> np.ndarray:
        """The numbers for which the two differ; any NaN equals any other."""
        return values[~equal(np.asarray(self._xla(values)), self._native([values])[0])]


def compare(name: str, dtype: str, form: str, numbers: int) -> dict[str, Any]:
    """Compare that many numbers, rounded up to whole calls; in float32 all that there are, where it is so many."""
    pair, differ, first_found, done = Pair(name, dtype, CHUNK, form), 0, list[str](), 0
    while done < numbers:
        # The last call of float32 begins again at 0.
        values = float32_bits(done % FLOAT32, CHUNK) if dtype == "float32" else float64_values(done, CHUNK)
        found = pair.differences(values)
        differ += len(found)
        first_found += [float(value).hex() for value in found[: 10 - len(first_found)]]
        done += CHUNK
    return {"function": name, "dtype": dtype, "form": form, "numbers": done, "differ": differ, "first": first_found}


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 1 where any bit differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--functions", nargs="+", default=list(FUNCTIONS), choices=FUNCTIONS)
    parser.add_argument("--float32", type=int, default=FLOAT32, help="how many")
    parser.add_argument("--float64", type=int, default=20_000_000, help="how many")
    forms = [form.name for form in processor.FORMS if processor.runs(form)]
    parser.add_argument("--forms", nargs="+", default=forms[:1], choices=forms)
    given = parser.parse_args(arguments)
    found: list[dict[str, Any]] = []
    about = {"machine": machine.describe(), "command": machine.command_line()}
    about |= machine.git_state(Path(__file__).parent)  # before the report changes it
    for form in given.forms:
        for name in given.functions:
            for dtype, numbers in (("float32", given.float32), ("float64", given.float64)):
                found.append(compare(name, dtype, form, numbers))
                print(found[-1], flush=True)
                given.out.write_text(json.dumps({"compared": found, **about}, indent=1) + "\n")
    return 1 if any(one["differ"] for one in found) else 0


if __name__ == "__main__":
    sys.exit(main())
