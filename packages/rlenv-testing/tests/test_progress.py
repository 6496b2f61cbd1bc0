"""How far a run of tests is, what took longest, and in which order workers take files."""

from __future__ import annotations

import json

import pytest

from rlenv_testing import progress

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.l1

TWO_FILES = {"test_a": "def test_one(): pass\ndef test_two(): pass\n", "test_b": "def test_three(): pass\n"}


def test_a_file_that_was_not_recorded_counts_by_its_tests():
    tests = {"test_a.py": 4, "test_b.py": 2, "test_c.py": 1}
    assert progress.expected_seconds(tests, {"test_a.py": 20.0}) == {"test_a.py": 20, "test_b.py": 10, "test_c.py": 5}
    assert set(progress.expected_seconds(tests, {}).values()) == {4 * 0.2, 2 * 0.2, 0.2}


def test_the_end_is_estimated_by_the_work_that_is_left(pytestconfig, monkeypatch):
    monkeypatch.setattr(progress, "known_seconds", lambda root: {"test_a.py": 90.0, "test_b.py": 10.0})
    run = progress.Progress(pytestconfig)
    run.expect(["test_a.py::test_one", "test_a.py::test_two", "test_b.py::test_three"])
    assert "no estimate yet" in run.line(60.0)
    run._left["test_a.py"] -= 1  # of two tests that share 90 of 100 seconds
    assert run.share_done() == pytest.approx(0.45)
    assert run.line(9 * 60.0).startswith("[1 of 3 tests, 9 min, about 11 min left")


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
def test_a_run_says_how_far_it_is_and_what_took_longest(pytester, workers):
    """With no minute to wait for, after every report."""
    pytester.makepyfile(**TWO_FILES)
    pytester.makeconftest("from rlenv_testing import progress\nprogress.EVERY_S = 0.0\n")
    said = pytester.runpytest_subprocess(*workers, "--record-seconds", "seconds.json").stdout
    said.fnmatch_lines(["*2 of 3 tests, 0 min, about * min left; *GiB*"])
    said.fnmatch_lines(["*slowest files*", "*processor seconds*test_*.py", "peak memory: *GiB, in test_*.py"])
    recorded = json.loads((pytester.path / "seconds.json").read_text())
    assert set(recorded["seconds"]) == {"test_a.py", "test_b.py"}


def test_workers_begin_with_the_file_that_took_longest_when_seconds_were_recorded(pytester):
    pytester.makepyfile(**TWO_FILES)
    record = pytester.path / progress.RECORD
    record.parent.mkdir()
    record.write_text(json.dumps({"seconds": {"test_a.py": 1.0, "test_b.py": 100.0}}))
    arguments = ("-v", "-n", "1", "--dist", "loadfile", "--no-loadscope-reorder", "-p", "no:cacheprovider")
    result = pytester.runpytest_subprocess(*arguments)
    result.stdout.fnmatch_lines(["*PASSED*test_b.py::test_three*", "*PASSED*test_a.py::test_one*"])
