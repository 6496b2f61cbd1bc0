"""The file that `make gpu-report` writes, and the tables and plot made of it.

::

    {"format": "rlenv-gpu-report", "schema": 1, "mode": "full", "git": "<commit>", "dirty": false, "command": "…",
     "machine": {see `machine.describe`}, "device": {"platform": "gpu", "name": "NVIDIA H200"}, "seconds": 400.0,
     "packages": {"puffer-pong": {
       "replay: all": {"fingerprint": "…", "git": "…", "status": "done", "attempts": 1, "seconds": 9.0,
                       "parts": {"…": [{"name": "…", "steps": 1, "mismatches": 0, …}]}},
       "throughput: all batches": {"peak_bytes": 123, "parts": {"batch 64": [{run: see `report`}], "…": [{"name": "…",
                                   "skipped": "…"}]}}, …}}}

A section that crashed has an ``"error"`` beside the parts that it had.  Reports from before there was a queue have
sections without a detail, with ``"results"`` instead of parts.  Medians are recomputed from the samples on loading.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from ci.workspace import REPO
from rlenv_bench import results as bench
from rlenv_bench.gpu.compilation import Cost
from rlenv_shared import files

GRAPHS: Final = "throughput, CUDA graphs"
HEAD: Final = ("mode", "git", "dirty", "command", "machine", "device", "seconds", "packages")


def build(**fields: Any) -> dict[str, Any]:
    """A report; fields as in `HEAD`."""
    return {**FORMAT.head, **{name: fields[name] for name in HEAD}}


def save(report: Mapping[str, Any], path: Path) -> None:
    """Write a report.  Raises SnapshotVersionError: it would not load again."""
    FORMAT.write(path, report)


def results(report: Mapping[str, Any], package: str, kind: str) -> list[dict[str, Any]]:
    """What the sections of a kind found for a package; empty if none ran."""
    found: list[dict[str, Any]] = []
    for title, content in report["packages"].get(package, {}).items():
        if title.split(": ")[0] == kind:
            found += _found(content)
    return found


def _found(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The results of a section."""
    return [*content.get("results", []), *(one for part in content.get("parts", {}).values() for one in part)]


def runs(report: Mapping[str, Any], package: str, section: str) -> list[dict[str, Any]]:
    """The measurements of a section."""
    return [found for found in results(report, package, section) if "block_s" in found]


def mismatches(report: Mapping[str, Any]) -> Iterator[str]:
    """The replays that differ from their trace, and the sections that failed, a line each."""
    for package, sections in report["packages"].items():
        for section, content in sections.items():
            if "error" in content:
                yield f"{package}, {section}: {content['error']}"
        for found in results(report, package, "replay"):
            if found.get("mismatches"):
                differ = f"{found['mismatches']} values differ, first {found['first']}"
                yield f"{package}, replay of {found['name']}: {differ}"
        for found in results(report, package, "kernel"):
            if found.get("differing"):
                yield f"{package}, kernel of {found['name']}: {found['differing']} of {found['words']} words differ"


def tables(report: Mapping[str, Any], package: str, predicted: Mapping[tuple[str, int, str], Cost]) -> str:
    """Markdown of everything measured for a package; ``predicted`` by program, batch and what a step writes."""
    about = report["device"]["name"]
    parts = [
        _replay_table(report, package, about),
        _throughput_table(report, package, predicted),
        _kernel_table(report, package),
        bench.environment_shares({"runs": runs(report, package, "ppo")}),
        _breakdown_table(report, package),
        _comparison_table(report, package),
        _memory(report, package),
        _skipped(report, package),
    ]
    return "\n\n".join(part for part in parts if part)


