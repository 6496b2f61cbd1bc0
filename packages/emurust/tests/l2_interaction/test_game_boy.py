"""Code written for PyBoy gives the same with `GameBoy`: one script, run with both classes."""

import io

import numpy as np
import pytest

from emurust import GameBoy
from emurust.games import windfall

pytestmark = [pytest.mark.l2, pytest.mark.reference("pyboy")]


def script(make):
    """What a user of PyBoy might do; everything it saw."""
    seen = []
    game = make(io.BytesIO(windfall.rom()), window="null")
    seen += [game.cartridge_title, game.tick(80), game.frame_count]
    game.button("left")
    game.tick(3, False)
    game.button("start", delay=4)
    game.game_area_dimensions(0, 0, 20, 18, follow_scrolling=True)
    for frame in range(160):
        if frame == 20:
            game.button_press("right")
        if frame == 45:
            game.button_release("right")
        if frame in (50, 51):
            game.button("left", delay=7)
        if frame == 70:
            saved = io.BytesIO()
            game.save_state(saved)
        if frame == 120:
            saved.seek(0)
            game.load_state(saved)
        if frame == 130:
            game.memory[0xC0A4] = 100
            game.memory[0xC0A0:0xC0A3] = [1, 42, 2]
            game.game_area_mapping(np.arange(768, dtype=np.uint32) % 7, 10)
        game.tick(1, frame % 3 != 0)
        seen += [game.screen.ndarray.copy(), game.memory[0xC0A0:0xC0C0], game.memory[0xFF44], game.frame_count]
        seen += [np.asarray(game.game_area()), game.screen.tilemap_position_list[70]]
    seen += [game.memory[0, 0x0150:0x0160], game.memory[1, 0x4000], game.memory[0x8000:0x8040]]
    game.stop(save=False)
    return seen


def test_a_script_written_for_pyboy_sees_the_same(adapter):
    from pyboy import PyBoy

    def reference(rom, window):
        return PyBoy(rom, window=window, log_level="CRITICAL", no_input=False)

    wanted, got = (
        script(reference),
        script(lambda rom, window: GameBoy(rom, window=window, bootrom=adapter.boot_rom(False))),
    )
    assert len(wanted) == len(got)
    for number, (one, other) in enumerate(zip(got, wanted, strict=True)):
        np.testing.assert_array_equal(one, other, err_msg=f"observation {number}")
