"""Fixtures of every level."""

import json
import lzma
from pathlib import Path

import pytest

from emurust import fuzz
from rlenv_shared.verification.locate import reference

PACKAGE = Path(__file__).resolve().parents[1]
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
    """PyBoy, or `ReferenceUnavailableError`, which skips the test or fails it; see rlenv_testing.plugin."""
    found = reference("pyboy")
    found.check()
    return found
