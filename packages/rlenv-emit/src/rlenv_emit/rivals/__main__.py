"""Measure three back ends on the same programs: ``python -m rlenv_emit.rivals --out FILE``.

A rollout of random legal play, ``--steps`` steps in one call, on one thread: compiled by the system's compiler, by LLVM
through llvmlite and by Dr.Jit.  Times are those of the processor, so that they mean something beside other work; every
word of the results is compared with that of the C++ form.  Needs ``pip install rlenv-emit[rivals]``.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import resource
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import jax
import numpy as np

from rlenv_bench import workloads
from rlenv_emit import build, processor
from rlenv_emit.bits import equal
from rlenv_emit.cpp.source import source
from rlenv_emit.env import environment
from rlenv_emit.front.trace import program
from rlenv_emit.ir import Program, size
from rlenv_emit.rivals import dr, llvm
from rlenv_shared import machine

GAMES: Final = (
    "cartpole_jax:CartPole",
    "rlenv_games:Skirmish",
    "rlenv_emit.synthetic:Synthetic",
)
BLOCK_S: Final = 0.3
"""Processor time of a block, at least."""


class Rollout:
    """What all back ends are given: the jaxpr of one environment's rollout, and arguments of a batch."""

    def __init__(self, game: str, batch: int, steps: int) -> None:
        env = environment(game)
        params = env.default_params
        plain = workloads.jax_rollout(env, params, batch, steps, name=game, observe=False)
        one, _ = workloads.rollout_function(env, params, 1, steps, observe=False)
        start = jax.tree.map(lambda leaf: np.asarray(leaf).reshape(batch, 1, *leaf.shape[1:]), plain.start)
        example = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape[1:], leaf.dtype), start)
        self.closed = jax.make_jaxpr(lambda carry: one(carry, params))(example)
        self.arguments = [np.ascontiguousarray(leaf) for leaf in jax.tree.leaves(start)]
        self.batch, self.varying = batch, [True] * len(self.arguments)

    def program(self) -> Program:
        """The program, made anew."""
        return program(self.closed, self.varying)

    def results(self) -> list[np.ndarray]:
        """Arrays for what it gives."""
        return [np.zeros((self.batch, *aval.shape), aval.dtype) for aval in self.closed.out_avals]


def processor_seconds() -> float:
    """Of this process and of those that it waited for."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def measured(make: Callable[[], Callable[[], Any]], results: Callable[[], list[np.ndarray]], blocks: int) -> Any:
    """Seconds to make and to call, and what came of it."""
    begin = processor_seconds()
    call = make()
    call()
    first = processor_seconds() - begin
    times = []
    for _ in range(blocks):
        begin, calls = processor_seconds(), 0
        while (spent := processor_seconds() - begin) < BLOCK_S:
            call()
            calls += 1
        times.append(spent / calls)
    return {"compile_s": first - min(times), "call_s": min(times)}, results()


def with_cpp(rollout: Rollout, blocks: int) -> Any:
    """Through the system's compiler."""
    made = rollout.results()
    with tempfile.TemporaryDirectory() as folder:

        def make() -> Callable[[], Any]:
            path = build.compile_text(source(rollout.program()), processor.named("avx512"), Path(folder), "key")
            run = ctypes.CDLL(str(path)).rlenv_run
            run.argtypes = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long
            return lambda: run(llvm.pointers(rollout.arguments), llvm.pointers(made), rollout.batch)

        return measured(make, lambda: made, blocks)


def with_llvm(rollout: Rollout, blocks: int) -> Any:
    """Through llvmlite."""
    made = rollout.results()

    def make() -> Callable[[], Any]:
        compiled = llvm.Compiled(rollout.program())
        return lambda: compiled(rollout.arguments, made, rollout.batch)

    return measured(make, lambda: made, blocks)


def with_dr(rollout: Rollout, blocks: int) -> Any:
    """Through Dr.Jit, which records the program in the first call."""
    last: list[Any] = []

    def make() -> Callable[[], Any]:
        played = dr.Played(rollout.program(), rollout.batch)
        columns = played.taken(rollout.arguments)

        def call() -> None:
            last[:] = played(columns)

        return call

    def results() -> list[np.ndarray]:
        values = iter(np.asarray(value) for value in last)
        return [
            np.stack([np.broadcast_to(next(values), rollout.batch) for _ in range(array[0].size)], -1).reshape(
                array.shape
            )
            for array in rollout.results()
        ]

    return measured(make, results, blocks)


BACK_ENDS: Final = {"c++": with_cpp, "llvmlite": with_llvm, "drjit": with_dr}
PACKAGES: Final = ("jax", "llvmlite", "drjit")


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 1 where any bit differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--games", nargs="+", default=GAMES, metavar="MODULE:ENVIRONMENT")
    parser.add_argument("--back-ends", nargs="+", default=list(BACK_ENDS), choices=BACK_ENDS)
    parser.add_argument("--batch", type=int, default=2048, help=f"a multiple of {llvm.LANES}")
    parser.add_argument("--steps", type=int, default=64)
    parser.add_argument("--blocks", type=int, default=5)
    given = parser.parse_args(arguments)
    rows: list[dict[str, Any]] = []
    for game in given.games:
        rollout = Rollout(game, given.batch, given.steps)
        statements, (_, expected) = size(rollout.program().block), with_cpp(rollout, 1)
        for name in given.back_ends:
            times, found = BACK_ENDS[name](rollout, given.blocks)
            differ = sum(int((~equal(one, other)).sum()) for one, other in zip(expected, found, strict=True))
            row = {"game": game, "back_end": name, "statements": statements, "words_that_differ": differ, **times}
            rows.append({**row, "million_steps_s": given.batch * given.steps / times["call_s"] / 1e6})
            print(rows[-1], flush=True)
            versions = {package: metadata.version(package) for package in PACKAGES}
            about = {"machine": machine.describe(), "command": machine.command_line(), "versions": versions}
            settings = {"batch": given.batch, "steps": given.steps, "blocks": given.blocks}
            report = {"measured": rows, **settings, **about, **machine.git_state(Path(__file__).parent)}
            given.out.write_text(json.dumps(report, indent=1) + "\n")
    return 1 if any(row["words_that_differ"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
