"""Shared fixtures: a generated ROM, the reference in its process, the homebrew folder."""

import json
import os
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY))

from emurust import fuzz  # noqa: E402

ROM_SEED = 8  # a program that draws, interrupts and never locks up


@pytest.fixture(scope="session")
def rom() -> bytes:
    """A small generated program."""
    return fuzz.generate(ROM_SEED).rom


@pytest.fixture(scope="session")
def adapter():
    """The PyBoy adapter; skips where the pinned PyBoy is not installed."""
    from references.pyboy import adapter

    if not adapter.available():
        pytest.skip("needs pyboy==2.8.1 (pip install pyboy==2.8.1)")
    return adapter


def homebrew() -> list[dict]:
    """Index of the homebrew collection, which is not part of the repository."""
    return json.loads((Path(__file__).parent / "homebrew.json").read_text())


@pytest.fixture(scope="session")
def homebrew_folder() -> Path:
    """The folder named by ROMS."""
    if "ROMS" not in os.environ:
        pytest.skip("set ROMS to a folder with the ROMs listed in tests/homebrew.json")
    return Path(os.environ["ROMS"])
