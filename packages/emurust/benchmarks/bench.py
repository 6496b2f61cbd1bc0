"""Speed of emurust and of PyBoy, measured in turns on one machine.

    ROMS=folder python benchmarks/bench.py     some minutes; writes files in benchmarks/results/
    python benchmarks/bench.py --quick         short blocks and few batches, prints only

First, if ROMS names the homebrew collection (tests/l3_rollout/homebrew.json), CPU time per frame of one console on each
of its ROMs, resets, memory, and what a second thread gives.  Then 1 to 256 consoles of Windfall at 24 frames a step,
wall time: emurust with one thread and with all, PyBoy in one process and in two.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any, Final

import homebrew_speed
import numpy as np
import own_tables
import thread_scaling
from windfall_sides import ENVIRONMENT, FRAME_SKIP, PACKAGE, emurust_side, pyboy_side, thread_counts

from rlenv_bench import results
from rlenv_bench.harness import Run, Timing, exclusive, measure
from rlenv_bench.workloads import Side
from rlenv_shared import machine

BATCHES: Final = (1, 4, 16, 64, 128, 256)
SCALING_SECONDS: Final = 120.0
QUICK_BATCHES: Final = (1, 4)
RESULTS: Final = PACKAGE / "benchmarks" / "results"


def make_sides(batch: int) -> list[Side]:
    """All sides at one batch size."""
    processes = 1, 2
    ours: list[Side] = [emurust_side(batch, count) for count in thread_counts()]
    return [*ours, *(pyboy_side(batch, count) for count in processes if count <= batch)]


def measure_homebrew(folder: Path, frames: int, repeats: int, seconds: float) -> dict[str, Any]:
    """CPU time per frame, resets and memory on every ROM, and what threads give; prints the table."""
    about, git = machine.describe(), machine.git_state(PACKAGE)
    with exclusive():
        found = homebrew_speed.measure(folder, frames, repeats)
        found["threads"] = thread_scaling.measure(seconds)
    head = {"format": homebrew_speed.FORMAT, "schema": homebrew_speed.SCHEMA, **git, "machine": about}
    print(own_tables.homebrew({**head, **found}))
    return {**head, **found}


def measure_windfall(timing: Timing, batches: tuple[int, ...]) -> dict[str, Any]:
    """Steps per second at every batch size; prints the table."""
    about, git = machine.describe(), machine.git_state(PACKAGE)
    runs: list[Run] = []
    for group, batch in enumerate(batches):
        found = measure(make_sides(batch), timing, group)
        for run in found:
            frames = results.human(float(np.median(run.sps)) * FRAME_SKIP)
            print(f"batch {run.batch:4}  {run.side:20} {frames:>8} frames/s", flush=True)
        runs += found
    return results.build(ENVIRONMENT, runs, about, git, machine.command_line())


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="short blocks, few batches; nothing is written")
    parser.add_argument("--frames", type=int, default=480, help="frames per sample of a homebrew ROM")
    parser.add_argument("--repeats", type=int, default=15, help="samples of a homebrew ROM")
    parser.add_argument("--only", choices=("homebrew", "windfall"), help="one of the two parts")
    options = parser.parse_args()
    folder = os.environ.get("ROMS")
    if folder and options.only != "windfall":
        frames, repeats, seconds = (24, 2, 1.0) if options.quick else (options.frames, options.repeats, SCALING_SECONDS)
        found = measure_homebrew(Path(folder), frames, repeats, seconds)
        if not options.quick:
            path = results.default_path(own_tables.SPEEDS, found)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(found, indent=1) + "\n")
            print(f"written to {path}")
    elif not folder:
        print("homebrew: not measured; set ROMS to a folder with the files of tests/l3_rollout/homebrew.json")
    if options.only != "homebrew":
        timing = Timing(blocks=4, block_s=0.1) if options.quick else Timing()
        result = measure_windfall(timing, QUICK_BATCHES if options.quick else BATCHES)
        if not options.quick:
            path = results.default_path(RESULTS, result)
            results.save(result, path)
            print(f"written to {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
