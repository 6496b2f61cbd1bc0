"""Fixtures of every level."""

import json
import lzma
import sys
from pathlib import Path

import pytest

from emurust import fuzz

PACKAGE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PACKAGE / "tests"))  # pyboy_windfall
BUILT = PACKAGE / "roms" / "built"
ROM_SEED = 8  # a generated program that draws, interrupts and never locks up


@pytest.fixture(scope="session")
def rom() -> bytes:
    """A small generated program."""
    return fuzz.generate(ROM_SEED).rom


@pytest.fixture(scope="session")
def digests() -> dict[str, str]:
    """SHA-256 by file name of every ROM that is built from roms/."""
    return json.loads((PACKAGE / "roms" / "sha256.json").read_text())


@pytest.fixture(scope="session")
def own_rom():
    """Unpacks a test program by name."""
    return lambda name: lzma.decompress((BUILT / f"{name}.gb.xz").read_bytes())


@pytest.fixture(scope="session")
def adapter():
    """PyBoy, or `ReferenceUnavailableError`, which skips the test or fails it; see rlenv_shared.testing.plugin."""
    from references.pyboy import adapter

    adapter.check()
    return adapter
