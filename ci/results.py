"""The committed results of the packages, recomputed from their raw samples.

| file | what |
|---|---|
| ``tests/l3_rollout/results/*.json`` | every comparison of whole episodes: its steps, and what differed |
| ``tests/l4_transfer/config.toml`` | margin and budgets of the transfer experiment, fixed before the runs |
| ``tests/l4_transfer/results/*.json`` | every episode's return (`rlenv_learn.transfer.verdict`) |
| ``benchmarks/results/*.json`` | every timed block (`rlenv_bench.results`) |
| ``benchmarks/gpu_compiled.json`` | counts of the code compiled for a GPU (`rlenv_bench.gpu.compilation`) |
| ``ci/gpu_results/*.json`` | what `make gpu-report` wrote on a GPU, all packages (`rlenv_bench.device_report`) |
| ``benchmarks/claims.toml`` | the ratios of speed that the READMEs state, and what each must reach |

``claims.toml``::

    [[claim]]
    text = "JAX against gymnax at batch 4,096"
    ours = { side = "jax", batch = 4096 }                    # without a batch: the fastest one
    theirs = { side = "gymnax", batch = 4096 }               # further keys select by the run's settings
    at_least = 5.0                                           # optional; a ratio below it fails `make check-results`
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpu_declarations import REPORT
from rlenv_bench import device_report, results
from rlenv_bench.gpu import compilation as gpu_report
from rlenv_learn.transfer.verdict import TransferConfig, TransferVerdict, load_results, verdict
from rlenv_shared.errors import InvalidParamsError, SnapshotVersionError, explain
from workspace import REPO, Package

DEVICE_REPORTS = REPO / "ci" / "gpu_results"


@dataclass(frozen=True)
class Transfer:
    """One results file of L4 and what follows from it."""

    path: Path
    config: TransferConfig
    verdict: TransferVerdict


@dataclass(frozen=True)
class Rollouts:
    """One results file of L3: how many comparisons it holds, over how many steps, and what differed."""

    path: Path
    comparisons: int
    steps: int
    mismatches: int


@dataclass(frozen=True)
class Claim:
    """One stated ratio of speed, with the report it follows from (None while nothing was measured)."""

    text: str
    at_least: float
    path: Path | None
    ratio: results.Ratio | None

    @property
    def holds(self) -> bool:
        """True when it was measured and reached."""
        return self.ratio is not None and self.ratio.value >= self.at_least


def rollouts(package: Package) -> Iterator[Rollouts]:
    """The comparisons of whole episodes, one item per file.

    A comparison is an object anywhere in the file with ``steps`` and ``mismatches`` (a number, or one per
    implementation), or ``steps`` and ``diverged`` with the mismatches of each of its ``fields``.

    Raises:
        SnapshotVersionError: a file is corrupt or holds no comparison.
    """
    for path in sorted((package.root / "tests" / "l3_rollout" / "results").glob("*.json")):
        try:
            found = list(_comparisons(json.loads(path.read_bytes())))
        except ValueError as error:
            raise _unreadable(path, error) from error
        if not found:
            raise _unreadable(path, "no comparison")
        yield Rollouts(path, len(found), sum(steps for steps, _ in found), sum(count for _, count in found))


def _comparisons(node: Any) -> Iterator[tuple[int, int]]:
    """Steps and mismatches of every comparison below a JSON value."""
    if isinstance(node, dict) and "steps" in node and {"mismatches", "diverged"} & set(node):
        counts = node.get("mismatches", int(node.get("diverged", False)))
        fields = node.get("fields", {}).values()
        total = sum(counts.values()) if isinstance(counts, dict) else counts
        yield int(node["steps"]), int(total) + sum(int(field["mismatches"]) for field in fields)
    elif isinstance(node, dict | list):
        for child in node.values() if isinstance(node, dict) else node:
            yield from _comparisons(child)


def _unreadable(path: Path, got: object) -> SnapshotVersionError:
    expected = "JSON with the steps and mismatches of each comparison"
    return SnapshotVersionError(explain(f"rollout results {path}", got=got, expected=expected, remedy="run verify"))


def transfer_config(package: Package) -> Path:
    """Where the transfer experiment of a package is laid down."""
    return package.root / "tests" / "l4_transfer" / "config.toml"


def transfers(package: Package) -> Iterator[Transfer]:
    """The verdicts of L4, oldest file first.

    Raises:
        SnapshotVersionError: a file is corrupt or foreign.
        InvalidParamsError: a file belongs to another config, or has too few policies or episodes.
    """
    for path in sorted((package.root / "tests" / "l4_transfer" / "results").glob("*.json")):
        config = TransferConfig.load(transfer_config(package))
        yield Transfer(path, config, verdict(load_results(path), config))


def reports(package: Package) -> dict[Path, dict[str, Any]]:
    """The benchmark reports, oldest first; their names begin with the date.

    Raises:
        SnapshotVersionError: a file is corrupt or foreign, or its medians do not follow from its samples.
    """
    paths = sorted((package.root / "benchmarks" / "results").glob("*.json"))
    return {path: results.load(path) for path in paths}


def claims(package: Package) -> Iterator[Claim]:
    """The stated ratios, each from the newest report that measured both sides.

    Raises:
        SnapshotVersionError: a report is corrupt.
        InvalidParamsError: claims.toml is malformed.
    """
    path = package.root / "benchmarks" / "claims.toml"
    if not path.exists():
        return
    measured = reports(package)
    for entry in tomllib.loads(path.read_text()).get("claim", []):
        if not {"text", "ours", "theirs"} <= set(entry) <= {"text", "ours", "theirs", "at_least"}:
            raise InvalidParamsError(f"{path}: a claim has the keys {sorted(entry)}")
        found = None, None
        for source, content in reversed(measured.items()):
            try:
                sides = [results.select(content, **entry[side]) for side in ("ours", "theirs")]
            except InvalidParamsError:
                continue  # another benchmark's report
            found = source, results.ratio(content, *sides)
            break
        yield Claim(entry["text"], float(entry.get("at_least", 0.0)), *found)


def compiled_report(package: Package) -> dict[str, Any] | None:
    """What the compiler says of a package's programs on a GPU; None if it declares none.

    Raises:
        SnapshotVersionError: the file is corrupt or foreign.
    """
    path = package.root / REPORT
    return gpu_report.load(path) if path.exists() else None


def predictions(package: Package) -> dict[tuple[str, int, str], gpu_report.Cost]:
    """What `rlenv_bench.gpu` predicts, by program, batch size and what a step writes."""
    committed = compiled_report(package)
    return {
        (name, cost.batch, program["writes"]): cost
        for name, program in (committed["programs"] if committed else {}).items()
        for cost in gpu_report.costs(committed, name)
    }


def device_reports(folder: Path = DEVICE_REPORTS) -> dict[Path, dict[str, Any]]:
    """The committed reports of whole machines, of each device the newest; their names begin with the date.

    Raises:
        SnapshotVersionError: a file is corrupt or foreign, or its medians do not follow from its samples.
    """
    loaded = {path: device_report.load(path) for path in sorted(folder.glob("*.json"))}
    newest = {content["device"]["name"]: path for path, content in loaded.items()}
    return {path: loaded[path] for path in newest.values()}
