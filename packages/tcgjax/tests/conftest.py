"""Played games that several tests look at; made once."""

from __future__ import annotations

import pytest

from tcgjax.verification.random_play import play


@pytest.fixture(scope="session")
def played():
    """130 steps of 64 games."""
    return play(130, 7)
