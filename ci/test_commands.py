"""The command surface: help is complete, stages exist, a run that tested nothing fails."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from ci.workspace import (
    REPO,
    Package,
    environments,
    find,
    install_arguments,
    packages,
    requirement_extras,
    requirement_name,
    shared,
)
from rlenv_shared.verification import commands
from rlenv_shared.verification.declaration import find as declared

pytestmark = pytest.mark.l1

MAKEFILE = (REPO / "Makefile").read_text()


def targets() -> set[str]:
    """Targets that a user may name, with ``<pkg>`` or ``<ref>`` for a family."""
    names = " ".join(re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE))
    names = re.sub(r"\$\((?:PACKAGES|ENVIRONMENTS|TRAINED):%=([\w-]+)-%\)", r"\1-<pkg>", names)
    return set(re.sub(r"\$\((?:TESTED_)?REFERENCES:%=([\w-]+)-%\)", r"\1-<ref>", names).split())


def test_help_lists_every_target() -> None:
    shown = set(re.findall(r"^## (\S+): ", MAKEFILE, re.MULTILINE))
    shared = {f"{action}-shared" for action in ("setup", "test", "mutate", "wheels")}  # parts of families
    unlisted = {"help", "ci", "lint-python", "lint-rust"} | shared  # itself, a synonym, and the halves of `lint`
    assert shown == targets() - unlisted
    done = subprocess.run(["make", "-s", "help"], cwd=REPO, capture_output=True, text=True, check=True)
    assert all(f"  {name} " in done.stdout for name in shown)


def test_what_declares_training_has_a_target_that_trains() -> None:
    for package in environments():
        done = subprocess.run(["make", "-n", f"train-{package.name}"], cwd=REPO, capture_output=True, text=True)
        assert (done.returncode == 0) != bool(commands.missing(declared(package.name), "train")), done.stderr


def test_every_stage_is_a_target() -> None:
    script = (REPO / "ci" / "run.sh").read_text()
    rows = re.findall(r"^[A-Z]+=\((.*?)\)", script, re.MULTILINE)
    rows += re.findall(r"(?:^ *|if |&& )run ((?:[a-z][\w-]+ ?)+)", script, re.MULTILINE)
    stages = " ".join(rows).replace(",", " ").split()
    assert {"test-quick", "lint-python", "lint-rust", "docs"} <= set(stages) <= targets()
    assert len(set(stages)) == len(stages)


def test_packages_that_are_installed_together_are_named_once_each() -> None:
    arguments = install_arguments(shared(), *packages())
    places = [argument.split("[")[0] for argument in arguments]
    assert places == [str(package.root) for package in [shared(), *packages()]]
    assert str(shared().root) in install_arguments(find("cartpole-jax"))


def test_an_unknown_package_is_named() -> None:
    with pytest.raises(SystemExit, match="'nothing'; this repository has: shared"):
        find("nothing")


def check_tools(*arguments: str, path: str = "/usr/bin:/bin") -> subprocess.CompletedProcess:
    command = ["/usr/bin/env", "bash", str(REPO / "ci" / "check_tools.sh"), *arguments]
    return subprocess.run(command, env={"PATH": path}, capture_output=True, text=True)


@pytest.mark.parametrize("tool", ["python=", "python=no-such-python", "cargo", "cc"])
def test_a_missing_tool_is_named_with_its_remedy(tool: str, tmp_path: Path) -> None:
    (tmp_path / "bash").symlink_to("/bin/bash")
    done = check_tools(tool, path=str(tmp_path))
    assert done.returncode == 1
    assert all(word in done.stderr for word in ("got:", "expected:", "remedy:"))


def test_an_old_python_is_refused(tmp_path: Path) -> None:
    old = tmp_path / "python"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo Python 3.9.1 && exit\nexit 1\n')
    old.chmod(0o755)
    done = check_tools(f"python={old}")
    assert done.returncode == 1
    assert "Python 3.9.1" in done.stderr


def test_this_python_is_accepted() -> None:
    assert check_tools(f"python={sys.executable}").returncode == 0


@pytest.mark.parametrize(
    ("suite", "status", "line"),
    [
        ('<testsuite tests="5" failures="0" errors="0" skipped="2"/>', 0, "3 passed, 0 failed, 2 skipped"),
        ('<testsuite tests="5" failures="1" errors="1" skipped="0"/>', 0, "3 passed, 2 failed, 0 skipped"),
        ('<testsuite tests="4" failures="0" errors="0" skipped="4"/>', 1, "0 passed, 0 failed, 4 skipped"),
        ("", 1, "0 passed, 0 failed, 0 skipped"),
    ],
)
def test_a_run_that_tested_nothing_fails(tmp_path: Path, suite: str, status: int, line: str) -> None:
    (tmp_path / "l1.xml").write_text(f"<testsuites>{suite}</testsuites>")
    command = [sys.executable, "-m", "ci.count_tests", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=REPO)
    assert (done.returncode, done.stdout.strip()) == (status, line)


def test_the_files_that_took_longest_come_first(tmp_path: Path) -> None:
    case = '<testcase classname="{}" time="{}"/>'
    cases = "".join(case.format(*row) for row in [("quick", 2.0), ("slow", 1.5), ("slow", 1.6)])
    (tmp_path / "l1.xml").write_text(f'<testsuites><testsuite tests="3">{cases}</testsuite></testsuites>')
    command = [sys.executable, "-m", "ci.count_tests", str(tmp_path)]
    told = subprocess.run(command, capture_output=True, text=True, cwd=REPO).stdout.splitlines()
    assert [line.split() for line in told[:2]] == [["3", "core-seconds", "slow"], ["2", "core-seconds", "quick"]]


def test_requirements_are_read() -> None:
    text = 'RLenv_Shared[ppo, cli] >=0.1; python_version > "3"'
    assert requirement_name(text) == "rlenv-shared"
    assert requirement_extras(text) == ["ppo", "cli"]
    assert requirement_extras("numpy>=2") == []


@pytest.mark.parametrize("package", [shared(), *packages()], ids=lambda package: package.name)
def test_a_package_knows_its_version(package: Package) -> None:
    """It is written twice, since a checkout on the path has no metadata."""
    text = (package.source / package.import_name / "__init__.py").read_text()
    assert f'__version__ = "{package.project["version"]}"' in text


def test_setup_leaves_out_extras_that_bring_gigabytes(tmp_path: Path) -> None:
    text = '[project]\nname = "toy"\n[project.optional-dependencies]\ntest = []\ncuda13 = []\nsb3 = []\n'
    (tmp_path / "pyproject.toml").write_text(text)
    assert Package(tmp_path).editable == f"{tmp_path}[test]"
