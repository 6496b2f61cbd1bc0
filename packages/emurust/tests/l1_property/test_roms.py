"""The ROMs in the repository are those that roms/build.py made."""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from emurust.games import windfall

pytestmark = pytest.mark.l1

ROMS = Path(__file__).resolve().parents[2] / "roms"


def test_roms_have_their_digests(digests, own_rom):
    found = {path.name.removesuffix(".xz"): own_rom(path.name.removesuffix(".gb.xz")) for path in ROMS.glob("built/*")}
    found["windfall.gb"], found["windfall.sym"] = windfall.rom(), windfall.symbols().encode()
    assert {name: hashlib.sha256(rom).hexdigest() for name, rom in found.items()} == digests


@pytest.mark.skipif(shutil.which("sdasgb") is None, reason="needs sdcc (apt-get install sdcc)")
def test_the_sources_build_the_same_roms():
    done = subprocess.run(
        [sys.executable, str(ROMS / "build.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
