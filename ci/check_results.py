"""Recomputes every committed verdict and median from its raw samples, and checks what the READMEs claim."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from ci import device_report
from ci.results import claims, device_reports, reports, rollouts, transfers
from ci.workspace import REPO, environments
from rlenv_shared.errors import EnvError
from rlenv_shared.verification.declaration import Declaration, find


def problems(declaration: Declaration, repo: Path = REPO) -> Iterator[str]:
    """What is wrong with a package's results; prints each one that is right."""
    try:
        for found in rollouts(declaration):
            name = found.path.relative_to(repo)
            print(f"{name}: {found.comparisons} comparisons, {found.steps:,} steps, {found.mismatches} mismatches")
            if found.mismatches:
                yield f"{name}: {found.mismatches} mismatches"
            yield from (f"{name}: {problem}" for problem in found.problems)
    except EnvError as error:
        yield f"{declaration.package}, rollouts: {error}"
    try:
        for found in transfers(declaration):
            name = found.path.relative_to(repo)
            print(f"{name}: {found.verdict}")
            if not found.verdict.ok:
                yield f"{name}: not shown equivalent, or not learned"
            if not committed_before(found.declared, found.path, repo):
                yield f"{name}: the margin must be committed before the run, in an earlier commit"
    except EnvError as error:
        yield f"{declaration.package}, transfer: {error}"
    try:
        for path, content in reports(declaration).items():
            print(f"{path.relative_to(repo)}: {len(content['runs'])} runs{', uncommitted changes' * content['dirty']}")
        for claim in claims(declaration):
            print(f"{declaration.package}: {claim.text}: {claim.ratio or 'not measured'}")
            if claim.ratio is not None and not claim.holds:
                yield f"{claim.path.relative_to(repo)}: {claim.text}: {claim.ratio}, claimed {claim.at_least}×"
    except EnvError as error:
        yield f"{declaration.package}, benchmarks: {error}"


def device_problems() -> Iterator[str]:
    """What is wrong with the reports of whole machines."""
    try:
        for path, content in device_reports().items():
            print(f"{path.relative_to(REPO)}: {content['device']['name']}, {content['mode']} mode")
            yield from (f"{path.relative_to(REPO)}: {line}" for line in device_report.mismatches(content))
    except EnvError as error:
        yield f"GPU reports: {error}"


def made_with_uncommitted_changes(repo: Path = REPO) -> list[str]:
    """Committed results whose own record says that the tree had uncommitted changes when they were made.

    `main` does not count them as problems yet: those that are left have to be made again first
    (``python -m ci.check_results --clean`` does).
    """
    files = [path for root in ("packages", "shared", "ci") for path in (repo / root).rglob("*.json")]
    kept = [path for path in sorted(files) if "target" not in path.parts and '"dirty": true' in path.read_text()]
    return [
        f"{path.relative_to(repo)}: made with uncommitted changes; make it again from a clean tree" for path in kept
    ]


def committed_before(earlier: Path, later: Path, repo: Path) -> bool:
    """True when the content of one file was committed, wherever it lay then, in an older commit than that of another.

    Content that is not committed yet counts as newest, so a fresh result passes while it is looked at.
    """

    def git(*arguments: str) -> list[str]:
        done = subprocess.run(["git", *arguments], cwd=repo, capture_output=True, text=True, check=True)
        return done.stdout.split()

    def first(path: Path) -> list[str]:
        """The oldest commit with this content; empty without one."""
        (content,) = git("hash-object", str(path))
        return git("log", "--format=%H", f"--find-object={content}")[-1:]

    before, after = first(earlier), first(later)
    if not before or not after:
        return bool(before)
    ancestor = ["git", "merge-base", "--is-ancestor", *before, *after]
    return before != after and subprocess.run(ancestor, cwd=repo, check=False).returncode == 0


def main() -> int:
    """Exit status 1 when a result is wrong; ``--clean``: also when one was made with uncommitted changes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clean", action="store_true", help="no result may have been made with uncommitted changes")
    clean = parser.parse_args().clean
    found = [*device_problems(), *(problem for package in environments() for problem in problems(find(package.name)))]
    if clean:
        found += made_with_uncommitted_changes()
    for problem in found:
        print(f"WRONG: {problem}")
    print(f"results of {len(environments())} packages: {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
