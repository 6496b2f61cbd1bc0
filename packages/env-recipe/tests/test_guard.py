"""L1: the honesty guard, on a table of forbidden and of harmless edits."""

import os
import tomllib
from pathlib import Path

import pytest

from env_recipe import guard
from env_recipe.repository import Change

pytestmark = pytest.mark.l1

TABLES = Path(__file__).parent / "fixtures" / "guard"
FORBIDDEN, HARMLESS = (tomllib.loads((TABLES / f"{n}.toml").read_text())["edit"] for n in ("forbidden", "harmless"))
RULES = guard.Rules(
    targets=frozenset({"pkg/src/toy/step.py"}),
    new_tests=("pkg/tests/l1_property/test_*.py", "pkg/tests/l2_interaction/test_*.py"),
    reference=("reference",),
    tests=("pkg/tests",),
    protected=("pkg/tests/tolerances.py",),
    packages=("gymnasium",),
    data=("table.npz",),
    widest=1e-6,
)
PATHS = {"target": "pkg/src/toy/step.py", "test": "pkg/tests/l1_property/test_new.py"}
LONG = {
    "@floats@": f"TRACE = {[round(0.1 + i * 0.37, 3) for i in range(400)]}\n",
    "@integers@": f"TABLE = {list(range(400))}\nREALS = {[float(i) for i in range(400)]}\n",
}


def change(edit):
    code = LONG.get(edit.get("code", ""), edit.get("code"))
    before = edit.get("before")
    return Change(
        edit.get("path") or PATHS[edit["kind"]],
        None if before is None else before.encode(),
        None if code is None else code.encode(),
        edit.get("mode", "000000" if code is None else "100644"),
    )


def test_there_are_enough_cases():
    assert len(FORBIDDEN) >= 25
    assert len(HARMLESS) >= 25
    assert len({edit["id"] for edit in FORBIDDEN + HARMLESS}) == len(FORBIDDEN) + len(HARMLESS)


@pytest.mark.parametrize("edit", FORBIDDEN, ids=lambda edit: edit["id"].replace(" ", "-"))
def test_forbidden_edits_are_found(edit):
    found = guard.check([change(edit)], RULES)
    assert any(edit["says"] in finding.what for finding in found), found
    assert all(finding.line >= 1 for finding in found)


@pytest.mark.parametrize("edit", HARMLESS, ids=lambda edit: edit["id"].replace(" ", "-"))
def test_harmless_edits_are_not_refused(edit):
    assert guard.check([change(edit)], RULES) == []


def test_only_files_with_findings_are_undone():
    good, bad = (change(next(e for e in table if e["kind"] == "target")) for table in (HARMLESS, FORBIDDEN))
    other = Change("pkg/tests/tolerances.py", b"STEP = 1\n", b"STEP = 2\n", "100644")
    findings = guard.check([good, other], RULES)
    assert guard.undone([good, other], findings) == {"pkg/tests/tolerances.py": b"STEP = 1\n"}
    assert guard.undone([bad], guard.check([bad], RULES)) == {"pkg/src/toy/step.py": None}


def test_a_secret_is_not_written_down(monkeypatch):
    monkeypatch.setenv("TOY_KEY", "abcdefgh12345678")
    rules = guard.Rules(targets=frozenset({"a.py"}), new_tests=(), secrets=("TOY_KEY",))
    found = guard.check([Change("a.py", None, b"X = 1\nK = 'abcdefgh12345678'\n", "100644")], rules)
    assert len(found) == 1
    finding = found[0]
    assert (finding.line, finding.what) == (2, "writes down the secret TOY_KEY")
    assert os.environ["TOY_KEY"] not in str(finding)


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("#[test]\n#[ignore]\nfn a() { assert_eq!(step(1), 2); }\n", "#[ignore]"),
        ("#[test]\nfn a() { assert!(true); }\n", "assert!(true)"),
        ('fn a() -> Vec<u8> { std::fs::read("trace").unwrap() }\n', "std::fs"),
        ('const T: &[u8] = include_bytes!("trace");\n', "include_bytes"),
        ("fn a() { unsafe { b() } }\n", "unsafe"),
        ('fn a() { std::process::Command::new("python"); }\n', "std::process"),
    ],
)
def test_rust_targets(code, says):
    rules = guard.Rules(targets=frozenset({"src/a.rs"}), new_tests=())
    assert any(says in f.what for f in guard.check([Change("src/a.rs", b"", code.encode(), "100644")], rules))
    harmless = b"// unsafe std::fs in a comment\nfn a(x: i32) -> i32 { x + 1 }\n"
    assert guard.check([Change("src/a.rs", b"", harmless, "100644")], rules) == []
