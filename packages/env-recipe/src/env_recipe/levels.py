"""Runs tests of the levels and says how each ended."""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import re
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from env_recipe import process
from env_recipe.manifest import Level, Manifest
from rlenv_shared.errors import EnvError

ASSERTIONS: Final = ("AssertionError", "DivergenceError", "Failed", "FailedHealthCheck", "Falsifying")
MESSAGE: Final = 3000  # characters of a failure that are kept
ADDRESS: Final = re.compile(r"0x[0-9a-f]{9,}\b")
DIVERGENCE: Final = re.compile(
    r"first divergence at episode (?P<episode>\d+), (?:after the reset|step (?P<step>\d+))[^\n]*?, "
    r"(?P<field>[\w.\[\]]+):"
    r"(?P<rest>(?:\n[^\n]*){1,14})"
)
ENTRY: Final = re.compile(r"^\W*(ours|theirs|difference|action|before|generator|reproduce)\s+(.*)$", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Divergence:
    """The first difference of two rollouts, as `rlenv_shared.verification` reports it."""

    episode: int
    step: int  # -1: right after the reset
    field: str
    entries: Mapping[str, str]  # ours, theirs, difference, action, before, generator, reproduce, as far as reported


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How one test ended."""

    test: str  # its name, ``tests/…/test_x.py::test_y[case]``
    status: str  # ``passed``, ``assertion``, ``error`` or ``skipped``
    message: str = ""

    @property
    def divergence(self) -> Divergence | None:
        """The divergence in its message, if it is one."""
        found = DIVERGENCE.search(self.message)
        if found is None:
            return None
        entries = {key: value.strip() for key, value in ENTRY.findall(found["rest"])}
        return Divergence(int(found["episode"]), int(found["step"] or -1), found["field"], entries)


@dataclasses.dataclass(frozen=True)
class Outcomes:
    """How tests ended."""

    tests: tuple[Outcome, ...]
    seconds: float = 0.0

    @property
    def passed(self) -> list[Outcome]:
        """Those that passed."""
        return [test for test in self.tests if test.status == "passed"]

    @property
    def failed(self) -> list[Outcome]:
        """Those that did not: wrong, broken, or skipped, which shows nothing."""
        return [test for test in self.tests if test.status != "passed"]

    @property
    def ok(self) -> bool:
        """There are tests, and all passed."""
        return bool(self.tests) and not self.failed

    @property
    def reach(self) -> int | None:
        """The latest step of a first divergence among the failures; None if no failure is a divergence."""
        steps = [found.step for test in self.failed if (found := test.divergence)]
        return min(steps) if steps else None

    def below(self, selections: Iterable[str]) -> Outcomes:
        """Those that some selections stand for."""
        chosen = list(selections)
        return Outcomes(tuple(test for test in self.tests if any(selected(test.test, name) for name in chosen)))

    def as_json(self) -> dict[str, Any]:
        """For the journal."""
        return {
            "passed": [test.test for test in self.passed],
            "failed": [dataclasses.asdict(test) for test in self.failed],
            "seconds": round(self.seconds, 3),
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Outcomes:
        """From the journal."""
        tests = [Outcome(name, "passed") for name in content["passed"]] + [
            Outcome(**test) for test in content["failed"]
        ]
        return cls(tuple(tests), content["seconds"])


class LevelError(EnvError, RuntimeError):
    """Tests that could not be run at all."""


def selected(test: str, selection: str) -> bool:
    """True when a selection, a folder, a file or a test, stands for a test."""
    if test == selection:
        return True
    if "::" in selection:
        return test.startswith((f"{selection}[", f"{selection}::"))
    return test.startswith((f"{selection}::", f"{selection.rstrip('/')}/"))


def variables(manifest: Manifest, checkout: Path, level: Level, **fixed: str) -> dict[str, str]:
    """The environment in which tests import the target from a checkout of the manifest's folder."""
    package = checkout / manifest.target.package
    roots = [package / part for part in manifest.target.import_path]
    roots += [checkout / part for part in manifest.reference.import_path]
    inherited = os.environ.get("PYTHONPATH", "")
    found = {
        "PYTHONPATH": os.pathsep.join([*map(str, roots), *filter(None, [inherited])]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "RECIPE_SEED": str(level.seed),
        "RECIPE_EPISODES": str(level.episodes),
    }
    return process.environment(process.FOR_TESTS, **(found | fixed))


def run_tests(
    selections: Sequence[str],
    *,
    package: Path,
    env: Mapping[str, str],
    timeout_s: float,
    scratch: Path,
    rootdir: Path | None = None,
) -> Outcomes:
    """Run pytest on selections that are there; returns how each test ended.

    Names of tests are relative to ``rootdir``, the package when left out.

    What cannot be collected is an outcome with status ``error`` under the name of its file, and so is a run that did
    not come to its end, under the name ``pytest``.
    """
    there = [name for name in selections if (package / name.partition("::")[0]).exists()]
    if not there:
        return Outcomes(())
    report = scratch / "report.xml"
    scratch.mkdir(parents=True, exist_ok=True)
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "junit_family=xunit1"]
    command += ["--tb=short", *(["-n", "0"] if _has_xdist(env) else [])]
    started = time.monotonic()
    ended = process.run(
        [*command, f"--junitxml={report}", f"--rootdir={rootdir or package}", *there],
        cwd=package, env=env, timeout_s=timeout_s, output_bytes=50_000_000, scratch=scratch,
    )  # fmt: skip
    seconds = time.monotonic() - started
    hide = [(str(package), "."), (str(rootdir or package), "."), (str(scratch), "")]
    if ended.stopped or ended.status not in (0, 1, 2, 5) or not report.is_file():
        said = _steady(process.clipped(ended.out + ended.err), hide)
        return Outcomes((Outcome("pytest", "error", f"{ended.how}\n{said[-MESSAGE:]}"),), seconds)
    if ended.status == 5:
        return Outcomes((), seconds)
    return Outcomes(tuple(_parsed(report, rootdir or package, hide)), seconds)


def run_command(
    command: Sequence[str], *, package: Path, env: Mapping[str, str], timeout_s: float, scratch: Path
) -> Outcomes:
    """Run a level's command, which is one test: it passes if its status is 0."""
    ended = process.run(
        command, cwd=package, env=env, timeout_s=timeout_s, output_bytes=50_000_000, scratch=scratch
    )  # fmt: skip
    said = _steady(process.clipped(ended.out + ended.err), [(str(package), ".")])
    name = " ".join(command)
    status = "passed" if ended.ok else "assertion" if ended.status == 1 else "error"
    return Outcomes((Outcome(name, status, "" if ended.ok else f"{ended.how}\n{said[-MESSAGE:]}"),), ended.seconds)


def _parsed(report: Path, package: Path, hide: Sequence[tuple[str, str]]) -> Iterable[Outcome]:
    worst: dict[str, Outcome] = {}
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        file = case.get("file") or f"{(case.get('classname') or '').replace('.', '/')}.py"
        module = file.removesuffix(".py").replace("/", ".")
        inner = (case.get("classname") or "").removeprefix(module).strip(".")
        name = "::".join(filter(None, [file, *inner.split("."), case.get("name") or ""]))
        if not case.get("file") and not (package / file).is_file():  # what could not be collected
            name = (case.get("name") or "").replace(".", "/") + ".py"
        outcome = _outcome(name, case, hide)
        if name not in worst or worst[name].status == "passed":
            worst[name] = outcome
    return worst.values()


def _outcome(name: str, case: ElementTree.Element, hide: Sequence[tuple[str, str]]) -> Outcome:
    for kind in ("failure", "error", "skipped"):
        found = case.find(kind)
        if found is not None:
            text = _steady(found.text or found.get("message") or "", hide)
            if kind == "skipped":
                return Outcome(name, "skipped", text[-MESSAGE:])
            last = text.rstrip().rpartition("\n")[2]
            about = f"{found.get('message', '')[:200]} {last}"
            wrong = (kind == "failure" and any(word in about for word in ASSERTIONS)) or _is_assert(found)
            return Outcome(name, "assertion" if wrong and kind == "failure" else "error", _cut(text))
    return Outcome(name, "passed")


def _is_assert(found: ElementTree.Element) -> bool:
    return (found.get("message") or "").startswith(("assert ", "AssertionError"))


def _cut(text: str) -> str:
    """The end of a message, or the divergence in it, which comes first."""
    found = DIVERGENCE.search(text)
    return text[found.start() : found.start() + MESSAGE] if found else text[-MESSAGE:]


def _steady(text: str, hide: Sequence[tuple[str, str]]) -> str:
    """A message without what differs between two runs that do the same: places, addresses, seconds."""
    for place, shown in hide:
        text = text.replace(place, shown)
    text = ADDRESS.sub("0x…", text)
    return re.sub(r"\bin \d+\.\d+s\b", "in …s", text)


def _has_xdist(env: Mapping[str, str]) -> bool:
    """Pytest will know ``-n``."""
    return importlib.util.find_spec("xdist") is not None and "PYTEST_DISABLE_PLUGIN_AUTOLOAD" not in env


def level_of_name(test: str) -> str:
    """The level that a test's folder names, ``l1`` … ``l4``; ``other`` for one that names none."""
    found = re.search(r"(?:^|/)(l[1-4])_", test)
    return found[1] if found else "other"
