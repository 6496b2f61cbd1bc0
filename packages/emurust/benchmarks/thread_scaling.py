"""What more threads give: many consoles of Windfall, short blocks of one thread and of all cores' in turns.

The fastest block of each is shown beside the median, as with `timeit`: on shared hosts neighbours take parts of single
cores for minutes, which slows two threads even where they do not disturb each other.
"""

from __future__ import annotations

import time
from typing import Any, Final

from windfall_sides import FRAME_SKIP, emurust_side, thread_counts

from rlenv_shared.bench.sides import Side

BATCH: Final = 128


def measure(seconds: float) -> dict[str, Any]:
    """``{"batch": …, "frames_per_s": {threads: [of each block]}}``; wall time."""
    sides = {count: emurust_side(BATCH, count) for count in thread_counts()}
    found: dict[int, list[float]] = {count: [] for count in sides}
    for side in sides.values():
        side.begin()
        side.call()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for count, side in sides.items():
            found[count].append(_speed(side))
    return {"batch": BATCH, "frames_per_s": {str(count): speeds for count, speeds in found.items()}}


def _speed(side: Side) -> float:
    begun = time.perf_counter()
    side.call()
    return side.batch * side.steps * FRAME_SKIP / (time.perf_counter() - begun)
