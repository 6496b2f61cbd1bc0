"""Scripted positions (cases/*.toml) and the outcome that the card's text demands."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from references.tcg_engine import ledger

from tcg_engine import position
from tcg_engine.game import step

CASES = [
    case
    for path in sorted((Path(__file__).parent / "cases").glob("*.toml"))
    for case in tomllib.loads(path.read_text(encoding="utf-8"))["case"]
]
META = ("name", "verifies", "do", "expect", "can", "cannot")


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_case(case):
    played = position.load({key: value for key, value in case.items() if key not in META})
    for words in case["do"]:
        step(played, position.action(played, words))
    assert {path: position.read(played, path) for path in case["expect"]} == case["expect"]
    options = played.choice.options if played.choice else []
    assert [words for words in case.get("can", []) if position.action(played, words) not in options] == []
    assert [words for words in case.get("cannot", []) if position.action(played, words) in options] == []


def test_names_are_unique():
    names = [case["name"] for case in CASES]
    assert len(set(names)) == len(names)


def test_the_committed_ledger_is_current():
    data = ledger.ledger()
    assert json.loads((ledger.HERE / "coverage.json").read_text(encoding="utf-8")) == data
    assert (ledger.HERE / "COVERAGE.md").read_text(encoding="utf-8") == ledger.summary(data)
