"""The committed results of the packages, recomputed from their raw samples.

A package keeps them in its ``results/``:

| file | what |
|---|---|
| ``<rollout set>.json`` | every comparison of whole episodes (`rlenv_shared.verification.verify`) |
| ``transfer.json`` | every episode's return (`rlenv_learn.transfer.verdict`); the declared config has the margin |
| ``benchmarks/*.json`` | every timed block (`rlenv_bench.results`); the declaration's claims follow from them |
| ``gpu_compiled.json`` | counts of the code compiled for a GPU (`rlenv_bench.gpu.compilation`) |

``ci/gpu_results/*.json`` is what `make gpu-report` wrote on a GPU, all packages (`ci.device_report`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ci import device_report
from ci.workspace import REPO
from rlenv_bench import results
from rlenv_bench.gpu import compilation as gpu_report
from rlenv_learn.transfer.verdict import TransferConfig, TransferVerdict, load_results, verdict
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.verification import verify
from rlenv_shared.verification.declaration import Declaration

DTYPES = ("float32", "float64")  # a comparison's name may end with one
DEVICE_REPORTS = REPO / "ci" / "gpu_results"


@dataclass(frozen=True)
class Transfer:
    """One results file of L4 and what follows from it."""

    path: Path
    declared: Path  # the config, which has to be older than the results
    config: TransferConfig
    verdict: TransferVerdict


@dataclass(frozen=True)
class Rollouts:
    """One results file of L3: how many comparisons it holds, over how many steps, what differed, what else is wrong."""

    path: Path
    comparisons: int
    steps: int
    mismatches: int
    by_dtype: Mapping[str, int]  # steps of the comparisons that name a dtype; each dtype has bounds of its own
    problems: Sequence[str]  # by the run itself, as something that was never met


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


def rollouts(declaration: Declaration) -> Iterator[Rollouts]:
    """The comparisons of whole episodes, one item per declared set that was run.

    Raises:
        SnapshotVersionError: a file is corrupt or holds no comparison.
    """
    for declared in declaration.rollouts:
        path = declaration.results / f"{declared.name}.json"
        if path.exists():
            content = verify.load(path)
            found = list(verify.comparisons(content))
            by_dtype: dict[str, int] = {}
            for name, steps, _ in found:
                dtype = name.rpartition(" ")[2]
                if dtype in DTYPES:
                    by_dtype[dtype] = by_dtype.get(dtype, 0) + steps
            steps, mismatches = sum(row[1] for row in found), sum(row[2] for row in found)
            yield Rollouts(path, len(found), steps, mismatches, by_dtype, content.get("problems", ()))


def transfers(declaration: Declaration) -> Iterator[Transfer]:
    """The verdicts of L4, of the experiments that were run.

    Raises:
        SnapshotVersionError: the file is corrupt or foreign.
        InvalidParamsError: the file belongs to another config, or has too few policies or episodes.
    """
    for declared in declaration.transfers:
        path = declaration.results / f"{declared.name}.json"
        if path.exists():
            config = TransferConfig.load(declared.config)
            yield Transfer(path, declared.config, config, verdict(load_results(path), config))


def reports(declaration: Declaration) -> dict[Path, dict[str, Any]]:
    """The benchmark reports, oldest first; their names begin with the date.

    Raises:
        SnapshotVersionError: a file is corrupt or foreign, or its medians do not follow from its samples.
    """
    paths = sorted((declaration.results / "benchmarks").glob("*.json"))
    return {path: results.load(path) for path in paths}


def claims(declaration: Declaration) -> Iterator[Claim]:
    """The stated ratios: of the newest reports of each machine that measured both implementations, the smallest.

    Raises:
        SnapshotVersionError: a report is corrupt.
    """
    measured = reports(declaration)
    for stated in (claim for benchmark in declaration.benchmarks for claim in benchmark.claims):
        newest: dict[str, tuple[Path, results.Ratio]] = {}
        for source, content in measured.items():
            try:
                both = [results.select(content, **selected) for selected in (stated.ours, stated.theirs)]
            except InvalidParamsError:
                continue  # another benchmark's report
            newest[machine_of(content)] = source, results.ratio(content, *both)
        smallest = min(newest.values(), key=lambda found: found[1].value, default=(None, None))
        yield Claim(stated.text, stated.at_least, *smallest)


def machine_of(report: dict[str, Any]) -> str:
    """What a benchmark ran on, in words."""
    machine = report["machine"]
    return f"{machine['cpu']}, {machine['cores']} cores" + (f", {machine['gpu']}" if machine["gpu"] else "")


def compiled_report(declaration: Declaration) -> dict[str, Any] | None:
    """What the compiler says of a package's programs on a GPU; None if it declares none.

    Raises:
        SnapshotVersionError: the file is corrupt or foreign.
    """
    path = declaration.results / gpu_report.FILE
    return gpu_report.load(path) if path.exists() else None


def predictions(declaration: Declaration) -> dict[tuple[str, int, str], gpu_report.Cost]:
    """What `rlenv_bench.gpu` predicts, by program, batch size and what a step writes."""
    committed = compiled_report(declaration)
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
