"""CPU time per frame on the homebrew collection: emurust and PyBoy in turns on one core, one console each, same flags.

Then resets, memory, and what a second thread gives.  ``ROMS=folder python -m emurust.verification.homebrew_speed
[--quick]`` takes some minutes and writes a file in results/homebrew; the folder holds the files
that homebrew.json lists.  The file keeps every sample; the README's table follows from them (`tables`)::

    {"format": "emurust-homebrew-speed", "schema": 3, "git": …, "machine": {…}, "frames": 480,
     "settings": {"skip24_sound": {"<rom>": {"emurust": [s, …], "PyBoy": [s, …]}}},
     "reset": {"<rom>": {"emurust": [s, …], "PyBoy": [s, …]}},
     "bytes_per_console": {"<rom>": {"emurust": …, "PyBoy": …}},
     "threads": {"batch": 128, "frames_per_s": {"1": […], "2": […]}, "yardstick_s": {"1": […], "2": […]}}}
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from emurust import BatchEnv, GameBoy, verify
from emurust.game_boy import make_machine
from emurust.verification import memory, tables, thread_scaling
from emurust.verification.collection import homebrew
from emurust.verification.journal import adapter
from emurust.verification.tables import ratio
from rlenv_bench import results
from rlenv_bench.harness import exclusive
from rlenv_shared import machine

FORMAT: Final = "emurust-homebrew-speed"
SCHEMA: Final = 3
# frames per tick, drawn, sound registers emulated
SETTINGS: Final = {
    "drawn_sound": (1, True, True),
    "skip24_sound": (24, True, True),
    "skip24_silent": (24, True, False),
}
WARM_UP: Final = 240  # frames after the boot ROM, with a random pad, to get past title screens
BATCH: Final = 128
SCALING_SECONDS: Final = 120.0
LOADS: Final = 20


@contextlib.contextmanager
def one_core() -> Iterator[None]:
    """Both run on the same core: on shared hosts single cores are slowed by neighbours, for minutes."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def own_frames(console: Any, frames: int, skip: int, sound: bool) -> float:
    """CPU seconds for ``frames`` frames in ticks of ``skip``, the last of each drawn."""
    begun = time.process_time()
    for _ in range(frames // skip):
        for frame in range(skip):
            last = frame == skip - 1
            console.run_frame(last, sound and last)
    return time.process_time() - begun


def frame_times(rom: bytes, setting: str, frames: int, repeats: int) -> dict[str, list[float]]:
    """CPU seconds per frame of both, measured in turn, from the same moment of the same game."""
    skip, _, sound = SETTINGS[setting]
    color = bool(rom[0x143] & 0x80)
    follower = verify.Follower(make_machine(rom, adapter().boot_rom(color), color, sound))
    times: dict[str, list[float]] = {"emurust": [], "PyBoy": []}
    with adapter().PyBoyProcess(rom, color, sound, timeout=300) as reference:
        for mask in verify.pad_masks(1, (64 + WARM_UP) // 8):
            follower.step(mask, 8, "none", sound)
            reference.call("step", mask, 8, "none", sound)
        for _ in range(repeats):
            times["emurust"].append(own_frames(follower.machine, frames, skip, sound) / frames)
            times["PyBoy"].append(reference.call("time_frames", frames, skip, True, sound) / frames)
    return times


def reset_times(rom: bytes, repeats: int) -> dict[str, list[float]]:
    """CPU seconds per reset to a state: of `BATCH` consoles on one thread; of one PyBoy."""
    game = GameBoy(rom)
    game.tick(WARM_UP, False)
    env = BatchEnv(game, BATCH, observation=[0xC000], frame_skip=1, threads=1)
    times: dict[str, list[float]] = {"emurust": [], "PyBoy": []}
    everyone, actions = np.ones(BATCH, np.bool_), np.zeros(BATCH, np.uint8)
    with adapter().PyBoyProcess(rom) as reference:
        reference.call("step", 0, 64 + WARM_UP, "none", True)
        state = reference.call("save_state")
        for _ in range(repeats):
            env.step(actions)
            begun = time.process_time()
            env.reset(everyone)
            times["emurust"].append((time.process_time() - begun) / BATCH)
            times["PyBoy"].append(reference.call("time_load", state, LOADS))
    return times


def measure(folder: Path, frames: int, repeats: int) -> dict[str, Any]:
    """Every ROM in every setting."""
    settings: dict[str, dict[str, Any]] = {name: {} for name in SETTINGS}
    resets, sizes = {}, {}
    for name, rom in homebrew(folder):
        with one_core():
            resets[name] = reset_times(rom, repeats)
            for setting in SETTINGS:
                settings[setting][name] = frame_times(rom, setting, frames, repeats)
        sizes[name] = {implementation: memory.measure(folder / name, implementation) for implementation in memory.COUNT}
        speeds = ", ".join(f"{key} {ratio(settings[key][name]):.2f}×" for key in SETTINGS)
        print(f"{name}: {speeds}; reset {ratio(resets[name]):.0f}×; {sizes[name]} bytes", flush=True)
    return {"frames": frames, "warm_up": WARM_UP, "settings": settings, "reset": resets, "bytes_per_console": sizes}


def measure_all(folder: Path, frames: int, repeats: int, seconds: float) -> dict[str, Any]:
    """CPU time per frame, resets and memory on every ROM, and what threads give; prints the table."""
    about, git = machine.describe(), machine.git_state(tables.PACKAGE)
    with exclusive():
        found = measure(folder, frames, repeats)
        found["threads"] = thread_scaling.measure(seconds)
    content = {"format": FORMAT, "schema": SCHEMA, **git, "machine": about, **found}
    print(tables.homebrew(content))
    return content


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description="CPU time per frame on the homebrew collection in $ROMS.")
    parser.add_argument("--quick", action="store_true", help="short samples; nothing is written")
    parser.add_argument("--frames", type=int, default=480, help="per sample of a ROM")
    parser.add_argument("--repeats", type=int, default=15, help="samples of a ROM")
    options = parser.parse_args()
    if "ROMS" not in os.environ:
        print("set ROMS to a folder with the files that homebrew.json lists", file=sys.stderr)
        return 1
    frames, repeats, seconds = (24, 2, 1.0) if options.quick else (options.frames, options.repeats, SCALING_SECONDS)
    found = measure_all(Path(os.environ["ROMS"]), frames, repeats, seconds)
    if not options.quick:
        path = results.default_path(tables.SPEEDS, found)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(found, indent=1) + "\n")
        print(f"written to {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
