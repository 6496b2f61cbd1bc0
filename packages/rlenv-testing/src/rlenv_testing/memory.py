"""Memory of a test process: what compiled and traced programs hold is given back between test files and large tests.

Two limits are kept.  Linux allows a process 65,530 areas of memory, every compiled program takes some, and the compiler
that gets none ends the process.  And traced programs of the large engines hold hundreds of megabytes each, which a
laptop with several workers does not have.

What a file keeps for all its tests, as recorded games, is not JAX's to drop.  Where it is over a limit by itself,
dropping again after each test would cost seconds each time and free nothing: it is done again after further growth.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from pathlib import Path

MOST_AREAS = 20_000  # of memory, of the 65,530 that a process may have
MOST_RESIDENT_MIB = 1_400  # what a file may begin with; compiling the largest step takes up to 2 GiB more
WITHIN_A_FILE = 2  # times as much: its tests may have the same programs, so that dropping them costs time
GROWTH = 0.3  # of a limit, beyond what was left the last time
STATM, MAPS = Path("/proc/self/statm"), Path("/proc/self/maps")


def resident_mib() -> int:
    """Resident memory of this process in MiB; 0 where the system does not say."""
    if not STATM.exists():
        return 0
    return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20


def areas() -> int:
    """Areas of memory of this process; 0 where the system does not say."""
    if not MAPS.exists():
        return 0
    with MAPS.open() as lines:
        return sum(1 for _ in lines)


def give_back(times: int = 1) -> bool:
    """Drop what JAX keeps where this process is over so many times a limit, and has grown; whether it was dropped."""
    used, limits = (resident_mib(), areas()), (MOST_RESIDENT_MIB, MOST_AREAS)
    _left[:] = map(min, _left, used)
    over = any(
        now > max(times * limit, left + GROWTH * limit) for now, limit, left in zip(used, limits, _left, strict=True)
    )
    if over and "jax" in sys.modules:
        sys.modules["jax"].clear_caches()
        gc.collect()
        if sys.platform == "linux" and hasattr(trim := ctypes.CDLL(None), "malloc_trim"):
            trim.malloc_trim(0)  # the allocator keeps what is free, which for the system is as if it were used
        _left[:] = resident_mib(), areas()
    return over


_left = [0, 0]
"""Resident MiB and areas after the last time that something was dropped, or less where they have fallen since."""
