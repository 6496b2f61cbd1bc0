"""Objects of the tests are kept in the repository's cache; forms that this processor cannot run are skipped."""

import os
from pathlib import Path

import pytest

from rlenv_emit import processor

os.environ.setdefault("RLENV_EMIT_CACHE", str(Path(__file__).parents[3] / ".cache" / "emit"))


HERE = {form.name: form for form in processor.here()}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """So a mutation can name the test of a form on every machine."""
    for item in items:
        form = HERE.get(item.callspec.params.get("form")) if hasattr(item, "callspec") else None
        if form is not None and not processor.runs(form):
            lacking = ", ".join(sorted(form.needs - processor.flags()))
            item.add_marker(pytest.mark.skip(reason=f"form {form.name}: this processor lacks {lacking}"))
