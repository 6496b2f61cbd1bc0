"""Processes that the tests share."""

from __future__ import annotations

import pytest
from references.showdown import adapter


@pytest.fixture(scope="session")
def generator():
    with adapter.generator() as process:
        yield process


@pytest.fixture(scope="session")
def driver():
    with adapter.driver() as process:
        yield process
