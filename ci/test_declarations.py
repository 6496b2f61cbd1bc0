"""What packages declare can be called as it is declared."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest

from ci.workspace import packages
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.verification.declaration import find, resolve

pytestmark = pytest.mark.l1


def calls() -> Iterator[Any]:
    """Every entry with arguments: name, entry, positional and keyword arguments."""
    for package in packages():
        try:
            declared = find(package.name)
        except InvalidParamsError:
            continue  # a library declares nothing
        for benchmark in declared.benchmarks:
            for case in (*benchmark.cases, *benchmark.quick):
                yield pytest.param(case.workloads, (1,), case.settings, id=f"{package.name}, {case.workloads}")
        for rollouts in declared.rollouts:
            for settings in (rollouts.full, rollouts.quick):
                yield pytest.param(rollouts.run, (), settings, id=f"{package.name}, {rollouts.run}")


@pytest.mark.parametrize(("entry", "arguments", "settings"), list(calls()))
def test_settings_are_those_that_the_entry_takes(entry, arguments, settings):
    inspect.signature(resolve(entry)).bind(*arguments, **settings)
