"""What `make gpu-report` measures: emurust and PyBoy on all cores of the machine."""

from __future__ import annotations

import os
from typing import Final

from rlenv_bench.workloads import Comparison, HostWorkload

CONSOLES_A_CORE: Final = 16


def on_all_cores() -> list[HostWorkload]:
    """Windfall, which comes with the package: one thread per core, and one process of PyBoys per core."""
    from emurust.verification.benchmarks import emurust_workload, pyboy_workload

    cores = os.cpu_count() or 1
    return [
        make(CONSOLES_A_CORE * cores, cores, pictures)
        for pictures in (False, True)
        for make in (emurust_workload, pyboy_workload)
    ]


COMPARISONS: Final = (Comparison("PyBoy on all cores", on_all_cores, needs=("emurust._core", "pyboy", "gymnasium")),)
