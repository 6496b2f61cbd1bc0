"""Damaged files are refused or read unchanged; `make fuzz` tries many more."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from ci import fuzz

pytestmark = pytest.mark.l1

COUNT = 100


@pytest.mark.parametrize("name", fuzz.KINDS)
def test_no_raw_error_and_no_silent_change(name):
    outcomes = dict(fuzz.fuzz(name, fuzz.KINDS[name], COUNT, seed=1))
    wrong = {number: outcome for number, outcome in outcomes.items() if outcome not in fuzz.SOUND}
    assert not wrong
    assert len(outcomes) == COUNT
    assert Counter(outcomes.values())["refused"] > COUNT / 3


def test_a_loader_that_believes_everything_is_found_out():
    def write(path):
        path.write_text(json.dumps({"returns": [1.5, 2.5, 3.5], "name": "a loader without seals"}))

    believing = fuzz.Kind(write, lambda path: json.loads(path.read_bytes()))
    outcomes = {outcome.split(":")[0] for _, outcome in fuzz.fuzz("x.json", believing, COUNT, seed=1)}
    assert {"CHANGED", "RAW JSONDecodeError", "RAW UnicodeDecodeError"} <= outcomes
