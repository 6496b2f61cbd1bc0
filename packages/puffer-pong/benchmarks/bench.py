"""Speed of Pong in Rust, in JAX and in the original C, measured in turns on one machine.

    python benchmarks/bench.py            full sweep, some minutes; writes a file in benchmarks/results/
    python benchmarks/bench.py --quick    short blocks, prints only

C runs in its own tight loop on one thread and draws its actions there.  Rust is called from Python at every step, as
its users do, and reads actions drawn beforehand.  JAX draws actions in its scan and keeps all outputs in memory.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import sys
from pathlib import Path
from typing import Any, Final

import numpy as np

from puffer_pong import PongBuffers
from puffer_pong.jax import Pong
from rlenv_bench import results
from rlenv_bench.harness import Run, Timing, sweep
from rlenv_bench.workloads import HostSide, Side, jax_rollout
from rlenv_shared import machine

PACKAGE: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PACKAGE.parents[1]))  # references.<name>.adapter
from references.puffer_pong.adapter import PufferPong  # noqa: E402

ENVIRONMENT: Final = "puffer_pong/Pong-v0"
FRAMESKIPS: Final = (1, 8)
BATCHES: Final = (1, 64, 1024, 4096, 16384, 65536)
STEPS: Final = 128  # of each environment per call: a learner's rollout
C: Final = "C, 1 thread"


def c_side(batch: int, frameskip: int) -> HostSide:
    """The unmodified pong.h in a C loop, with its environments' own generators."""
    pong = PufferPong(batch, frameskip=frameskip)
    reward_sum = [0.0]

    def advance(steps: int) -> None:
        _, reward_sum[0] = pong.bench(steps)

    return HostSide(
        C,
        batch,
        STEPS,
        reset=lambda: pong.reset(0),
        advance=advance,
        read_checksum=lambda: reward_sum[0] + float(pong.observations.sum(dtype=np.float64)),
        settings={"frameskip": frameskip, "policy": "random", "outputs": "overwritten"},
    )


def rust_side(batch: int, frameskip: int, threads: int) -> HostSide:
    """The Rust core through Python, one call per step."""
    pong = PongBuffers(batch, num_threads=threads, frameskip=frameskip)
    actions = np.random.default_rng(0).integers(0, 3, (STEPS, batch), np.int32)

    def advance(steps: int) -> None:
        for t in range(steps):
            pong.step(actions[t])

    return HostSide(
        f"Rust, {threads} thread{'s' * (threads > 1)}",
        batch,
        STEPS,
        reset=lambda: pong.reset(0),
        advance=advance,
        read_checksum=lambda: float(pong.observations.sum(dtype=np.float64) + pong.rewards.sum(dtype=np.float64)),
        settings={"frameskip": frameskip, "policy": "random", "outputs": "overwritten"},
    )


def make_sides(batch: int, frameskip: int) -> list[Side]:
    """All sides at one batch size."""
    threads = sorted({1, os.cpu_count() or 1})
    env = Pong(frameskip=frameskip)
    return [
        c_side(batch, frameskip),
        *(rust_side(batch, frameskip, n) for n in threads),
        jax_rollout(env, None, batch, STEPS, name="JAX", keep_outputs=True, settings={"frameskip": frameskip}),
    ]


def print_run(run: Run) -> None:
    """A line per finished run."""
    speed = results.human(float(np.median(run.sps)))
    print(f"frameskip {run.settings['frameskip']}  batch {run.batch:6,}  {run.side:16} {speed:>8} steps/s", flush=True)


def measure(batches: list[int], timing: Timing) -> list[Run]:
    """One sweep per frameskip; groups are numbered through."""
    runs: list[Run] = []
    for frameskip in FRAMESKIPS:
        found = sweep(lambda batch, n=frameskip: make_sides(batch, n), timing, batches, on_run=print_run)
        first = 1 + max((run.group for run in runs), default=-1)
        runs += [dataclasses.replace(run, group=first + run.group) for run in found]
    return runs


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="4 blocks of 0.1 s; nothing is written")
    parser.add_argument("--batches", type=int, nargs="+", default=BATCHES)
    arguments = parser.parse_args()
    about, git = machine.describe(), machine.git_state(PACKAGE)
    timing = Timing(blocks=4, block_s=0.1) if arguments.quick else Timing()
    result: dict[str, Any] = results.build(
        ENVIRONMENT, measure(list(arguments.batches), timing), about, git, machine.command_line()
    )
    print(results.table(result))
    if not arguments.quick:
        path = results.default_path(PACKAGE / "benchmarks" / "results", result)
        results.save(result, path)
        print(f"written to {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
