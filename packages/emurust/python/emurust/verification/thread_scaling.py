"""What more threads give: many consoles of Windfall, short blocks of one thread and of all cores' in turns.

On a shared host a neighbour takes half of a core, or all of it, for seconds to minutes, and most of the time if it is
busy; two threads suffer where one has a core to evade to.  So a yardstick that touches no memory, hashing, runs before
and after each turn on as many threads, and tells the turns in which the machine gave its cores whole
(`tables.undisturbed`).  Nothing of the emulator takes part in that choice.
"""

from __future__ import annotations

import hashlib
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from emurust.verification.benchmarks import FRAME_SKIP, emurust_workload, thread_counts
from rlenv_bench.workloads import Workload

BATCH: Final = 128
HASHES: Final = 20_000  # of the yardstick; 8 ms here


def measure(seconds: float) -> dict[str, Any]:
    """Wall times, as `tables.scaling` reads them.

    Returns:
        ``{"batch": …, "frames_per_s": {threads: [of each turn]}, "yardstick_s": {threads: [before each turn, and after
        the last]}}``.
    """
    counts = thread_counts()
    workloads = {count: emurust_workload(BATCH, count) for count in counts}
    speeds: dict[str, list[float]] = {str(count): [] for count in counts}
    yardstick: dict[str, list[float]] = {str(count): [] for count in counts}
    with ThreadPoolExecutor(max(counts)) as pool:

        def hash_on_threads() -> None:
            for count in counts:
                begun = time.perf_counter()
                list(pool.map(_hash, range(count)))
                yardstick[str(count)].append(time.perf_counter() - begun)

        for workload in workloads.values():
            workload.begin()
            workload.call()
        hash_on_threads()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for count, workload in workloads.items():
                speeds[str(count)].append(_speed(workload))
            hash_on_threads()
    return {"batch": BATCH, "frames_per_s": speeds, "yardstick_s": yardstick}


def _hash(salt: int) -> None:
    hashlib.pbkdf2_hmac("sha512", b"yardstick", bytes([salt]), HASHES)


def _speed(workload: Workload) -> float:
    begun = time.perf_counter()
    workload.call()
    return workload.batch * workload.steps * FRAME_SKIP / (time.perf_counter() - begun)
