"""How far a long run of tests is: a line a minute with an estimate of the end; then what took longest and most memory.

The estimate weighs each file with the processor seconds that it took when ``ci/test_seconds.json`` was written
(``--record-seconds FILE``), at the pace of this run so far; a file that is not there counts as much as its number of
tests lets expect.  The same seconds decide in which order workers take files: the longest first.
"""

from __future__ import annotations

import collections
import json
import os
import resource
import time
from pathlib import Path
from typing import Any

import pytest

from rlenv_testing import memory

RECORD = Path("ci") / "test_seconds.json"
EVERY_S = 60.0
SLOWEST = 15
OF_A_TEST_S = 0.2  # where nothing is known yet


def known_seconds(root: Path) -> dict[str, float]:
    """Processor seconds by test file, as recorded; empty where nothing was recorded."""
    path = root / RECORD
    return dict(json.loads(path.read_text())["seconds"]) if path.is_file() else {}


def processor_seconds() -> float:
    """What this process and its ended children have used."""
    return sum(os.times()[:4])


def peak_mib() -> int:
    """The largest resident memory of this process so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def file_of(nodeid: str) -> str:
    """The file of a test."""
    return nodeid.split("::", 1)[0]


def expected_seconds(tests: dict[str, int], known: dict[str, float]) -> dict[str, float]:
    """Processor seconds that each file should take: as recorded, else by the mean test of the recorded files."""
    recorded = [path for path in tests if path in known]
    counted = sum(tests[path] for path in recorded)
    mean = sum(known[path] for path in recorded) / counted if counted else OF_A_TEST_S
    return {path: known.get(path, mean * number) for path, number in tests.items()}


class InWorker:
    """In the process that runs tests: each report tells what the test took and what the process holds."""

    def __init__(self) -> None:
        self._before = processor_seconds()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Any:
        """Attach it."""
        report = yield
        now = processor_seconds()
        report.rlenv_used = {"seconds": now - self._before, "mib": memory.resident_mib(), "peak_mib": peak_mib()}
        self._before = now
        return report


class Progress:
    """In the process that prints."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._known = known_seconds(config.rootpath)
        self._tests: dict[str, int] = {}  # of each file, all of them
        self._left: dict[str, int] = {}
        self._seconds: collections.Counter[str] = collections.Counter()
        self._mib: dict[str, int] = {}  # by worker
        self._peak: dict[str, tuple[int, str]] = {}  # MiB by worker, and the file of the test that reached it
        self._begun = self._said = time.monotonic()

    def expect(self, nodeids: list[str]) -> None:
        """These tests will run."""
        self._tests = dict(collections.Counter(map(file_of, nodeids)))
        self._left = dict(self._tests)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Without workers."""
        if session.items:
            self.expect([item.nodeid for item in session.items])

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """With workers, each of which collects all."""
        if not self._tests:
            self.expect(ids)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count it, and say how far the run is when a minute is over."""
        used, path = getattr(report, "rlenv_used", None), file_of(report.nodeid)
        if used is None:
            return
        worker = getattr(report, "worker_id", "main")
        self._seconds[path] += used["seconds"]
        self._mib[worker] = used["mib"]
        if used["peak_mib"] > self._peak.get(worker, (0, ""))[0]:
            self._peak[worker] = used["peak_mib"], path
        if report.when == "teardown" and path in self._left:
            self._left[path] -= 1
        if time.monotonic() - self._said >= EVERY_S:
            self._said = time.monotonic()
            if terminal := self._config.pluginmanager.get_plugin("terminalreporter"):
                terminal.ensure_newline()
                terminal.write_line(self.line(self._said - self._begun))

    def line(self, passed_s: float) -> str:
        """How far the run is after so many seconds."""
        tests, left = sum(self._tests.values()), sum(self._left.values())
        share = self.share_done()
        end = f"about {passed_s / share * (1 - share) / 60:.0f} min left" if share > 0 else "no estimate yet"
        held = ", ".join(f"{worker} {mib / 1024:.1f} GiB" for worker, mib in sorted(self._mib.items()))
        return f"[{tests - left} of {tests} tests, {passed_s / 60:.0f} min, {end}; {held}]"

    def share_done(self) -> float:
        """Of the expected work, 0 to 1."""
        expected = expected_seconds(self._tests, self._known)
        whole = sum(expected.values())
        left = sum(expected[path] * self._left[path] / number for path, number in self._tests.items())
        return 1 - left / whole if whole else 0.0

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Name the slowest files and each worker's peak; record the seconds where asked."""
        if record := self._config.getoption("--record-seconds"):
            seconds = {path: round(taken, 1) for path, taken in sorted(self._seconds.items())}
            record.write_text(json.dumps({"unit": "processor seconds", "seconds": seconds}, indent=1) + "\n")
        if time.monotonic() - self._begun < EVERY_S:
            return
        terminalreporter.section("slowest files")
        for path, taken in self._seconds.most_common(SLOWEST):
            terminalreporter.write_line(f"{taken:7.0f} processor seconds  {path}")
        for worker, (mib, path) in sorted(self._peak.items()):
            terminalreporter.write_line(f"peak memory: {worker} {mib / 1024:.2f} GiB, in {path}")
