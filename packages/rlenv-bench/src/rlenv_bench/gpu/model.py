"""The time of a launch: what it costs by itself, and the slowest of memory, instruction issue and the pipes.

    seconds = launch + max(work · bytes / bandwidth, work · instructions / issue rate, pipe)

``pipe`` is the time of the busiest execution pipe, by the classes of the machine code: integers and comparisons go
through half as many lanes as a scheduler issues to, so a game of integers is bound there first.  ``RAW`` is what the
datasheet allows; the other assumptions come from published measurements (`rlenv_bench.gpu.calibration` refits them).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Final

from rlenv_bench.gpu.target import ISSUE_LANES, Target


@dataclasses.dataclass(frozen=True)
class Assumptions:
    """How far programs stay behind a device's datasheet."""

    launch_s: float  # seconds of a launch out of a CUDA graph: loop bodies of five launches and more
    lone_launch_s: float  # seconds of any other launch
    work: float  # times longer than memory and issue rate allow


RAW: Final = Assumptions(1.5e-6, 1.5e-6, 1.0)
CALIBRATED: Final = Assumptions(2.2e-6, 2.7e-6, 2.0)
# The ends of the range of the published points, all launches alike; no confidence interval.
FAST: Final = Assumptions(2.1e-6, 2.1e-6, 1.0)
SLOW: Final = Assumptions(2.7e-6, 2.7e-6, 2.6)


def seconds(kernel: Mapping[str, Any], target: Target, assumed: Assumptions) -> float:
    """Predicted time of one launch of a report's kernel (`rlenv_bench.gpu.compilation`) on a device."""
    moved = (kernel["bytes_read"] + kernel["bytes_written"]) / target.bytes_per_s
    cycles = kernel["threads"] / target.thread_instructions_per_s
    pipe = max(kernel[name] * ISSUE_LANES / lanes for name, lanes in target.lanes.items())
    work = max(assumed.work * moved, assumed.work * kernel["instructions"] * cycles, pipe * cycles)
    return work + (assumed.launch_s if kernel["in_graph"] else assumed.lone_launch_s)