def plot(report: Mapping[str, Any], path: Path) -> None:
    """Draw the throughput of every package over batch size (needs matplotlib)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    for package in report["packages"]:
        for section in ("throughput", GRAPHS):
            found = runs(report, package, section)
            for workload in dict.fromkeys(run["workload"] for run in found):
                points = [(run["batch"], run["sps_median"]) for run in found if run["workload"] == workload]
                graphs = ", CUDA graphs" if section == GRAPHS else ""
                axes.plot(*zip(*points, strict=True), marker="o", label=f"{package}: {workload}{graphs}")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("batch (environments)")
    axes.set_ylabel(bench.UNIT)
    axes.set_title(f"{report['device']['name']}, {report['mode']}", fontsize=10)
    axes.grid(True, which="major", alpha=0.3)
    if axes.lines:
        axes.legend(fontsize=7)
    figure.savefig(path)


def _replay_table(report: Mapping[str, Any], package: str, device: str) -> str:
    rows = [f"| reference trace, replayed on {device} | steps | differences |", "|---|---:|---:|"]
    for found in results(report, package, "replay"):
        if "steps" in found:
            rows.append(f"| {found['name']} | {found['steps']:,} | {found['mismatches']} |")
    return "\n".join(rows) if len(rows) > 2 else ""


def _throughput_table(report: Mapping[str, Any], package: str, predicted: Mapping[tuple[str, int, str], Cost]) -> str:
    rows = [
        "| program | a step writes | batch | steps/s | with CUDA graphs | predicted | predicted / measured |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    on_gpu = report["device"]["platform"] == "gpu"
    graphs = {(run["workload"], run["batch"]): run for run in runs(report, package, GRAPHS)}
    for run in runs(report, package, "throughput"):
        with_graphs = graphs.get((run["workload"], run["batch"]))
        writes = bench.written(run["settings"])
        model = predicted.get((run["settings"].get("program", ""), run["batch"], writes))
        cells = [
            run["workload"],
            writes,
            f"{run['batch']:,}",
            bench.human(run["sps_median"]),
            bench.human(with_graphs["sps_median"]) if with_graphs else "—",
            bench.human(model.calibrated_steps_per_s) if model else "—",
            f"{model.calibrated_steps_per_s / run['sps_median']:.2f}" if model and on_gpu else "—",
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows) if len(rows) > 2 else ""


def _kernel_table(report: Mapping[str, Any], package: str) -> str:
    rows = ["| emitted kernel | batch | steps/s | decisions/s | predicted steps/s | predicted / measured |"]
    rows.append("|---|---:|---:|---:|---:|---:|")
    for found in results(report, package, "kernel"):
        for batch, speed in found.get("speeds", {}).items():
            steps, decisions = speed["steps_per_s"], speed["decisions_per_s"]
            model = kernel_predictions().get((found["name"], batch))
            ratio = f"{bench.human(model)} | {model / steps:.2f}" if model else "— | —"
            cells = f"{found['name']} | {int(batch):,} | {bench.human(steps)} | {bench.human(decisions)} | {ratio}"
            rows.append(f"| {cells} |")
    return "\n".join(rows) if len(rows) > 2 else ""


@functools.cache
def kernel_predictions() -> dict[tuple[str, str], float]:
    """Steps a second that were predicted for emitted kernels, by name and batch: of the fastest form."""
    found: dict[tuple[str, str], float] = {}
    for path in sorted((REPO / "packages").glob("*/results/gpu*.json")):
        content = json.loads(path.read_text()).get("environments", {})
        for name, about in content.items():
            for form in about.get("forms", {}).values():
                for batch, speeds in form.get("steps_per_s", {}).items():
                    found[name, batch] = max(found.get((name, batch), 0.0), speeds["calibrated"])
    return found


def _breakdown_table(report: Mapping[str, Any], package: str) -> str:
    """Shares of the time of a PPO iteration."""
    seconds: dict[tuple[str, int], dict[str, float]] = {}
    for run in runs(report, package, "breakdown"):
        place = run["settings"]["preset"], run["batch"]
        seconds.setdefault(place, {})[run["settings"]["what"]] = 1 / run["sps_median"]
    rows = ["| network | environments | PPO steps/s | environment | model | update |", "|---|---:|---:|---:|---:|---:|"]
    for (preset, batch), of in seconds.items():
        if {"PPO", "acting", "environment"} <= set(of):
            parts = of["environment"], of["acting"] - of["environment"], of["PPO"] - of["acting"]
            shares = " | ".join(f"{part / of['PPO']:.1%}" for part in parts)
            rows.append(f"| {preset} | {batch:,} | {bench.human(1 / of['PPO'])} | {shares} |")
    return "\n".join(rows) if len(rows) > 2 else ""


def _comparison_table(report: Mapping[str, Any], package: str) -> str:
    rows = ["| comparison | workload | a step writes | batch | steps/s |", "|---|---|---|---:|---:|"]
    for run in runs(report, package, "comparisons"):
        cells = run["comparison"], run["workload"], bench.written(run["settings"]), f"{run['batch']:,}"
        rows.append(f"| {' | '.join(cells)} | {bench.human(run['sps_median'])} |")
    return "\n".join(rows) if len(rows) > 2 else ""


def _memory(report: Mapping[str, Any], package: str) -> str:
    """The most device memory in use by the end of each section; sections of one process share it."""
    peaks = {
        section: content["peak_bytes"]
        for section, content in report["packages"].get(package, {}).items()
        if content.get("peak_bytes") is not None
    }
    shown = ", ".join(f"{section} {peak / 2**30:.2f} GiB" for section, peak in peaks.items())
    return f"Peak device memory so far: {shown}." if shown else ""


def _skipped(report: Mapping[str, Any], package: str) -> str:
    """A line for every reason."""
    reasons: dict[str, list[str]] = {}
    for section, content in report["packages"].get(package, {}).items():
        for found in _found(content):
            if "skipped" in found:
                reasons.setdefault(found["skipped"], []).append(f"{section}, {found['name']}")
    return "\n".join(f"- not run, {reason}: {'; '.join(names)}" for reason, names in reasons.items())


def _check(report: Mapping[str, Any]) -> None:
    for name in HEAD:
        report[name]
    for package, sections in report["packages"].items():
        for section, content in sections.items():
            for run in (found for found in _found(content) if "block_s" in found):
                true = bench.summarise(run).median
                if not math.isclose(run["sps_median"], true, rel_tol=bench.SUMMARY_RTOL):
                    raise ValueError(f"{package}, {section}: median {run['sps_median']}, samples give {true}")


FORMAT: Final = files.JsonFormat("rlenv-gpu-report", 1, "GPU report", "run make gpu-report", _check)
load: Final = FORMAT.read
"""Reads a report; SnapshotVersionError: corrupt or foreign, or its medians are not those of its samples."""
