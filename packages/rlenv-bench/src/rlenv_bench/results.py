"""Benchmark reports: one JSON file per run of a benchmark.

::

    {"format": "rlenv-bench", "schema": 2, "env": "puffer_pong/Pong-v0", "unit": "env steps/s",
     "git": "<commit>", "dirty": false, "command": "make bench-puffer-pong", "machine": {see `machine.describe`},
     "runs": [{"workload": "jax", "batch": 4096, "steps_per_call": 1048576, "repeats": 12, "compile_s": 0.8,
               "block_s": [0.61, …], "sps_median": 2.1e7, "sps_p10": 2.0e7, "sps_p90": 2.1e7, "checksum": 12.0,
               "deterministic": true, "peak_bytes": 123, "state_bytes_per_env": 44, "group": 0,
               "decisions_per_step": 1.0,
               "settings": {"reset_mode": "fresh", "policy": "random_legal", "frameskip": 8, …}}]}

One sample is ``steps_per_call * repeats / block_s``.  Medians and percentiles are stored for readers and recomputed
from ``block_s`` whenever a file is loaded.  Ratios exist only between runs of one report.
"""

from __future__ import annotations

import dataclasses
import datetime
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from rlenv_bench.harness import Run
from rlenv_shared import files
from rlenv_shared.errors import InvalidParamsError

UNIT: Final = "env steps/s"
MIN_BLOCKS: Final = 10
MIN_BLOCK_S: Final = 0.5
SUMMARY_RTOL: Final = 1e-9  # stored against recomputed medians: they differ by JSON's rounding at most
HEAD_KEYS: Final = {"env": str, "unit": str, "git": str, "dirty": bool, "command": str, "machine": dict, "runs": list}


@dataclasses.dataclass(frozen=True)
class Summary:
    """Environment steps per second of one run: median, 10th and 90th percentile of its blocks."""

    median: float
    p10: float
    p90: float


@dataclasses.dataclass(frozen=True)
class Ratio:
    """Speed of one run over another's, both of one report."""

    value: float  # ratio of the medians
    ours: float  # steps per second of the numerator
    theirs: float  # of the denominator
    ours_label: str  # workload and batch
    theirs_label: str  # workload and batch
    unit: str  # of both speeds

    def __str__(self) -> str:
        return (
            f"{self.value:.2f}× ({self.ours_label}: {human(self.ours)}, "
            f"{self.theirs_label}: {human(self.theirs)} {self.unit})"
        )


def build(
    env: str, runs: Sequence[Run], machine: Mapping[str, Any], git: Mapping[str, Any], command: str
) -> dict[str, Any]:
    """Assemble a report of runs; ``machine``, ``git`` and ``command`` are what `rlenv_shared.machine` says."""
    head = {**FORMAT.head, "env": env, "unit": UNIT, **git, "command": command}
    return {**head, "machine": dict(machine), "runs": [entry(run) for run in runs]}


def entry(run: Run) -> dict[str, Any]:
    """A run with its raw samples and what follows from them."""
    samples = {**dataclasses.asdict(run), "block_s": list(run.block_s)}
    numbers = summarise(samples)
    return {**samples, "sps_median": numbers.median, "sps_p10": numbers.p10, "sps_p90": numbers.p90}


def default_path(folder: str | Path, report: Mapping[str, Any], label: str = "") -> Path:
    """``<date>-<device>-<commit>.json``, with the label of a further benchmark behind; sorts by age."""
    about = report["machine"]
    device = re.sub(r"[^a-z0-9]+", "-", (about["gpu"] or about["cpu"]).lower()).strip("-")
    name = "-".join(filter(None, (str(datetime.date.today()), device, str(report["git"])[:7], label)))
    return Path(folder) / f"{name}.json"


def summarise(run: Mapping[str, Any]) -> Summary:
    """Recompute a run's numbers from its raw samples."""
    work = run["steps_per_call"] * run["repeats"]
    speeds = work / np.asarray(run["block_s"], dtype=np.float64)
    p10, median, p90 = np.percentile(speeds, [10, 50, 90])
    return Summary(float(median), float(p10), float(p90))


def save(report: Mapping[str, Any], path: str | Path) -> None:
    """Write a report.

    Raises SnapshotVersionError: it would not load again; above all fewer than 10 blocks, or blocks below 0.5 s;
    StorageError: it cannot be written there.
    """
    FORMAT.write(path, report)


def select(report: Mapping[str, Any], workload: str, batch: int | None = None, **settings: Any) -> dict[str, Any]:
    """The run of a workload with these settings, at a batch or the fastest; InvalidParamsError: there is none."""
    found = [
        run
        for run in report["runs"]
        if run["workload"] == workload
        and batch in (None, run["batch"])
        and all(run["settings"].get(key) == value for key, value in settings.items())
    ]
    if not found:
        have = sorted({(run["workload"], run["batch"]) for run in report["runs"]})
        raise InvalidParamsError("run", (workload, batch, settings), f"one of {have}", "measure it in the same run")
    return max(found, key=_decisions)


