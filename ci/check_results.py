"""Recomputes every committed verdict and median from its raw samples, and checks what the READMEs claim."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from results import claims, device_reports, reports, rollouts, transfer_config, transfers
from rlenv_bench import device_report
from rlenv_shared.errors import EnvError
from workspace import REPO, Package, environments


def problems(package: Package, repo: Path = REPO) -> Iterator[str]:
    """What is wrong with a package's results; prints each one that is right."""
    try:
        for found in rollouts(package):
            name = found.path.relative_to(repo)
            print(f"{name}: {found.comparisons} comparisons, {found.steps:,} steps, {found.mismatches} mismatches")
            if found.mismatches:
                yield f"{name}: {found.mismatches} mismatches"
    except EnvError as error:
        yield f"{package.name}, rollouts: {error}"
    try:
        for transfer in transfers(package):
            name = transfer.path.relative_to(repo)
            print(f"{name}: {transfer.verdict}")
            if not transfer.verdict.ok:
                yield f"{name}: not shown equivalent, or not learned"
            if not committed_before(transfer_config(package), transfer.path, repo):
                yield f"{name}: the margin must be committed before the run, in an earlier commit"
    except EnvError as error:
        yield f"{package.name}, transfer: {error}"
    try:
        for path, content in reports(package).items():
            print(f"{path.relative_to(repo)}: {len(content['runs'])} runs{', uncommitted changes' * content['dirty']}")
        for claim in claims(package):
            print(f"{package.name}: {claim.text}: {claim.ratio or 'not measured'}")
            if claim.ratio is not None and not claim.holds:
                yield f"{claim.path.relative_to(repo)}: {claim.text}: {claim.ratio}, claimed {claim.at_least}×"
    except EnvError as error:
        yield f"{package.name}, benchmarks: {error}"


def device_problems() -> Iterator[str]:
    """What is wrong with the reports of whole machines."""
    try:
        for path, content in device_reports().items():
            print(f"{path.relative_to(REPO)}: {content['device']['name']}, {content['mode']} mode")
            yield from (f"{path.relative_to(REPO)}: {line}" for line in device_report.mismatches(content))
    except EnvError as error:
        yield f"GPU reports: {error}"


def committed_before(earlier: Path, later: Path, repo: Path) -> bool:
    """True when the last change of one file is in an older commit than the first version of another.

    A file that is not committed yet counts as newest, so a fresh result passes while it is looked at.
    """

    def commits(path: Path, *options: str) -> list[str]:
        command = ["git", "log", "--format=%H", *options, "--", str(path.relative_to(repo))]
        return subprocess.run(command, cwd=repo, capture_output=True, text=True, check=True).stdout.split()

    first_later = commits(later, "--diff-filter=A", "--reverse")[:1]
    last_earlier = commits(earlier)[:1]
    if not last_earlier:
        return False
    if not first_later:
        return True
    ancestor = ["git", "merge-base", "--is-ancestor", *last_earlier, *first_later]
    return last_earlier != first_later and subprocess.run(ancestor, cwd=repo, check=False).returncode == 0


def main() -> int:
    """Exit status 1 when a result is wrong."""
    found = [*device_problems(), *(problem for package in environments() for problem in problems(package))]
    for problem in found:
        print(f"WRONG: {problem}")
    print(f"results of {len(environments())} packages: {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
