"""The file that `make gpu-report` writes, and the tables and plot made of it.

::

    {"format": "rlenv-gpu-report", "schema": 1, "mode": "full", "git": "<commit>", "dirty": false, "command": "…",
     "machine": {see `machine.describe`}, "device": {"platform": "gpu", "name": "NVIDIA H200"}, "seconds": 400.0,
     "packages": {"puffer-pong": {
       "replay": {"seconds": 9.0, "results": [{"name": "…", "steps": 1, "mismatches": 0, …}]},
       "throughput": {"peak_bytes": 123, "results": [{run: see `report`}, {"name": "…", "skipped": "…"}]},
       "throughput, CUDA graphs": {…}, "ppo": {…}, "comparisons": {…}}}}

A section that failed has ``"error"`` instead of results.  Medians are recomputed from the samples on loading.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

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


def results(report: Mapping[str, Any], package: str, section: str) -> list[dict[str, Any]]:
    """What a section of a package found; empty if it did not run."""
    return report["packages"].get(package, {}).get(section, {}).get("results", [])


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


def tables(report: Mapping[str, Any], package: str, predicted: Mapping[tuple[str, int, str], Cost]) -> str:
    """Markdown of everything measured for a package; ``predicted`` by program, batch and what a step writes."""
    about = report["device"]["name"]
    parts = [
        _replay_table(report, package, about),
        _throughput_table(report, package, predicted),
        bench.environment_shares({"runs": runs(report, package, "ppo")}),
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
        "| program | a step writes | batch | steps/s | with CUDA graphs | predicted | measured / raw model |",
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
            f"{run['sps_median'] / model.raw_steps_per_s:.0%}" if model and on_gpu else "—",
        ]
        rows.append(f"| {' | '.join(cells)} |")
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
        for found in content.get("results", []):
            if "skipped" in found:
                reasons.setdefault(found["skipped"], []).append(f"{section}, {found['name']}")
    return "\n".join(f"- not run, {reason}: {'; '.join(names)}" for reason, names in reasons.items())


def _check(report: Mapping[str, Any]) -> None:
    for name in HEAD:
        report[name]
    for package, sections in report["packages"].items():
        for section in sections:
            for run in runs(report, package, section):
                true = bench.summarise(run).median
                if not math.isclose(run["sps_median"], true, rel_tol=bench.SUMMARY_RTOL):
                    raise ValueError(f"{package}, {section}: median {run['sps_median']}, samples give {true}")


FORMAT: Final = files.JsonFormat("rlenv-gpu-report", 1, "GPU report", "run make gpu-report", _check)
load: Final = FORMAT.read
"""Reads a report; SnapshotVersionError: corrupt or foreign, or its medians are not those of its samples."""
