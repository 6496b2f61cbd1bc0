"""The guard over a whole edit: which files may change, and what may be in them."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final

from env_recipe.guard import new_tests, target_code
from env_recipe.guard.names import matches
from env_recipe.repository import Change

RUST: Final = {
    r"#\[\s*ignore": "is skipped: #[ignore]",
    r"\bassert!\s*\(\s*true\s*[,)]": "cannot fail: assert!(true)",
    r"\bassert_eq!\s*\(\s*([\w.\[\]()]+)\s*,\s*\1\s*[,)]": "cannot fail: compares a value with itself",
    r"\binclude_(bytes|str)!": "reads a file: include_bytes!",
    r"\bstd::fs\b|\bFile::open\b": "reads a file: std::fs",
    r"\bstd::process\b": "starts programs: std::process",
    r"\bstd::net\b": "opens connections: std::net",
    r"\bstd::env\b|\boption_env!|\benv!": "looks at the environment: std::env",
    r"\bunsafe\b": "uses unsafe",
    r'extern\s+"C"': "calls compiled code: extern",
    r"\bcfg!?\s*\(\s*test\b(?=.*\breturn\b)": "looks at whether it is tested: cfg(test)",
}
"""What must not be in a Rust file, outside comments."""


@dataclasses.dataclass(frozen=True)
class Finding:
    """A forbidden edit."""

    path: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}"


@dataclasses.dataclass(frozen=True)
class Rules:
    """What an agent may write; paths as git names them from the root of the repository."""

    targets: frozenset[str]  # files that it may change or make
    new_tests: tuple[str, ...]  # patterns of test files that it may add
    reference: tuple[str, ...] = ()  # folders of the reference
    tests: tuple[str, ...] = ()  # folders of the tests
    protected: tuple[str, ...] = ()  # files of tolerances, margins, seeds
    packages: tuple[str, ...] = ()  # import names of the reference
    data: tuple[str, ...] = ()  # files that target code may read
    widest: float | None = None  # largest tolerance of a new test
    secrets: tuple[str, ...] = ()  # names of variables whose values must not be written anywhere


def check(changes: Sequence[Change], rules: Rules) -> list[Finding]:
    """Every forbidden edit, by file and line."""
    return [finding for change in changes for finding in _of_file(change, rules)]


def undone(changes: Sequence[Change], findings: Sequence[Finding]) -> dict[str, bytes | None]:
    """What the files with findings held before, to be put back; None for a file that was not there."""
    bad = {finding.path for finding in findings}
    return {change.path: change.before for change in changes if change.path in bad}


def _of_file(change: Change, rules: Rules) -> Iterator[Finding]:
    text = (change.after or b"").decode(errors="replace")
    for line, what in _complaints(change, text, rules):
        yield Finding(change.path, line, what)
    for name in rules.secrets:
        value = os.environ.get(name, "")
        if len(value) >= 8 and value in text:
            yield Finding(change.path, 1 + text[: text.index(value)].count("\n"), f"writes down the secret {name}")


def _complaints(change: Change, text: str, rules: Rules) -> Iterator[tuple[int, str]]:
    path = change.path
    if change.mode == "120000":
        yield 1, "is a link"
    elif change.mode == "160000":
        yield 1, "is a repository of its own"
    elif path in rules.targets:
        if change.after is None:
            yield 1, "is a target and was deleted"
        elif not change.is_plain:
            yield 1, "is no text, or was made executable"
        else:
            before = None if change.before is None else change.before.decode(errors="replace")
            yield from _inside(path, text, target_code.findings(text, before, rules.packages, rules.data))
    elif matches(path, rules.new_tests):
        if change.before is not None:
            yield 1, f"is a test that was there before, and was {'deleted' if change.after is None else 'changed'}"
        elif not change.is_plain:
            yield 1, "is no text, or was made executable"
        else:
            yield from _inside(path, text, new_tests.findings(text, rules.widest))
    else:
        yield 1, _elsewhere(path, rules)


def _inside(path: str, text: str, found: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    if path.endswith(".rs"):
        code = re.sub(r"//[^\n]*", "", text)
        for pattern, what in RUST.items():
            for match in re.finditer(pattern, code):
                yield 1 + code[: match.start()].count("\n"), what
    elif path.endswith(".py"):
        yield from sorted(set(found))


def _elsewhere(path: str, rules: Rules) -> str:
    """Why a file outside targets and new tests must not change."""

    def below(folders: tuple[str, ...]) -> bool:
        return any(PurePosixPath(path).is_relative_to(folder) for folder in folders)

    if path in rules.protected:
        return "holds tolerances, margins or seeds, fixed before the translation"
    if below(rules.reference):
        return "is part of the reference"
    if PurePosixPath(path).name in ("conftest.py", "pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"):
        return "decides how tests run"
    if PurePosixPath(path).name == "journal.jsonl":
        return "is a journal"
    if below(rules.tests):
        return "is among the tests, where only new test files may be added"
    return "is neither a target nor a new test"
