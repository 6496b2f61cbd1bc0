"""Timing: interleaved blocks of all workloads, and the batch sweep.

All workloads of a measurement take turns, block by block, in alternating order (A B C, C B A, ...), so that whatever
the machine does meanwhile hits them alike.  A block is as many calls as fill `Timing.block_s`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from rlenv_bench.workloads import Workload
from rlenv_shared import files
from rlenv_shared.errors import DivergenceError, EnvError, InvalidParamsError

LOCK: Final = Path(".cache/bench.lock")
BATCHES: Final = tuple(2**exponent for exponent in range(19))  # 1 .. 262,144
MIN_GAIN: Final = 0.05  # a larger batch must be this much faster than the best so far
PATIENCE: Final = 2  # batches in a row without that gain end a workload's sweep; one alone may be noise
HEADROOM: Final = 1.2  # blocks are calibrated this much longer than they must be
ATTEMPTS: Final = 4  # calibrations before a machine counts as too unsteady


@dataclasses.dataclass(frozen=True)
class Timing:
    """How to measure."""

    blocks: int = 10  # per workload; a report that is kept needs at least 10
    block_s: float = 0.5  # shortest block, seconds; a report that is kept needs at least 0.5
    lock: Path = LOCK  # held for the measurement, so that two never run at once
    clock: Callable[[], float] = time.perf_counter  # monotonic seconds

    def __post_init__(self) -> None:
        if self.blocks < 1 or not self.block_s > 0:
            raise InvalidParamsError("timing", (self.blocks, self.block_s), "blocks >= 1, block_s > 0", "correct it")


@dataclasses.dataclass(frozen=True)
class Run:
    """Raw measurement of one workload."""

    workload: str  # name of the implementation
    batch: int  # environments
    steps_per_call: int  # environment steps of one call, ``batch * steps``
    repeats: int  # calls per block
    compile_s: float  # seconds to prepare
    block_s: tuple[float, ...]  # seconds of each block
    checksum: float  # of a block's outputs (the last block's where a workload is not deterministic)
    deterministic: bool  # all blocks had that checksum
    peak_bytes: int | None  # memory of one call; None if unknown
    state_bytes_per_env: int | None  # None if unknown
    group: int  # workloads with one number were interleaved
    settings: dict[str, Any]  # of the workload
    decisions_per_step: float = 1.0  # a step in which nobody is asked to act is none

    @property
    def sps(self) -> tuple[float, ...]:
        """Environment steps per second of each block."""
        return tuple(self.steps_per_call * self.repeats / seconds for seconds in self.block_s)


def measure(workloads: Sequence[Workload], timing: Timing | None = None, group: int = 0) -> list[Run]:
    """Measure workloads against each other; one run each, in their order.

    Raises:
        InvalidParamsError: no workloads, or two of one name and batch size.
        DivergenceError: equal blocks of a deterministic workload had different outputs.
        EnvError: blocks kept getting too short; the machine is too unsteady.
    """
    timing = timing or Timing()
    labels = [(workload.name, workload.batch) for workload in workloads]
    if not workloads or len(set(labels)) != len(labels):
        raise InvalidParamsError("workloads", labels, "distinct workloads", "rename one")
    with exclusive(timing.lock):
        return _measure([(workload, _prepare(workload, timing)) for workload in workloads], timing, group)


def sweep(
    make: Callable[[int], Sequence[Workload]],
    timing: Timing | None = None,
    batches: Sequence[int] = BATCHES,
    on_run: Callable[[Run], None] = lambda run: None,
) -> list[Run]:
    """Measure workloads at growing batch sizes; each drops out when it gains too little or memory ends.

    ``make`` gives the workloads at a batch size, told apart by name; ``on_run`` is called with every run.  Runs of one
    batch size were interleaved and share their `group`.
    """
    timing = timing or Timing()
    runs: list[Run] = []
    best: dict[str, float] = {}
    idle: dict[str, int] = {}
    stopped: set[str] = set()
    with exclusive(timing.lock):
        for group, batch in enumerate(batches):
            prepared = _that_fit(make, batch, stopped, timing)
            if not prepared:
                break
            for run in _measure(prepared, timing, group):
                runs.append(run)
                on_run(run)
                speed = sorted(run.sps)[len(run.sps) // 2]
                gained = speed > best.get(run.workload, 0.0) * (1 + MIN_GAIN)
                best[run.workload] = max(best.get(run.workload, 0.0), speed)
                idle[run.workload] = 0 if gained else idle.get(run.workload, 0) + 1
                if idle[run.workload] >= PATIENCE:
                    stopped.add(run.workload)
    return runs


def exclusive(path: str | Path = LOCK) -> contextlib.AbstractContextManager[None]:
    """Hold a lock file; waits while another measurement holds it."""
    return files.locked(path)


def _that_fit(
    make: Callable[[int], Sequence[Workload]], batch: int, stopped: set[str], timing: Timing
) -> list[tuple[Workload, float]]:
    """Workloads still in the sweep with their compile seconds; those that run out of memory leave it."""
    try:
        candidates = [workload for workload in make(batch) if workload.name not in stopped]
    except Exception as error:
        if not _out_of_memory(error):
            raise
        return []
    fitting = []
    for workload in candidates:
        try:
            fitting.append((workload, _prepare(workload, timing)))
        except Exception as error:
            if not _out_of_memory(error):
                raise
            stopped.add(workload.name)
    return fitting


def _out_of_memory(error: Exception) -> bool:
    return isinstance(error, MemoryError) or "RESOURCE_EXHAUSTED" in str(error)


def _prepare(workload: Workload, timing: Timing) -> float:
    """Compile and warm up; seconds of the former."""
    begin = timing.clock()
    workload.compile()
    compile_s = timing.clock() - begin
    workload.begin()
    workload.call()
    workload.finish()
    return compile_s


def _measure(prepared: Sequence[tuple[Workload, float]], timing: Timing, group: int) -> list[Run]:
    workloads = [workload for workload, _ in prepared]
    repeats = [_calibrate(workload, timing) for workload in workloads]
    for _ in range(ATTEMPTS):
        seconds, checksums = _blocks(workloads, repeats, timing)
        shortest = [min(blocks) for blocks in seconds]
        if all(s >= timing.block_s for s in shortest):
            break
        # A block got faster than calibrated: longer blocks for its workload, and all over again to stay interleaved.
        repeats = [
            n if s >= timing.block_s else math.ceil(n * HEADROOM * timing.block_s / s)
            for n, s in zip(repeats, shortest, strict=True)
        ]
    else:
        raise EnvError("blocks", f"{min(shortest)} s", f">= {timing.block_s} s", "quieten the machine")
    return [
        Run(
            workload=workload.name,
            batch=workload.batch,
            steps_per_call=workload.batch * workload.steps,
            repeats=repeats[i],
            compile_s=prepared[i][1],
            block_s=tuple(seconds[i]),
            checksum=_one_checksum(workload, checksums[i]),
            deterministic=workload.deterministic,
            **workload.memory(),
            group=group,
            settings=dict(workload.settings),
            decisions_per_step=_decisions_per_step(workload, repeats[i]),
        )
        for i, workload in enumerate(workloads)
    ]


def _decisions_per_step(workload: Workload, repeats: int) -> float:
    """Of the last block."""
    decisions = workload.decisions()
    return 1.0 if decisions is None else decisions / (workload.batch * workload.steps * repeats)


def _blocks(
    workloads: Sequence[Workload], repeats: Sequence[int], timing: Timing
) -> tuple[list[list[float]], list[list[float]]]:
    """Seconds and checksums of all blocks, by workload."""
    seconds: list[list[float]] = [[] for _ in workloads]
    checksums: list[list[float]] = [[] for _ in workloads]
    order = list(range(len(workloads)))
    for block in range(timing.blocks):
        for i in order if block % 2 == 0 else reversed(order):
            seconds[i].append(_block(workloads[i], repeats[i], timing))
            checksums[i].append(workloads[i].checksum())
    return seconds, checksums


def _block(workload: Workload, repeats: int, timing: Timing) -> float:
    workload.begin()
    begin = timing.clock()
    for _ in range(repeats):
        workload.call()
    workload.finish()
    return timing.clock() - begin


def _calibrate(workload: Workload, timing: Timing) -> int:
    """Calls that fill a block, measured on at least half a block."""
    repeats = 1
    while (seconds := _block(workload, repeats, timing)) < timing.block_s / 2:
        repeats *= 2
    return max(1, math.ceil(repeats * HEADROOM * timing.block_s / seconds))


def _one_checksum(workload: Workload, checksums: list[float]) -> float:
    if workload.deterministic and len({repr(checksum) for checksum in checksums}) > 1:  # repr: a NaN equals itself
        got, expected = f"checksums {sorted(set(checksums))}", "the same in every block"
        remedy = "reset all state and generators in begin(), or declare the workload not deterministic"
        raise DivergenceError(f"outputs of {workload.name} at batch {workload.batch}", got, expected, remedy)
    return checksums[-1]
