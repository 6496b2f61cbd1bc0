"""Generated programs, frame by frame against PyBoy."""

import pytest
from emurust import LockedUp, fuzz, verify
from emurust.game_boy import make_machine

pytestmark = [pytest.mark.l3, pytest.mark.reference("pyboy")]

BOOT_FRAMES = 65
STEPS = 20
# programs that once differed: GDMA over the ports (64, 67, 130, 131), an LCD clock thrown off by a DMA (2000821)
REGRESSIONS = [64, 67, 130, 131, 2_000_821]


def compare(seed, adapter):
    """None, a difference, or "locked up" where the program leaves the claim."""
    rom = fuzz.generate(seed).rom
    color, sound = bool(rom[0x143] & 0x80), seed % 4 != 0
    arguments = {
        "frames": 1 if seed % 3 else 5,
        "render": ("last", "all", "none")[seed // 3 % 3],
        "sound": sound,
        "ram_banks": verify.declared_ram_banks(rom),
    }
    boot, masks = adapter.boot_rom(color), verify.pad_masks(seed, STEPS)
    trial = verify.Follower(make_machine(rom, boot, None, sound))
    try:
        for mask, frames in [(0, BOOT_FRAMES), *[(mask, arguments["frames"]) for mask in masks]]:
            trial.step(mask, frames, "none", sound)
    except LockedUp:
        return "locked up"
    ours = verify.Follower(make_machine(rom, boot, None, sound))
    ours.step(0, BOOT_FRAMES, "none", sound)
    with adapter.PyBoyProcess(rom, None, sound) as reference:
        reference.call("step", 0, BOOT_FRAMES, "none", sound)
        return verify.compare(ours, reference, masks, **arguments)


@pytest.mark.parametrize("seed", [*REGRESSIONS, *range(1_000_000, 1_000_020)])
def test_programs_agree(seed, adapter):
    result = compare(seed, adapter)
    assert result is None or result == "locked up", str(result)
    assert seed not in REGRESSIONS or result is None
