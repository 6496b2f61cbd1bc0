"""Breaks a package on purpose, one change at a time, and expects the tests that the change names to fail.

A test that cannot fail proves nothing.  ``packages/<name>/tests/mutations.toml`` lists the changes (that of ``shared``
names the tests that compare one of its doors or devices with another)::

    [[mutation]]
    id = "paddle-speed-sign"
    file = "crates/pong-core/src/physics.rs"          # relative to the package; "shared:src/…" for another package
    find = "paddle.y += speed"                        # must occur exactly once in the file
    replace = "paddle.y -= speed"
    kills = ["tests/l2_interaction/test_paddle.py::test_up"]   # every case of each must fail

A name without brackets stands for all cases of a parametrised test.  A test counts as failing when it, or a fixture,
raises an AssertionError (DivergenceError is one): an import error would "kill" everything and show nothing.

Usage: python -m ci.mutate PACKAGE [--only ID…] | PACKAGE… --check-coverage
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ci.workspace import REPO, Package, find, libraries

RUN_TIMEOUT_S = 900
BEFORE_TIMEOUT_S = 3600  # of all named tests without any mutation
FIELDS = {"id", "file", "find", "replace", "kills"}
LEVELS = {"l2", "l3"}  # every test of these needs a mutation
FAST_BUILD = {  # optimised enough for the tests, without link-time optimisation
    "CARGO_PROFILE_DEV_OPT_LEVEL": "2",
    "CARGO_PROFILE_DEV_DEBUG": "0",
    "CARGO_PROFILE_DEV_DEBUG_ASSERTIONS": "false",
    "CARGO_PROFILE_DEV_OVERFLOW_CHECKS": "false",
}


class MutationError(Exception):
    """The list of mutations does not fit the code or the tests."""


@dataclass(frozen=True)
class Mutation:
    """One deliberate mistake and the tests that must notice it."""

    id: str
    file: str
    find: str
    replace: str
    kills: tuple[str, ...]

    def path(self, package: Package) -> Path:
        """The file it changes."""
        owner, _, file = self.file.rpartition(":")
        return (find(owner, package.repo).root if owner else package.root) / file

    @property
    def is_rust(self) -> bool:
        """True when the compiled core has to be built again."""
        return self.file.endswith(".rs")

    def mutated(self, package: Package) -> str:
        """Content of the file with the mistake in it.

        Raises:
            MutationError: the file is missing or the text does not occur exactly once.
        """
        path = self.path(package)
        if not path.is_file():
            raise MutationError(f"{self.id}: there is no file {self.file}")
        text = path.read_text()
        if (count := text.count(self.find)) != 1:
            raise MutationError(f"{self.id}: {self.file} has the text to find {count} times, expected once")
        return text.replace(self.find, self.replace)


def load(package: Package) -> list[Mutation]:
    """The mutations of a package, checked against its files.

    Raises:
        MutationError: an entry is malformed, doubled, changes nothing or does not apply.
    """
    path = package.root / "tests" / "mutations.toml"
    if not path.is_file():
        raise MutationError(f"{package.name} has no tests/mutations.toml")
    mutations: list[Mutation] = []
    for entry in tomllib.loads(path.read_text()).get("mutation", []):
        if set(entry) != FIELDS or not entry["kills"] or entry["find"] == entry["replace"]:
            raise MutationError(f"{entry.get('id', entry)}: needs {sorted(FIELDS)}, a change and at least one test")
        mutations.append(Mutation(**{**entry, "kills": tuple(entry["kills"])}))
    ids = [mutation.id for mutation in mutations]
    if doubled := sorted({name for name in ids if ids.count(name) > 1}):
        raise MutationError(f"mutation ids are not unique: {', '.join(doubled)}")
    for mutation in mutations:
        mutation.mutated(package)
    return mutations


def matches(name: str, nodeid: str) -> bool:
    """True when a name in ``kills``, as a full node id, stands for this test."""
    return nodeid == name or nodeid.startswith((f"{name}[", f"{name}::"))


def node_name(package: Package, kill: str) -> str:
    """Full node id of a name in ``kills``."""
    return f"{package.place}/{kill}"


def environment(*packages: Package) -> dict[str, str]:
    """Environment in which Python imports packages, and the libraries beside them, from their sources."""
    beside = [library.source for library in libraries(packages[0].repo)]
    path = [*(package.source for package in packages), *beside, REPO]  # the latter: ci.outcomes
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, path)),
        "PYTHONDONTWRITEBYTECODE": "1",  # two versions of a file may share size and second
        "RLENV_REQUIRE_REFERENCES": "1",
        "JAX_COMPILATION_CACHE_DIR": str(REPO / ".cache" / "jax"),  # most programs are those of the other mutations
    }


class Workspace:
    """A copy of the package, of the libraries and of the references, in which files may be broken."""

    def __init__(self, package: Package, directory: Path) -> None:
        repo = package.repo
        self.repo = repo
        self.root = directory
        self.package = Package(directory / package.place)
        listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"]
        listing += ["pyproject.toml", "references", package.place, *(library.place for library in libraries(repo))]
        found = subprocess.run(listing, cwd=repo, capture_output=True, text=True, check=True).stdout.split("\0")
        compiled = [str(path.relative_to(repo)) for path in package.source.rglob("*.so")]
        for name in {*found, *compiled} - {""}:
            if (repo / name).is_file():
                (directory / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(repo / name, directory / name)  # newer than a core that an earlier run left mutated
        (directory / ".cache").mkdir()
        (repo / ".cache" / "refs").mkdir(parents=True, exist_ok=True)
        (directory / ".cache" / "refs").symlink_to(repo / ".cache" / "refs")

    def check_isolation(self) -> None:
        """Make sure that the copies are what the tests will import.

        Raises:
            MutationError: an installed package shadows its copy.
        """
        for package in (self.package, *libraries(self.root)):
            if not package.source.is_dir():
                continue
            program = f"import {package.import_name} as m; print(m.__file__)"
            where = subprocess.run(
                [sys.executable, "-c", program],
                cwd=self.root,
                env=environment(self.package),
                capture_output=True,
                text=True,
            )
            if not where.stdout.startswith(str(self.root)):
                raise MutationError(
                    f"{package.import_name} is not imported from the copy: {where.stdout or where.stderr}"
                )

    def build_core(self) -> None:
        """Compile the Rust core of the copy and put it where Python imports it.

        Raises:
            MutationError: it does not compile.
        """
        wheels = self.root / "wheels"
        shutil.rmtree(wheels, ignore_errors=True)
        command = [sys.executable, "-m", "maturin", "build", "--quiet", "--profile", "dev", "--auditwheel", "skip"]
        cargo = {**FAST_BUILD, "CARGO_TARGET_DIR": str(self.repo / ".cache" / "mutate-target")}
        built = subprocess.run(
            [*command, "--interpreter", sys.executable, "--out", str(wheels)],
            cwd=self.package.root,
            env={**os.environ, **cargo},
            capture_output=True,
            text=True,
        )
        if built.returncode:
            raise MutationError(f"the core does not compile:\n{built.stderr[-3000:]}")
        for old in self.package.source.rglob("*.so"):
            old.unlink()
        (wheel,) = wheels.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            members = [name for name in archive.namelist() if name.endswith(".so")]
            archive.extractall(self.package.source, members)

    def run(self, names: list[str], timeout_s: int = RUN_TIMEOUT_S) -> dict[str, str]:
        """Run tests of the copy; returns how each collected one ended."""
        return run_pytest([self.package], names, timeout_s)["outcomes"]


def run_pytest(packages: Sequence[Package], arguments: list[str], timeout_s: int = RUN_TIMEOUT_S) -> dict[str, dict]:
    """What `outcomes` saw when pytest ran with these arguments on the sources of packages.

    Raises:
        MutationError: pytest did not come to an end, or could not collect.
    """
    with tempfile.TemporaryDirectory() as directory:
        report = Path(directory) / "outcomes.json"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "ci.outcomes", "-m", "", *arguments]
        try:
            done = subprocess.run(
                command,
                cwd=packages[0].repo,
                env={**environment(*packages), "RLENV_OUTCOMES": str(report)},
                capture_output=True,
                text=True,
                timeout=timeout_s,
            )
        except subprocess.TimeoutExpired as error:
            raise MutationError(f"pytest did not end within {timeout_s} s") from error
        if done.returncode not in (0, 1) or not report.exists():
            raise MutationError(f"pytest could not run {' '.join(arguments)}:\n{(done.stdout + done.stderr)[-3000:]}")
        return json.loads(report.read_text())


def check_coverage(packages: Sequence[Package]) -> list[str]:
    """What is missing between the collected tests of packages and their lists of mutations; nothing is run."""
    places = [f"{package.place}/tests" for package in packages]
    everything = run_pytest(packages, ["--collect-only", *places])["collected"]
    problems = []
    for package, place in zip(packages, places, strict=True):
        collected = {nodeid: marks for nodeid, marks in everything.items() if nodeid.startswith(f"{place}/")}
        problems += _not_covered(package, collected)
    return problems


def _not_covered(package: Package, collected: dict[str, list[str]]) -> list[str]:
    mutations = load(package)
    named = {node_name(package, kill): mutation.id for mutation in mutations for kill in mutation.kills}
    problems = [
        f"mutation {identifier} names {name}, which is not collected"
        for name, identifier in named.items()
        if not any(matches(name, nodeid) for nodeid in collected)
    ]
    needy = [nodeid for nodeid, markers in collected.items() if LEVELS & set(markers)]
    problems += [
        f"{nodeid}: no mutation makes it fail" for nodeid in needy if not any(matches(name, nodeid) for name in named)
    ]
    print(f"mutations of {package.name}: {len(mutations)}, for {len(needy)} tests of L2 and L3")
    return problems


def survivors(names: list[str], outcomes: dict[str, str]) -> list[str]:
    """Tests that did not fail by an assertion, each with what it did instead."""
    problems = []
    for name in names:
        ended = {nodeid: outcome for nodeid, outcome in outcomes.items() if matches(name, nodeid)}
        problems += [f"{nodeid}: {outcome}" for nodeid, outcome in ended.items() if outcome != "assertion"]
        if not ended:
            problems.append(f"{name}: did not run")
    return problems


def mutate(package: Package, only: list[str]) -> int:
    """Apply the mutations one by one; returns how many survived."""
    mutations = [mutation for mutation in load(package) if not only or mutation.id in only]
    if missing := set(only) - {mutation.id for mutation in mutations}:
        raise MutationError(f"there is no mutation {', '.join(sorted(missing))}")
    with tempfile.TemporaryDirectory(prefix="mutate-") as directory:
        workspace = Workspace(package, Path(directory))
        if any(mutation.is_rust for mutation in mutations):
            workspace.build_core()
        workspace.check_isolation()
        names = sorted({node_name(package, kill) for mutation in mutations for kill in mutation.kills})
        print(f"{len(mutations)} mutations of {package.name}; first {len(names)} named tests without any", flush=True)
        outcomes = workspace.run(names, BEFORE_TIMEOUT_S)
        broken = {nodeid: outcome for nodeid, outcome in outcomes.items() if outcome != "passed"}
        if broken:
            raise MutationError(f"tests fail without a mutation: {broken}")
        alive = 0
        width = max(len(mutation.id) for mutation in mutations)
        for mutation in mutations:
            started = time.monotonic()
            problems = apply(workspace, mutation)
            alive += bool(problems)
            verdict = "SURVIVED" if problems else "killed"
            seconds = time.monotonic() - started
            print(f"{mutation.id:{width}}  {verdict:8}  {len(mutation.kills):2} tests  {seconds:5.1f} s", flush=True)
            for problem in problems:
                print(f"    {problem}")
    print(f"{len(mutations) - alive} killed, {alive} survived")
    return alive


def apply(workspace: Workspace, mutation: Mutation) -> list[str]:
    """Break the copy, run the named tests, repair it; returns what did not fail as it should."""
    path = mutation.path(workspace.package)
    original = path.read_text()
    cores = {core: core.read_bytes() for core in workspace.package.source.rglob("*.so")} if mutation.is_rust else {}
    names = [node_name(workspace.package, kill) for kill in mutation.kills]
    try:
        path.write_text(mutation.mutated(workspace.package))
        if mutation.is_rust:
            workspace.build_core()
        return survivors(names, workspace.run(names))
    except MutationError as error:
        return [str(error)]
    finally:
        path.write_text(original)
        for core, content in cores.items():
            core.write_bytes(content)


def main() -> int:
    """Exit status 1 when a mutation survived or a test has none."""
    parser = argparse.ArgumentParser(description="Break a package on purpose and expect its tests to notice.")
    parser.add_argument("packages", nargs="+", metavar="PACKAGE", help="one, or several with --check-coverage")
    parser.add_argument("--only", nargs="+", default=[], metavar="ID", help="apply these mutations alone")
    parser.add_argument("--check-coverage", action="store_true", help="run nothing; every L2 and L3 test needs one")
    options = parser.parse_args()
    packages = [find(name, REPO) for name in options.packages]
    if len(packages) > 1 and not options.check_coverage:
        parser.error("mutations of one package at a time")
    try:
        if options.check_coverage:
            problems = check_coverage(packages)
            print("\n".join(problems), end="\n" if problems else "")
            return 1 if problems else 0
        return 1 if mutate(packages[0], options.only) else 0
    except MutationError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
