"""The homebrew collection against PyBoy; needs ROMS, a folder with the listed files."""

import hashlib

import pytest
from conftest import homebrew
from emurust import verify
from emurust.game_boy import make_machine

pytestmark = [pytest.mark.l3, pytest.mark.slow, pytest.mark.reference("pyboy")]

# console, sound, frames per step, render
MODES = [
    (None, True, 1, "all"),
    (None, False, 1, "all"),
    (None, True, 24, "last"),
    (None, False, 24, "none"),
    (True, True, 1, "last"),
    (False, True, 24, "last"),
]


@pytest.mark.parametrize("mode", MODES, ids=lambda m: f"cgb{m[0]}-sound{m[1]}-skip{m[2]}-{m[3]}")
@pytest.mark.parametrize("entry", homebrew(), ids=lambda e: e["name"])
def test_every_step_is_identical(entry, mode, adapter, homebrew_folder):
    cgb, sound, skip, render = mode
    rom = (homebrew_folder / entry["name"]).read_bytes()
    assert hashlib.sha256(rom).hexdigest() == entry["sha256"], "the file is not the listed one"
    color = bool(rom[0x143] & 0x80) if cgb is None else cgb
    ours = verify.Follower(make_machine(rom, adapter.boot_rom(color), cgb, sound))
    with adapter.PyBoyProcess(rom, color, sound, timeout=300) as reference:
        found = verify.compare(
            ours,
            reference,
            verify.pad_masks(1, -(-900 // skip)),
            frames=skip,
            render=render,
            sound=sound,
            ram_banks=verify.declared_ram_banks(rom),
        )
    assert found is None, str(found)
