"""The mutation runner on a toy repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from ci import mutate
from ci.workspace import Package

pytestmark = pytest.mark.l1

RULES = "def double(x):\n    return x * 2\n\n\ndef triple(x):\n    return x * 3\n"
TESTS = """
import pytest
from toy.rules import double, triple
pytestmark = pytest.mark.l2

@pytest.mark.parametrize("x", [1, 5])
def test_double(x):
    assert double(x) == x + x

def test_triple():
    assert triple(2) == 6
"""
ENTRY = """
[[mutation]]
id = "{id}"
file = "{file}"
find = "{find}"
replace = "{replace}"
kills = ["tests/l2_interaction/test_toy.py::{kills}"]
"""
DOUBLE = {"id": "double", "file": "src/toy/rules.py", "find": "x * 2", "replace": "x * 7", "kills": "test_double"}
TRIPLE = {"id": "triple", "file": "src/toy/rules.py", "find": "x * 3", "replace": "x + 3", "kills": "test_triple"}


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Package:
    """A repository with one package and two mutations."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # its shared package is empty and has no plugin
    root = tmp_path / "repo"
    files = {
        "pyproject.toml": '[tool.pytest.ini_options]\naddopts = ["--import-mode=importlib"]\nmarkers = ["l2: x"]\n',
        "shared/src/rlenv_shared/__init__.py": "",
        "packages/toy/pyproject.toml": '[project]\nname = "toy"\n',
        "packages/toy/src/toy/__init__.py": "",
        "packages/toy/src/toy/rules.py": RULES,
        "packages/toy/tests/l2_interaction/test_toy.py": TESTS,
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    subprocess.run(["git", "init", "--quiet", str(root)], check=True)
    package = Package(root / "packages" / "toy")
    write(package, DOUBLE, TRIPLE)
    return package


def write(package: Package, *entries: dict[str, str]) -> None:
    text = "".join(ENTRY.format(**entry) for entry in entries)
    (package.root / "tests" / "mutations.toml").write_text(text)


def test_kills_every_mutation_and_leaves_the_sources_alone(toy: Package) -> None:
    assert mutate.mutate(toy, []) == 0
    assert (toy.source / "toy" / "rules.py").read_text() == RULES


def test_a_change_that_nothing_notices_survives(toy: Package, capsys: pytest.CaptureFixture) -> None:
    write(toy, {**DOUBLE, "replace": "2 * x"})
    assert mutate.mutate(toy, []) == 1
    assert "test_double[1]: passed" in capsys.readouterr().out


def test_every_case_must_fail(toy: Package, capsys: pytest.CaptureFixture) -> None:
    write(toy, {**DOUBLE, "replace": "x * 2 if x < 3 else 0"})
    assert mutate.mutate(toy, []) == 1
    out = capsys.readouterr().out
    assert "test_double[1]: passed" in out
    assert "test_double[5]" not in out


def test_a_crash_is_no_verdict(toy: Package, capsys: pytest.CaptureFixture) -> None:
    write(toy, {**DOUBLE, "replace": "x * missing"})
    assert mutate.mutate(toy, []) == 1
    assert "NameError" in capsys.readouterr().out


def test_a_broken_import_is_no_verdict(toy: Package, capsys: pytest.CaptureFixture) -> None:
    write(toy, {**DOUBLE, "find": "def double", "replace": "def other"})
    assert mutate.mutate(toy, []) == 1
    assert "could not run" in capsys.readouterr().out


def test_tests_must_pass_without_a_mutation(toy: Package) -> None:
    rules = toy.source / "toy" / "rules.py"
    rules.write_text(RULES.replace("x * 3", "x * 3 + 1"))
    with pytest.raises(mutate.MutationError, match="without a mutation"):
        mutate.mutate(toy, [])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"find": "x * 9"}, "0 times"),
        ({"find": "return x"}, "2 times"),
        ({"file": "src/toy/none.py"}, "no file"),
        ({"find": "x * 7"}, "a change"),
    ],
)
def test_a_mutation_that_does_not_apply_is_an_error(toy: Package, change: dict[str, str], message: str) -> None:
    write(toy, {**DOUBLE, **change})
    with pytest.raises(mutate.MutationError, match=message):
        mutate.load(toy)


def test_ids_are_unique(toy: Package) -> None:
    write(toy, DOUBLE, DOUBLE)
    with pytest.raises(mutate.MutationError, match="not unique"):
        mutate.load(toy)


def test_coverage_asks_a_mutation_of_every_test(toy: Package) -> None:
    assert mutate.check_coverage([toy]) == []
    write(toy, {**DOUBLE, "kills": "test_double[5]"}, {**TRIPLE, "kills": "test_gone"})
    assert sorted(mutate.check_coverage([toy])) == [
        "mutation triple names packages/toy/tests/l2_interaction/test_toy.py::test_gone, which is not collected",
        "packages/toy/tests/l2_interaction/test_toy.py::test_double[1]: no mutation makes it fail",
        "packages/toy/tests/l2_interaction/test_toy.py::test_triple: no mutation makes it fail",
    ]


CARGO = """
[package]
name = "rusty"
version = "0.1.0"
edition = "2021"
[lib]
crate-type = ["cdylib"]
[dependencies]
pyo3 = { version = "0.29", features = ["extension-module", "abi3-py311"] }
"""
LIB = """
use pyo3::prelude::*;
#[pyfunction]
fn double(x: i64) -> i64 { x * 2 }
#[pymodule]
fn _core(m: &Bound<'_, PyModule>) -> PyResult<()> { m.add_function(wrap_pyfunction!(double, m)?) }
"""


def test_copies_are_newer_than_what_an_earlier_run_built(toy: Package, tmp_path: Path) -> None:
    # cargo builds again what is newer than its output, which may be that of a mutation
    started = time.time()
    os.utime(toy.source / "toy" / "rules.py", (0, 0))
    mutate.Workspace(toy, tmp_path / "copy")
    assert (tmp_path / "copy" / "packages" / "toy" / "src" / "toy" / "rules.py").stat().st_mtime > started - 1


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo")
def test_rust_is_built_again(toy: Package) -> None:
    files = {
        "pyproject.toml": '[build-system]\nrequires = ["maturin"]\nbuild-backend = "maturin"\n'
        '[project]\nname = "toy"\nversion = "0.1"\n[tool.maturin]\npython-source = "src"\nmodule-name = "toy._core"\n',
        "Cargo.toml": CARGO,
        "lib.rs": LIB,
        "src/toy/rules.py": RULES.replace("def double(x):\n    return x * 2\n", "from toy._core import double\n"),
    }
    for name, text in files.items():
        (toy.root / name).write_text(text)
    (toy.root / "src").joinpath("lib.rs").write_text(LIB)
    write(toy, {**DOUBLE, "file": "src/lib.rs"}, TRIPLE)
    assert mutate.mutate(toy, []) == 0
