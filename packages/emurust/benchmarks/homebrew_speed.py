"""CPU time per frame on the homebrew collection: emurust and PyBoy in turns on one core, one console each, same flags.

The result file keeps every sample; the README's table follows from them (`own_tables`)::

    {"format": "emurust-homebrew-speed", "schema": 3, "git": …, "machine": {…}, "frames": 480,
     "settings": {"skip24_sound": {"<rom>": {"emurust": [s, …], "PyBoy": [s, …]}}},
     "reset": {"<rom>": {"emurust": [s, …], "PyBoy": [s, …]}},
     "bytes_per_console": {"<rom>": {"emurust": …, "PyBoy": …}},
     "threads": {"batch": 128, "frames_per_s": {"1": […], "2": […]}, "yardstick_s": {"1": […], "2": […]}}}
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import memory
import numpy as np
from own_tables import ratio

from emurust import BatchEnv, GameBoy, verify
from emurust.game_boy import make_machine

PACKAGE: Final = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PACKAGE.parents[1]), str(PACKAGE / "tests" / "l3_rollout")]
from collection import homebrew  # noqa: E402
from references.pyboy.adapter import PyBoyProcess, boot_rom  # noqa: E402

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


def own_frames(machine: Any, frames: int, skip: int, sound: bool) -> float:
    """CPU seconds for ``frames`` frames in ticks of ``skip``, the last of each drawn."""
    begun = time.process_time()
    for _ in range(frames // skip):
        for frame in range(skip):
            last = frame == skip - 1
            machine.run_frame(last, sound and last)
    return time.process_time() - begun


def frame_times(rom: bytes, setting: str, frames: int, repeats: int) -> dict[str, list[float]]:
    """CPU seconds per frame of both, measured in turn, from the same moment of the same game."""
    skip, _, sound = SETTINGS[setting]
    color = bool(rom[0x143] & 0x80)
    follower = verify.Follower(make_machine(rom, boot_rom(color), color, sound))
    times: dict[str, list[float]] = {"emurust": [], "PyBoy": []}
    with PyBoyProcess(rom, color, sound, timeout=300) as reference:
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
    with PyBoyProcess(rom) as reference:
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
