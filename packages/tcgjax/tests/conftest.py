"""Played games that several tests look at; made once."""

from __future__ import annotations

import pytest

from rlenv_emit.folder import cache_folder
from rlenv_shared.files import locked
from tcgjax.verification.random_play import play


@pytest.fixture(scope="session")
def stepped():
    """The program of `random_play`: one process traces it, the others wait for it."""
    with locked(cache_folder() / "tcgjax-tests.lock"):
        play(1, 0)


@pytest.fixture(scope="session")
def played(stepped):
    """130 steps of 64 games."""
    return play(130, 7)
