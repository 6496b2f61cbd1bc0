"""PyBoy's saved states load and continue as in a fresh PyBoy that loaded them; a start after boot equals PyBoy's."""

import pytest

from emurust import fuzz, verify
from emurust.game_boy import make_machine

pytestmark = [pytest.mark.l2, pytest.mark.reference("pyboy")]

SEEDS = [3, 8, 12, 21]  # both consoles, several mappers


def follower(rom, adapter, sound):
    """Our console with the reference's boot ROM."""
    boot = adapter.boot_rom(bool(rom[0x143] & 0x80))
    return verify.Follower(make_machine(rom, boot, None, sound))


@pytest.mark.parametrize("sound", [True, False])
@pytest.mark.parametrize("seed", SEEDS)
def test_pyboy_states_continue_as_in_a_fresh_pyboy(seed, sound, adapter):
    rom = fuzz.generate(seed).rom
    color, banks = bool(rom[0x143] & 0x80), verify.declared_ram_banks(rom)
    with adapter.PyBoyProcess(rom, None, sound) as reference:
        for frames in (66, 70, 75):
            reference.call("step", 0, frames, "last", sound)
            state = reference.call("save_state")
            reference.reopen(rom, None, sound)
            reference.call("load_state", state)
            ours = follower(rom, adapter, sound)
            ours.machine.load_state(state)
            assert ours.hashes(banks) == reference.call("hashes", color, banks)
            masks = verify.pad_masks(frames, 20)
            found = verify.compare(ours, reference, masks, frames=2, render="last", sound=sound, ram_banks=banks)
            assert found is None, str(found)
            reference.reopen(rom, None, sound)


def test_a_start_after_boot_equals_the_reference_except_for_the_logo(adapter):
    rom = fuzz.generate(8).rom
    color, banks = bool(rom[0x143] & 0x80), verify.declared_ram_banks(rom)
    ours = verify.Follower(make_machine(rom))
    with adapter.PyBoyProcess(rom) as reference:
        reference.call("step", 0, 64, "none", True)
        for _ in range(30):
            ours.step(0, 1, "last", True)
            reference.call("step", 0, 1, "last", True)
            got, wanted = ours.hashes(banks), reference.call("hashes", color, banks)
            for region in ("wram", "hram", "io", "oam", "cart"):
                assert got[region] == wanted[region], region
