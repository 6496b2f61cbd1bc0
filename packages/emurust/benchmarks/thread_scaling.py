"""What more threads give: many consoles of Windfall, short blocks of one thread and of all cores' in turns.

The fastest block of each counts, as with `timeit`: on shared hosts neighbours take parts of single cores for minutes,
which slows two threads even where they do not disturb each other.
"""

from __future__ import annotations

import os
import time
from typing import Any, Final

import numpy as np
from windfall_sides import FRAME_SKIP, STARTS

from emurust.games import windfall

BATCH: Final = 128
STEPS: Final = 4  # a block, of FRAME_SKIP frames each


def measure(seconds: float) -> dict[str, Any]:
    """``{"batch": …, "frames_per_s": {threads: [of each block]}}``; wall time."""
    game = windfall.game(STARTS)
    counts = sorted({1, os.cpu_count() or 1})
    options = {"frame_skip": FRAME_SKIP, "press_frames": FRAME_SKIP, "observation": windfall.OBSERVATION}
    envs = {count: game.vector_env(BATCH, threads=count, **options) for count in counts}
    actions = np.random.default_rng(0).integers(0, len(windfall.ACTIONS), (STEPS, BATCH))
    found: dict[int, list[float]] = {count: [] for count in counts}
    for env in envs.values():
        env.reset(seed=0)
        _block(env, actions)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for count, env in envs.items():
            found[count].append(_block(env, actions))
    return {"batch": BATCH, "frames_per_s": {str(count): speeds for count, speeds in found.items()}}


def _block(env: Any, actions: np.ndarray) -> float:
    begun = time.perf_counter()
    for row in actions:
        env.step(row)
    return actions.size * FRAME_SKIP / (time.perf_counter() - begun)
