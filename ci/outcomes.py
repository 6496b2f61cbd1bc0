"""A pytest plugin that writes what was collected and how each test ended to ``$RLENV_OUTCOMES``, as JSON.

``{"collected": {nodeid: [marker, …]}, "outcomes": {nodeid: outcome}}`` where an outcome is ``passed``, ``skipped``,
``assertion`` (the test itself found something wrong) or the name of the exception that ended it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

_collected: dict[str, list[str]] = {}
_outcomes: dict[str, str] = {}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Note every test with its markers, before ``-m`` deselects any."""
    _collected.update({item.nodeid: sorted({mark.name for mark in item.iter_markers()}) for item in items})


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note how a test ended; a failure in any phase outweighs the others."""
    report = yield
    if report.failed:
        _outcomes[item.nodeid] = "assertion" if call.excinfo is None else classify(call.excinfo.value)
    elif report.skipped or report.when == "call":
        _outcomes.setdefault(item.nodeid, report.outcome)
    return report


def pytest_sessionfinish() -> None:
    """Write the file."""
    Path(os.environ["RLENV_OUTCOMES"]).write_text(json.dumps({"collected": _collected, "outcomes": _outcomes}))


def classify(error: BaseException) -> str:
    """``assertion`` for a verdict of the test, else the name of the exception; a time-out is no verdict."""
    if isinstance(error, BaseExceptionGroup):
        kinds = {classify(inner) for inner in error.exceptions}
        return "assertion" if kinds == {"assertion"} else ", ".join(sorted(kinds - {"assertion"}))
    if isinstance(error, pytest.fail.Exception) and str(error).startswith("Timeout"):
        return "timeout"
    return "assertion" if isinstance(error, AssertionError | pytest.fail.Exception) else type(error).__name__
