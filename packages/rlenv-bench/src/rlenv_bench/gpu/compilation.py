"""The committed report of a package's programs, and what is wrong with it.

``packages/<dist>/results/gpu_compiled.json``::

    {"format": "rlenv-gpu-compiled", "schema": 2, "target": "h200", "jax": "0.11.2", "command": "make gpu-compile",
     "programs": {"step": {"about": "…", "writes": "reward, done", "steps": 64,
       "fingerprints": {"0.10.2": "<sha256>", "0.11.2": "<sha256>"},
       "compiled": [{"batch": 65536, "steps_per_iteration": 1, "compile_s": 2.1, "memory_bytes": 123,
         "kernels": [{"name": "loop_fusion", "op": "fusion", "trips": 1, "bytes_read": 1, "bytes_written": 1,
                      "threads": 1, "in_graph": true, "registers": 40, "spill_bytes": 0, "instructions": 300,
                      "alu": 100, "imad": 20, "fp32": 90, "mufu": 0, "fp64": 0, "uncounted_loops": 0}]}]}}}

``jax`` is the version that compiled; ``fingerprints`` holds the program's hash for each version it was taken with.  A
kernel has bytes of a launch, and what a thread issues, in all and by pipe.  Raw counts are stored; costs per step and
predictions are computed from them when asked for.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from rlenv_bench.gpu.model import CALIBRATED, FAST, RAW, SLOW, Assumptions, seconds
from rlenv_bench.gpu.target import Target
from rlenv_shared import files
from rlenv_shared.errors import InvalidParamsError

COMMAND: Final = "make gpu-compile"
FILE: Final = "gpu_compiled.json"  # in a package's results
LIMITS: Final = ("launches", "bytes", "spill_bytes", "registers", "instructions")
FLOOR: Final = "calibrated_steps_per_s"


@dataclasses.dataclass(frozen=True)
class Cost:
    """What one step of all environments costs at one batch size; per environment where it says so."""

    batch: int  # environments
    launches: float  # kernels per step
    bytes: float  # moved per environment and step
    instructions: float  # of threads, per environment and step
    registers: int  # of the hungriest kernel's threads
    spill_bytes: int  # of all kernels of the step
    uncounted_loops: int  # loops inside kernels whose trips nobody declared
    raw_steps_per_s: float  # environment steps per second that the datasheet allows (`rlenv_bench.gpu.model`)
    calibrated_steps_per_s: float  # expected, by published measurements of other programs; budgets count on it
    slow_steps_per_s: float  # at the slow end of their range
    fast_steps_per_s: float  # at the fast end


def cost(compiled: Mapping[str, Any], target: Target) -> Cost:
    """Costs of a step from the raw counts of one compilation."""
    kernels, batch, steps = compiled["kernels"], compiled["batch"], compiled["steps_per_iteration"]

    def total(amount: Any) -> float:
        return sum(kernel["trips"] * amount(kernel) for kernel in kernels)

    def moved(kernel: Mapping[str, Any]) -> int:
        return kernel["bytes_read"] + kernel["bytes_written"]

    def issued(kernel: Mapping[str, Any]) -> int:
        return kernel["instructions"] * kernel["threads"]

    def steps_per_s(assumed: Assumptions) -> float:
        whole = total(lambda kernel: seconds(kernel, target, assumed))
        return batch * steps / whole if whole else 0.0

    return Cost(
        batch=batch,
        launches=total(lambda kernel: 1) / steps,
        bytes=total(moved) / (batch * steps),
        instructions=total(issued) / (batch * steps),
        registers=max((kernel["registers"] for kernel in kernels), default=0),
        spill_bytes=sum(kernel["spill_bytes"] for kernel in kernels),
        uncounted_loops=sum(kernel["uncounted_loops"] for kernel in kernels),
        raw_steps_per_s=steps_per_s(RAW),
        calibrated_steps_per_s=steps_per_s(CALIBRATED),
        slow_steps_per_s=steps_per_s(SLOW),
        fast_steps_per_s=steps_per_s(FAST),
    )


def build(target: str, jax_version: str, programs: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """A report."""
    head = {**FORMAT.head, "target": target, "jax": jax_version, "command": COMMAND}
    return {**head, "programs": dict(programs)}


def save(report: Mapping[str, Any], path: Path) -> None:
    """Write a report, one kernel a line."""
    text = json.dumps(files.sealed(path, report), indent=1)
    # Only the innermost objects go on one line.
    one_line = re.sub(r"\{[^{}\[\]]*\}", lambda found: re.sub(r"\s*\n\s*", " ", found[0]), text)
    with files.replacing(path) as file:
        file.write(one_line.encode() + b"\n")


def target(report: Mapping[str, Any]) -> Target:
    """The device that a report is about."""
    return Target.load(report["target"])


def costs(report: Mapping[str, Any], program: str) -> list[Cost]:
    """Costs of a program at each batch size."""
    return [cost(compiled, target(report)) for compiled in report["programs"][program]["compiled"]]


def checked_budgets(package: str, budgets: Mapping[str, Mapping[str, float]]) -> Mapping[str, Mapping[str, float]]:
    """The budgets of a package's programs: what a step may cost at most, and a floor of its speed.

    ``launches``, ``bytes`` and ``instructions`` are per step (and environment), ``spill_bytes`` and ``registers`` of
    any kernel, all at every batch; ``calibrated_steps_per_s`` is predicted at the best batch.  Raises
    InvalidParamsError: a budget has other keys than `LIMITS` and `FLOOR`, or lacks a spill limit or the floor.
    """
    for program, budget in budgets.items():
        if not {"spill_bytes", FLOOR} <= set(budget) <= {*LIMITS, FLOOR}:
            expected, remedy = f"spill_bytes and {FLOOR}, and others of {LIMITS}", "correct the declaration"
            raise InvalidParamsError(f"budget of {package}, {program}", sorted(budget), expected, remedy)
    return budgets


def problems(
    report: Mapping[str, Any],
    declared: Mapping[str, Iterable[int]],
    fingerprints: Mapping[str, str],
    jax_version: str,
    budgets: Mapping[str, Mapping[str, float]],
) -> Iterator[str]:
    """What is wrong with a committed report, a line each.

    Args:
        report: as it is committed.
        declared: batch sizes of each program that the package declares.
        fingerprints: of each program as it is now.
        jax_version: with which they were taken.
        budgets: of each program of the package.
    """
    if set(report["programs"]) != set(declared):
        yield f"it holds the programs {sorted(report['programs'])}, declared are {sorted(declared)}; run {COMMAND}"
    for name in set(report["programs"]) & set(declared):
        recorded = report["programs"][name]["fingerprints"]
        batches = [compiled["batch"] for compiled in report["programs"][name]["compiled"]]
        if batches != list(declared[name]):
            yield f"{name}: compiled for the batches {batches}, declared are {list(declared[name])}; run {COMMAND}"
        if jax_version not in recorded:
            yield f"{name}: its fingerprint was taken with jax {sorted(recorded)}, not {jax_version}; run {COMMAND}"
        elif recorded[jax_version] != fingerprints[name]:
            yield f"{name}: stale, the program has changed since it was compiled; run {COMMAND}"
        if name not in budgets:
            yield f"{name}: no budget"
        else:
            yield from (f"{name}: {line}" for line in over_budget(costs(report, name), budgets[name]))


def over_budget(found: Iterable[Cost], budget: Mapping[str, float]) -> Iterator[str]:
    """What exceeds a budget: limits hold at every batch size, the floor at the best one."""
    found = list(found)
    for at in found:
        for limit in LIMITS:
            if getattr(at, limit) > budget.get(limit, float("inf")):
                yield f"batch {at.batch:,}: {limit} {getattr(at, limit):,.6g}, budget {budget[limit]:,.6g}"
        if at.uncounted_loops:
            yield f"batch {at.batch:,}: {at.uncounted_loops} loops in kernels of undeclared trips: pass kernel_trips"
    best = max((at.calibrated_steps_per_s for at in found), default=0.0)
    if best < budget[FLOOR]:
        yield f"{best:,.4g} steps/s predicted, budget {budget[FLOOR]:,.4g}"


def table(report: Mapping[str, Any]) -> str:
    """Markdown: one row per program and batch size."""
    rows = [
        "| program | a step writes | batch | launches | bytes | instructions | registers | spilled "
        "| G steps/s, raw | calibrated | range |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, program in report["programs"].items():
        for at in costs(report, name):
            raw, calibrated, slow, fast = (
                f"{speed / 1e9:.3g}"
                for speed in (at.raw_steps_per_s, at.calibrated_steps_per_s, at.slow_steps_per_s, at.fast_steps_per_s)
            )
            rows.append(
                f"| {name} | {program['writes']} | {at.batch:,} | {at.launches:.3g} | {at.bytes:.0f} "
                f"| {at.instructions:,.0f} | {at.registers} | {at.spill_bytes} "
                f"| {raw} | {calibrated} | {slow} – {fast} |"
            )
    return "\n".join(rows)


def _check(report: Mapping[str, Any]) -> None:
    device = target(report)
    for program in report["programs"].values():
        str(program["writes"])
        for compiled in program["compiled"]:
            cost(compiled, device)


FORMAT: Final = files.JsonFormat("rlenv-gpu-compiled", 2, "GPU report", f"run {COMMAND}", _check)
load: Final = FORMAT.read
"""Reads a report; SnapshotVersionError: there is none, or it is not of this format."""
