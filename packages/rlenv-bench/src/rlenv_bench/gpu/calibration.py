"""Refits the constants of `rlenv_bench.gpu.model` to published measurements, and says how well they fit.

    python -m rlenv_bench.gpu.calibration

``calibration.toml`` holds the measurements, what is taken over in it, and where everything comes from.  A launch and
the work factor are each fitted where they are nearly all of the time; the other rows test the two.  The form of the
model was chosen after all rows were seen, and work is carried by one program on four GPUs.
"""

from __future__ import annotations

import dataclasses
import math
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from rlenv_bench.gpu.model import CALIBRATED, RAW, Assumptions

DATA: Final = Path(__file__).with_name("calibration.toml")
MOSTLY_WORK: Final = 0.25  # of the measured time: a row with less work says nothing about the range of its factor


@dataclasses.dataclass(frozen=True)
class Point:
    """One measurement."""

    name: str  # program, GPU and batch
    measured_s: float  # seconds of a step
    raw_s: float  # of a step, by the raw model
    launches: int  # of a step
    fits: str  # constant that it gives; empty if it tests
    unused: str  # why it does neither; empty if it does

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Point:
        """From an entry of the file."""
        published = entry.get("published")
        if published is None:  # the speed of what the larger of two batches does beyond the smaller
            (few, slow), (many, fast) = entry["samples"]
            published = (many - few) / (many / fast - few / slow) / entry["agents"]
        return cls(
            f"{entry['program']}, {entry['gpu']}, {entry['batch']:,}",
            entry["batch"] / published,
            entry["batch"] / entry["raw"],
            entry.get("launches", 0),
            entry.get("fits", ""),
            entry.get("unused", ""),
        )

    @property
    def work_s(self) -> float:
        """Seconds of the raw model without launches."""
        return self.raw_s - self.launches * RAW.launch_s

    def predicted_s(self, assumed: Assumptions) -> float:
        """Seconds of a step; only the row that fits ``lone_launch_s`` launches outside CUDA graphs."""
        launch_s = assumed.lone_launch_s if self.fits == "lone_launch_s" else assumed.launch_s
        return self.launches * launch_s + assumed.work * self.work_s


def load(path: Path = DATA) -> list[Point]:
    """The measurements."""
    return [Point.of(entry) for entry in tomllib.loads(path.read_text())["point"]]


def fit(points: Iterable[Point]) -> tuple[Assumptions, Assumptions, Assumptions]:
    """``(calibrated, fast, slow)``, to a tenth of a microsecond and of the factor.

    A launch is rounded up: it was measured where launches are cheapest.  Work is never faster than the datasheet.
    """
    used = [point for point in points if not point.unused]
    logs = [math.log(point.measured_s / point.work_s) for point in used if point.fits == "work"]
    work = math.exp(sum(logs) / len(logs))

    def launch(constant: str) -> float:
        (point,) = (point for point in used if point.fits == constant)
        return (point.measured_s - work * point.work_s) / point.launches

    graph, lone = launch("launch_s"), launch("lone_launch_s")
    factors = [
        (point.measured_s - point.launches * graph) / point.work_s
        for point in used
        if point.work_s > MOSTLY_WORK * point.measured_s
    ]
    launch_s, lone_launch_s = (float(f"{math.ceil(seconds * 1e7)}e-7") for seconds in (graph, lone))
    fast, slow = (float(f"{round(seconds * 1e7)}e-7") for seconds in (graph, lone))
    return (
        Assumptions(launch_s, lone_launch_s, round(work, 1)),
        Assumptions(fast, fast, round(max(1.0, min(factors)), 1)),
        Assumptions(slow, slow, round(max(factors), 1)),
    )


def rms_factor(points: Iterable[Point], assumed: Assumptions) -> float:
    """How far predictions of the testing rows are off, to either side: 1.2 is 20 %."""
    logs = [math.log(p.predicted_s(assumed) / p.measured_s) for p in points if not (p.unused or p.fits)]
    return math.exp(math.sqrt(sum(log * log for log in logs) / len(logs)))


def table(points: Iterable[Point]) -> str:
    """Markdown: every row with its residuals, which are predicted by measured seconds."""
    rows = ["| program, GPU, batch | launches | measured, µs | raw | calibrated | role |"]
    rows.append("|---|---:|---:|---:|---:|---|")
    for point in points:
        residuals = point.raw_s / point.measured_s, point.predicted_s(CALIBRATED) / point.measured_s
        launches, calibrated = ("—", "—") if point.unused else (point.launches, f"{residuals[1]:.2f}")
        role = f"not used: {point.unused}" if point.unused else point.fits or "test"
        rows.append(
            f"| {point.name} | {launches} | {point.measured_s * 1e6:.4g} | {residuals[0]:.2f} | {calibrated} | {role} |"
        )
    return "\n".join(rows)


if __name__ == "__main__":
    found = load()
    print(table(found))
    for name, assumed in (("calibrated", CALIBRATED), ("raw", RAW)):
        print(f"{name}: the tests are off by a factor of {rms_factor(found, assumed):.2f} (rms)")
    for name, assumed in zip(("CALIBRATED", "FAST", "SLOW"), fit(found), strict=True):
        print(f"{name} = {assumed}")
