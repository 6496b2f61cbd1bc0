"""Windfall, this project's own game: catch what falls from the trees, but not the wasps.

Five levels of eight catches; a missed apple or a caught wasp costs one of three lives; golden apples count three.
What falls follows from the buttons held on the title screen, so a start is named by 16 bits: `title_masks`.
Source: ``roms/windfall``.
"""

from __future__ import annotations

import functools
import importlib.resources
import io
from typing import Final

from emurust.expressions import u8
from emurust.game_boy import GameBoy
from emurust.games import Game

RIGHT, LEFT, START = 0x01, 0x02, 0x80
MODE, SCORE, LIVES, LEVEL, BASKET_X, FALLING = 0xC0A0, 0xC0A1, 0xC0A2, 0xC0A3, 0xC0A4, 0xC0A5
TITLE, PLAYING, LOST, WON = range(4)
ACTIONS: Final = (0, RIGHT, LEFT)
OBSERVATION: Final = (BASKET_X, LEVEL, LIVES, *range(FALLING, FALLING + 8))
FRAME_SKIP: Final = 4
MAX_STEPS: Final = 1_000  # 67 seconds; a game that is played well lasts half as long
TITLE_FRAMES: Final = 80  # from power on, PyBoy's 64 frames of boot ROM included, until the title screen is up
REWARD: Final = u8(SCORE).delta()
TERMINATED: Final = u8(MODE) >= LOST


def rom() -> bytes:
    """The ROM."""
    return importlib.resources.files("emurust").joinpath("games", "windfall.gb").read_bytes()


def symbols() -> str:
    """Its symbol file: places of functions and variables, for hooks and memory by name."""
    return importlib.resources.files("emurust").joinpath("games", "windfall.sym").read_text()


def title_masks(number: int) -> list[int]:
    """Buttons of each frame on the title screen for one of 65,536 games: 16 with or without LEFT, then START."""
    return [LEFT * (number >> bit & 1) for bit in range(16)] + [START, START, 0]


@functools.cache
def start_states(count: int) -> tuple[bytes, ...]:
    """States at the start of the first ``count`` games."""
    title = GameBoy(rom())
    title.tick(TITLE_FRAMES - 64, False)
    states = []
    for number in range(count):
        game = GameBoy(rom())
        game._machine.assign(title._machine)
        masks = title_masks(number)
        for frame, mask in enumerate(masks):
            game._machine.set_buttons(mask)
            game._machine.run_frame(frame == len(masks) - 1, False)  # the first observation may be a picture
        out = io.BytesIO()
        game.save_state(out)
        states.append(out.getvalue())
    return tuple(states)


def game(starts: int = 256) -> Game:
    """The game as a learner sees it.

    Observation: position of the basket, level, lives, and kind (0 nothing, 1 apple, 2 wasp, 3 golden), x, y and drift
    (0 left, 1 straight, 2 right) of two things in the air, the older one first; uint8 [11].  Actions: still, right,
    left.  Reward: points.

    Args:
        starts: how many different games episodes draw from.
    """
    return Game(
        name="Windfall",
        rom=rom(),
        actions=ACTIONS,
        frame_skip=FRAME_SKIP,
        press_frames=FRAME_SKIP,
        observation=OBSERVATION,
        reward=lambda: REWARD,
        terminated=TERMINATED,
        max_episode_steps=MAX_STEPS,
        start_states=start_states(starts),
        further={"sound": False},
    )
