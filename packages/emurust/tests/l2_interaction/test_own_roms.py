"""The test programs of roms/tests, one mechanic each, frame by frame against PyBoy.

Every program runs on each console it can, with a random pad, drawn every frame, every third frame and never, with and
without sound registers.  What it reads it writes to work RAM, so every register value is compared.
"""

import itertools

import pytest

from emurust import verify
from emurust.game_boy import make_machine

pytestmark = [pytest.mark.l2, pytest.mark.reference("pyboy")]

BOOT_FRAMES = 60  # not compared: the boot ROM's, which draws its logo in all of them
FRAMES = 216
PROGRAMS = [
    "bank_edge",
    "double_speed",
    "ei_halt",
    "hdma",
    "joypad",
    "lcd_switch",
    "mbc1",
    "mbc1_multicart",
    "mbc2",
    "mbc30",
    "mbc3_clock",
    "mbc5_rumble",
    "oam_dma",
    "stat_blocking",
    "timer_reload",
    "window",
]
# frames per step, render, sound registers
SETTINGS = [(1, "all", True), (3, "last", True), (2, "none", False)]


@pytest.fixture(scope="module")
def reference(adapter, own_rom):
    """One child for all programs: starting Python and PyBoy takes longer than most of them."""
    with adapter.PyBoyProcess(own_rom("joypad")) as process:
        yield process


def first_difference(rom, adapter, reference, color, frames, render, sound):
    """None, or what differs first."""
    ours = verify.Follower(make_machine(rom, adapter.boot_rom(color), color, sound))
    reference.reopen(rom, color, sound)
    for console in (ours.step, lambda *step: reference.call("step", *step)):
        console(0, BOOT_FRAMES, "none", sound)
    return verify.compare(
        ours,
        reference,
        verify.pad_masks(frames, FRAMES // frames),
        frames=frames,
        render=render,
        sound=sound,
        ram_banks=verify.declared_ram_banks(rom),
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_frame_is_that_of_pyboy(name, own_rom, adapter, reference):
    rom = own_rom(name)
    consoles = [True] if rom[0x143] & 0x80 else [False, True]
    for color, setting in itertools.product(consoles, SETTINGS):
        found = first_difference(rom, adapter, reference, color, *setting)
        assert found is None, f"{'colour' if color else 'monochrome'} {setting}: {found}"
