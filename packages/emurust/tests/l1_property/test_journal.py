"""An interrupted verification goes on where it was, but never with the results of other code."""

import json

import pytest

from emurust.verification.journal import Journal, fingerprint

pytestmark = pytest.mark.l1


def never():
    raise AssertionError("computed again")


def test_results_are_computed_once(tmp_path):
    path = tmp_path / "part.jsonl"
    journal = Journal(path, "this code")
    assert journal.result("a", lambda: {"steps": 3}) == {"steps": 3}
    assert journal.result("b", lambda: None) is None
    again = Journal(path, "this code")
    assert [again.result(key, never) for key in "ab"] == [{"steps": 3}, None]


def test_results_of_other_code_are_dropped(tmp_path):
    path = tmp_path / "part.jsonl"
    Journal(path, "this code").result("a", lambda: 1)
    assert Journal(path, "other code").result("a", lambda: 2) == 2


def test_a_line_cut_short_by_a_kill_is_dropped(tmp_path):
    path = tmp_path / "part.jsonl"
    journal = Journal(path, fingerprint())
    journal.result("a", lambda: 1)
    journal.result("b", lambda: 2)
    path.write_text(path.read_text()[:-3])
    again = Journal(path, fingerprint())
    assert [again.result("a", never), again.result("b", lambda: 3)] == [1, 3]
    assert [json.loads(line) for line in path.read_text().splitlines()[1:]] == [["a", 1], ["b", 3]]
