"""Speed of emurust and of PyBoy, measured in turns on one machine.

    ROMS=folder python benchmarks/bench.py     some minutes; writes files in benchmarks/results/
    python benchmarks/bench.py --quick         short blocks and few batches, prints only

First many consoles of Windfall at 24 frames a step, wall time: emurust with one thread and with all, PyBoy in one
process and in two.  Then, if ROMS names the homebrew collection (tests/l3_rollout/homebrew.json), CPU time
per frame of one console on each of its ROMs, and resets.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any, Final

import homebrew_speed
import homebrew_table
import numpy as np

from emurust.games import windfall
from rlenv_shared.bench import machine, report
from rlenv_shared.bench.harness import Run, Timing, exclusive, sweep
from rlenv_shared.bench.sides import HostSide, Side

PACKAGE: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PACKAGE / "tests"))
from pyboy_windfall import pyboy_vector_env  # noqa: E402

ENVIRONMENT: Final = "emurust/Windfall-v0"
BATCHES: Final = (1, 4, 16, 64, 128, 256)
PYBOY_BATCHES: Final = (1, 4, 16, 64)
FRAME_SKIP: Final = 24
STEPS: Final = 4
STARTS: Final = 16
ABOUT: Final = {"frame_skip": FRAME_SKIP, "sound": "registers", "observation": "memory"}


def side(env: Any, name: str) -> HostSide:
    """Random actions, drawn beforehand."""
    actions = np.random.default_rng(0).integers(0, len(windfall.ACTIONS), (STEPS, env.num_envs))
    last: list[Any] = [None]

    def advance(steps: int) -> None:
        for t in range(steps):
            last[0] = env.step(actions[t])

    return HostSide(
        name,
        env.num_envs,
        STEPS,
        reset=lambda: env.reset(seed=0),
        advance=advance,
        read_checksum=lambda: float(last[0][0].sum(dtype=np.float64)),
        settings=ABOUT,
    )


def make_sides(batch: int) -> list[Side]:
    """All sides at one batch size."""
    cores = os.cpu_count() or 1
    game = windfall.game(STARTS)
    sides: list[Side] = [
        side(
            game.vector_env(batch, frame_skip=FRAME_SKIP, press_frames=FRAME_SKIP, threads=threads),
            f"emurust, {threads} thread{'s' * (threads > 1)}",
        )
        for threads in sorted({1, cores})
    ]
    for processes in (1, 2):
        if batch in PYBOY_BATCHES and batch >= processes:
            env = pyboy_vector_env(batch, starts=STARTS, processes=processes, frame_skip=FRAME_SKIP)
            sides.append(side(env, f"PyBoy, {processes} process{'es' * (processes > 1)}"))
    return sides


def print_run(run: Run) -> None:
    """A line per finished run."""
    frames = report.human(float(np.median(run.sps)) * FRAME_SKIP)
    print(f"batch {run.batch:4}  {run.side:20} {frames:>8} frames/s", flush=True)


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--quick", action="store_true", help="4 blocks of 0.1 s, 24 frames a sample; nothing is written"
    )
    parser.add_argument("--batches", type=int, nargs="+", default=BATCHES)
    parser.add_argument("--frames", type=int, default=480, help="frames per sample of a homebrew ROM")
    parser.add_argument("--repeats", type=int, default=5, help="samples of a homebrew ROM")
    options = parser.parse_args()
    about, git = machine.describe(), machine.git_state(PACKAGE)
    folder = os.environ.get("ROMS")
    if folder:
        frames, repeats = (24, 2) if options.quick else (options.frames, options.repeats)
        with exclusive():
            speeds = homebrew_speed.measure(Path(folder), frames, repeats)
        print(homebrew_table.table({"machine": about, **speeds}))
        if not options.quick:
            head = {"format": homebrew_speed.FORMAT, "schema": 1, **git, "machine": about}
            path = report.default_path(homebrew_table.RESULTS, {"machine": about, **git})
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps({**head, **speeds}, indent=1) + "\n")
            print(f"written to {path}")
    else:
        print("homebrew: not measured; set ROMS to a folder with the files of tests/l3_rollout/homebrew.json")
    timing = Timing(blocks=4, block_s=0.1) if options.quick else Timing()
    runs = sweep(make_sides, timing, options.batches, on_run=print_run)
    result: dict[str, Any] = report.build(ENVIRONMENT, runs, about, git, machine.command_line())
    print(report.table(result))
    if not options.quick:
        path = report.default_path(PACKAGE / "benchmarks" / "results", result)
        path.parent.mkdir(parents=True, exist_ok=True)
        report.save(result, path)
        print(f"written to {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
