"""Plays a console in a terminal with 24-bit colour: two pixels a character, buttons from the keyboard."""

from __future__ import annotations

import select
import sys
import time
from typing import Final

import numpy as np
from numpy.typing import NDArray

from emurust.game_boy import GameBoy
from emurust.recording import FRAME_MS

KEYS: Final = {
    "\x1b[C": "right",
    "\x1b[D": "left",
    "\x1b[A": "up",
    "\x1b[B": "down",
    "x": "a",
    "z": "b",
    "\t": "select",
    "\r": "start",
    "\n": "start",
}
QUIT: Final = ("q", "\x03")
HELD_FRAMES: Final = 8  # a terminal reports no key releases, only repeats
FRAMES_A_PICTURE: Final = 2
HELP: Final = "arrows, x = A, z = B, tab = select, enter = start, q = quit"


def picture_text(picture: NDArray[np.uint8], step: int = 2) -> str:
    """Half blocks in 24-bit colour for a picture uint8 [144, 160, 3 or 4], every ``step``-th pixel both ways."""
    small = picture[::step, ::step, :3]
    lines = []
    for upper, lower in zip(small[::2], small[1::2], strict=True):
        cells, last = [], ""
        for top, bottom in zip(upper.tolist(), lower.tolist(), strict=True):
            style = "\x1b[38;2;{};{};{};48;2;{};{};{}m".format(*top, *bottom)
            cells.append(("" if style == last else style) + "▀")
            last = style
        lines.append("".join(cells) + "\x1b[0m")
    return "\n".join(lines)


def pressed_keys() -> list[str]:
    """What was typed since the last call, without waiting."""
    found = []
    while select.select([sys.stdin], [], [], 0)[0]:
        key = sys.stdin.read(1)
        if key == "\x1b" and select.select([sys.stdin], [], [], 0)[0]:
            key += sys.stdin.read(2)
        found.append(key)
    return found


def play(game: GameBoy) -> int:
    """Plays until q is pressed; returns the number of frames."""
    import termios
    import tty

    settings = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin)
    sys.stdout.write("\x1b[2J\x1b[?25l")
    until: dict[str, int] = {}
    try:
        while True:
            begun = time.perf_counter()
            for key in pressed_keys():
                if key in QUIT:
                    return game.frame_count
                if key in KEYS:
                    if KEYS[key] not in until:
                        game.button_press(KEYS[key])
                    until[KEYS[key]] = game.frame_count + HELD_FRAMES
            for button in [name for name, frame in until.items() if frame <= game.frame_count]:
                game.button_release(button)
                del until[button]
            game.tick(FRAMES_A_PICTURE)
            sys.stdout.write(f"\x1b[H{picture_text(game.screen.ndarray)}\n{HELP}\n")
            sys.stdout.flush()
            time.sleep(max(0.0, FRAMES_A_PICTURE * FRAME_MS / 1000 - (time.perf_counter() - begun)))
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, settings)
        sys.stdout.write("\x1b[?25h\n")