def ratio(report: Mapping[str, Any], ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> Ratio:
    """Ratio of two runs of one report.  Raises InvalidParamsError: a run is not of this report."""
    for run in (ours, theirs):
        if not any(run is own for own in report["runs"]):
            raise InvalidParamsError("ratio", _label(run), "two runs of one report", "pick them with select()")
    numerator, denominator = _decisions(ours), _decisions(theirs)
    counted = any(run["decisions_per_step"] != 1 for run in (ours, theirs))
    unit = "decisions/s" if counted else report["unit"]
    return Ratio(numerator / denominator, numerator, denominator, _label(ours), _label(theirs), unit)


def _decisions(run: Mapping[str, Any]) -> float:
    """Median of the steps a second in which somebody was asked to act."""
    return summarise(run).median * float(run["decisions_per_step"])


def table(report: Mapping[str, Any]) -> str:
    """All runs as a Markdown table."""
    counted = any(run["decisions_per_step"] != 1 for run in report["runs"])  # somewhere a step is no decision
    more = ("decisions/s | ", "---:|") if counted else ("", "")
    lines = [
        f"| workload | a step writes | batch | {report['unit']}, median | {more[0]}p10 – p90 | compile s | settings |",
        f"|---|---|---:|---:|{more[1]}---:|---:|---|",
    ]
    for run in report["runs"]:
        numbers = summarise(run)
        others = {key: value for key, value in run["settings"].items() if key not in ("observe", "outputs")}
        settings = ", ".join(f"{key}={value}" for key, value in others.items())
        decisions = f"| {human(numbers.median * run['decisions_per_step'])} " if counted else ""
        lines.append(
            f"| {run['workload']} | {written(run['settings'])} | {run['batch']:,} | {human(numbers.median)} "
            f"{decisions}| {human(numbers.p10)} – {human(numbers.p90)} | {run['compile_s']:.1f} | {settings} |"
        )
    return "\n".join(lines)


def written(settings: Mapping[str, Any]) -> str:
    """What a step writes to memory, by the settings of a run: rows that write other things are no comparison."""
    outputs = settings.get("outputs", "not stated")
    if outputs == "kept":
        return "observation, reward, done" if settings.get("observe", True) else "reward, done"
    return str(outputs)


def environment_shares(report: Mapping[str, Any]) -> str:
    """How much of a PPO iteration the environment takes, as a Markdown table; empty if the report measured no PPO.

    Pairs the run of ``what="PPO"`` with that of ``what="environment"`` whose other settings ``implementation`` and
    ``preset`` are equal: the share is the time of stepping alone over the time of a whole iteration.
    """
    speed = {
        (run["settings"]["what"], run["settings"]["preset"], run["settings"]["implementation"]): (run, summarise(run))
        for run in report["runs"]
        if {"what", "preset", "implementation"} <= set(run["settings"])
    }
    lines = ["| network | environments | implementation | PPO steps/s | environment's share |"]
    lines.append("|---|---:|---|---:|---:|")
    for (what, preset, implementation), (run, numbers) in speed.items():
        if what == "PPO":
            share = numbers.median / speed["environment", preset, implementation][1].median
            cells = (preset, f"{run['batch']:,}", implementation, human(numbers.median), f"{share:.2%}")
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) if len(lines) > 2 else ""


def human(number: float) -> str:
    """Three significant digits with a unit prefix: ``12.3 M``."""
    for limit, prefix in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if number >= limit * 0.9995:
            return f"{number / limit:.3g}{prefix}" if number < 999.5 * limit else f"{number / limit:.0f}{prefix}"
    return f"{number:.3g}"


def _label(run: Mapping[str, Any]) -> str:
    return f"{run['workload']} at batch {run['batch']:,}"


def _check(report: Mapping[str, Any]) -> None:
    if set(report) != {*FORMAT.head, *HEAD_KEYS}:
        raise ValueError(f"keys {sorted(report)}")
    for key, kind in HEAD_KEYS.items():
        if not isinstance(report[key], kind):
            raise ValueError(f"{key} = {report[key]!r}")
    if not report["runs"]:
        raise ValueError("no runs")
    for number, run in enumerate(report["runs"]):
        if problem := _problem(run):
            raise ValueError(f"run {number}: {problem}")


def _problem(run: Any) -> str:
    """What is wrong with one run; empty if nothing."""
    wanted = {field.name for field in dataclasses.fields(Run)} | {"sps_median", "sps_p10", "sps_p90"}
    if not isinstance(run, dict) or set(run) != wanted:
        return f"keys {sorted(run) if isinstance(run, dict) else run!r}"
    if not isinstance(run["workload"], str) or not isinstance(run["settings"], dict):
        return f"workload {run['workload']!r}, settings {run['settings']!r}"
    if not all(type(run[key]) is int and run[key] >= 1 for key in ("batch", "steps_per_call", "repeats")):
        return "batch, steps_per_call and repeats are not integers >= 1"
    if not isinstance(run["block_s"], list) or not all(map(_is_number, [*run["block_s"], run["checksum"]])):
        return "samples or checksum are not finite numbers"
    if len(run["block_s"]) < MIN_BLOCKS or min(run["block_s"]) < MIN_BLOCK_S:
        shortest = min(run["block_s"], default=0.0)
        return (
            f"{len(run['block_s'])} blocks, shortest {shortest} s; at least {MIN_BLOCKS} of {MIN_BLOCK_S} s are needed"
        )
    stored, true = [run[key] for key in ("sps_median", "sps_p10", "sps_p90")], dataclasses.astuple(summarise(run))
    if not all(_is_number(x) and math.isclose(x, y, rel_tol=SUMMARY_RTOL) for x, y in zip(stored, true, strict=True)):
        return f"medians {stored} do not follow from the samples, which give {list(true)}"
    return ""


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


FORMAT: Final = files.JsonFormat("rlenv-bench", 2, "benchmark report", "measure again", _check)
load: Final = FORMAT.read
"""Reads a report; SnapshotVersionError: missing, foreign, too few or too short samples, or medians not of them."""
