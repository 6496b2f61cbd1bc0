"""The command ``bench`` of every package with a declaration (`rlenv_shared.verification.commands`)."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence

import numpy as np

from rlenv_bench import results
from rlenv_bench.harness import Run, Timing, measure, sweep
from rlenv_shared import machine
from rlenv_shared.command_line import Parser
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.verification.declaration import Benchmark, BenchmarkCase, Declaration, resolve

QUICK = Timing(blocks=4, block_s=0.1)


def bench_command(declaration: Declaration, argv: Sequence[str]) -> int:
    """Measure every declared benchmark, print it, and write it to ``results/benchmarks``."""
    labels = [benchmark.label for benchmark in declaration.benchmarks]
    parser = Parser(prog=f"{declaration.package} bench", description="Measure speeds in turns.")
    parser.add_argument("--quick", action="store_true", help="short blocks and few cases; nothing is written")
    parser.add_argument("--batches", type=int, nargs="+", help="instead of the declared ones")
    parser.add_argument("--only", choices=labels, help="one of the benchmarks, by its label")
    options = parser.parse_args(argv)
    if options.batches and min(options.batches) < 1:
        raise InvalidParamsError("--batches", min(options.batches), "numbers of at least 1", "correct the option")
    for benchmark in declaration.benchmarks:
        if options.only not in (None, benchmark.label):
            continue
        about, git = machine.describe(), machine.git_state(declaration.results.parent)
        cases = benchmark.quick if options.quick else benchmark.cases
        runs = measure_cases(cases, QUICK if options.quick else Timing(), options.batches)
        report = results.build(declaration.environment, runs, about, git, machine.command_line())
        print("\n\n".join(filter(None, (results.environment_shares(report), results.table(report)))))
        _print_claims(benchmark, report)
        if not options.quick:
            path = results.default_path(declaration.results / "benchmarks", report, benchmark.label)
            results.save(report, path)
            print(f"written to {path}")
    return 0


def measure_cases(cases: Sequence[BenchmarkCase], timing: Timing, batches: Sequence[int] | None = None) -> list[Run]:
    """Measure cases one after the other; groups are numbered through, and each run is printed when it ends."""
    runs: list[Run] = []
    for case in cases:
        make = functools.partial(resolve(case.workloads), **case.settings)
        first = 1 + max((run.group for run in runs), default=-1)
        if case.sweep:
            found = sweep(make, timing, batches or case.batches, on_run=_print_run)
            runs += [dataclasses.replace(run, group=first + run.group) for run in found]
            continue
        for group, batch in enumerate(batches or case.batches, first):
            found = measure(make(batch), timing, group)
            for run in found:
                _print_run(run)
            runs += found
    return runs


def _print_run(run: Run) -> None:
    print(f"batch {run.batch:6,}  {run.workload:28} {results.human(float(np.median(run.sps))):>7} steps/s", flush=True)


def _print_claims(benchmark: Benchmark, report: dict) -> None:
    for claim in benchmark.claims:
        try:
            both = [results.select(report, **selected) for selected in (claim.ours, claim.theirs)]
        except InvalidParamsError:
            continue  # one that was left out
        print(f"{claim.text}: {results.ratio(report, *both)}; required {claim.at_least}×")
