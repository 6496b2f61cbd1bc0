"""Memory of a test process: what compiled and traced programs hold is given back between test files and large tests.

Two limits are kept.  Linux allows a process 65,530 areas of memory, every compiled program takes some, and the compiler
that gets none ends the process.  And traced programs of the large engines hold hundreds of megabytes each, which a
laptop with several workers does not have.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from pathlib import Path

MOST_AREAS = 20_000  # of memory, of the 65,530 that a process may have
MOST_RESIDENT_MIB = 1_000  # what a file may begin with; compiling the largest step takes up to 2 GiB more
WITHIN_A_FILE = 2  # times as much: its tests may have the same programs, so that dropping them costs time
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
    """Drop what JAX keeps where this process is over so many times a limit; whether it was."""
    over = resident_mib() > times * MOST_RESIDENT_MIB or areas() > times * MOST_AREAS
    if over and "jax" in sys.modules:
        sys.modules["jax"].clear_caches()
        gc.collect()
        if sys.platform == "linux" and hasattr(trim := ctypes.CDLL(None), "malloc_trim"):
            trim.malloc_trim(0)  # the allocator keeps what is free, which for the system is as if it were used
    return over
