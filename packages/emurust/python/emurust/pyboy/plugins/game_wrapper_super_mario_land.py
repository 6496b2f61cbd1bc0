"""Super Mario Land."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from emurust.pyboy.api.constants import TILES
from emurust.pyboy.errors import PyBoyException, PyBoyInvalidInputException, refused
from emurust.pyboy.plugins.base_plugin import PyBoyGameWrapper
from emurust.pyboy.utils import bcd_to_dec, dec_to_bcd

_TIME_LEFT: Final = 0xDA01
_LIVES: Final = 0xDA15
_LIVES_ON_SCREEN: Final = 0x9806
_WORLD: Final = 0xFFB4
_WINS: Final = 0xFF9A
_BLOCK: Final = 0xC0AB
_MARIO_X: Final = 0xC202
_PHASE: Final = 0xC0A4
_GAME_OVER: Final = 0x39
_BLANK: Final = 300
_ZERO: Final = 256
_START: Final = [284, 285, 266, 283, 285]
_MARIO: Final = [278, 266, 283, 274, 280]
# the menu's code that chooses where to continue
_MENU: Final = (0x450, 0x461)
_LEVEL_SELECT_FRAME: Final = 71

# Tiles by what they show: Mario, his vehicles and shots; things to collect; blocks; enemies
_MARIO_TILES: Final = range(81)
_PLANE: Final = range(99, 110)
_SUBMARINE: Final = range(112, 122)
_SHOTS: Final = (96, 110, 122)
_COIN, _MUSHROOM, _HEART, _STAR, _LEVER = (244,), (131,), (132,), (134,), (255,)
_NEUTRAL: Final = (
    *(142, 143, 221, 222), *range(231, 237), *range(301, 305), 319, 340, 352, 353, *range(355, 363), *range(381, 384)
)  # fmt: skip
_MOVING: Final = (230, 238, 239)
_PUSHABLE: Final = (128, 130, 354)
_QUESTION: Final = (129,)
_PIPES: Final = range(368, 381)
_ENEMIES: Final[tuple[tuple[int, ...], ...]] = (
    (144,),
    tuple(range(150, 154)),
    tuple(range(146, 150)),
    (*range(160, 164), *range(176, 180)),
    (*range(192, 196), *range(208, 212)),
    (*range(164, 168), *range(180, 184)),
    (198, 199, *range(201, 206), 214, 215, *range(217, 220)),
    tuple(range(240, 244)),
    (249,),
    (172, 188, 196, 197, 212, 213, 226, 227),
    (154, 155),
    (157, 158),
    (237,),
)


def _mapping(kinds: Iterable[Iterable[int]]) -> NDArray[np.uint8]:
    """Numbers kinds of tiles from 1."""
    mapping = np.zeros(TILES, np.uint8)
    for number, tiles in enumerate(kinds, 1):
        mapping[list(tiles)] = number
    return mapping


class GameWrapperSuperMarioLand(PyBoyGameWrapper):
    """Super Mario Land; the game area leaves the two rows of numbers out.

    Attributes:
        world: (world, level).
        coins, lives_left, score, time_left: as the game shows them.
        level_progress: how far Mario has come in the level, in pixels.
    """

    titles: ClassVar = ("SUPER MARIOLAND",)
    cartridge_title: ClassVar = titles[0]
    section: ClassVar = (0, 2, 20, 16)
    follows_scrolling: ClassVar = True
    mapping_minimal: ClassVar = _mapping(
        (
            (*_MARIO_TILES, *_PLANE, *_SUBMARINE),
            (*_COIN, *_MUSHROOM, *_HEART, *_STAR, *_LEVER),
            (*_NEUTRAL, *_MOVING, *_PUSHABLE, *_QUESTION, *_PIPES),
            (tile for enemy in _ENEMIES for tile in enemy),
        )
    )
    mapping_compressed: ClassVar = _mapping(
        (
            *(_MARIO_TILES, _PLANE, _SUBMARINE, _SHOTS, _COIN, _MUSHROOM, _HEART, _STAR, _LEVER),
            *(_NEUTRAL, _MOVING, _PUSHABLE, _QUESTION, _PIPES, *_ENEMIES),
        )
    )

    world = (0, 0)
    coins = lives_left = score = time_left = level_progress = 0

    def post_tick(self) -> None:
        """Reads the numbers anew."""
        super().post_tick()
        memory = self.pyboy.memory
        self.world = divmod(memory[_WORLD], 16)
        self.coins = self._number_on_screen(9, 1, 2, _BLANK, -_ZERO)
        self.score = self._number_on_screen(0, 1, 6, _BLANK, -_ZERO)
        self.lives_left = bcd_to_dec(memory[_LIVES])
        self.time_left = bcd_to_dec(memory[_TIME_LEFT]) + 100 * bcd_to_dec(memory[_TIME_LEFT + 1])
        scx = self.pyboy.screen.tilemap_position_list[16][0]
        self.level_progress = memory[_BLOCK] * 16 + (scx - 7) % 16 + memory[_MARIO_X]

    def set_time_left(self, time: int) -> None:
        """Sets the time, 0 to 999, of a game that has begun.

        Raises:
            PyBoyInvalidInputException: Out of range.
        """
        if not 0 <= time <= 999:
            raise refused(PyBoyInvalidInputException, "time", time, "0 to 999")
        self.pyboy.memory[_TIME_LEFT] = dec_to_bcd(time % 100)
        self.pyboy.memory[_TIME_LEFT + 1] = time // 100

    def set_lives_left(self, amount: int) -> None:
        """Sets the lives, 0 to 99, of a game that has begun.

        Raises:
            PyBoyInvalidInputException: Out of range.
        """
        if not 0 <= amount <= 99:
            raise refused(PyBoyInvalidInputException, "lives", amount, "0 to 99")
        self.pyboy.memory[_LIVES] = dec_to_bcd(amount)
        self.pyboy.memory[_LIVES_ON_SCREEN] = amount // 10
        self.pyboy.memory[_LIVES_ON_SCREEN + 1] = amount % 10

    def set_world_level(self, world: int, level: int) -> None:
        """Patches the menu so that a game begins in this world and level."""
        start, end = _MENU
        load_number = bytes([0x00, 0x3E, world << 4 & 0xF0 | level & 0x0F])
        self.pyboy.memory[0, start:end] = load_number.ljust(end - start, b"\0")

    def start_game(
        self,
        timer_div: int | None = None,
        world_level: tuple[int, int] | None = None,
        unlock_level_select: bool = False,
    ) -> None:
        """Begins a game, in ``world_level`` if given; with ``unlock_level_select`` stops in the menu."""
        if self.game_has_started:
            raise refused(PyBoyException, "start_game", "a second call", "reset_game")
        if world_level is not None:
            self.set_world_level(*world_level)
        screen = self.tilemap_background
        while True:
            self.pyboy.tick(1, False)
            if screen[6:11, 13] == _START:
                break
        self.pyboy.tick(3, False)
        self.pyboy.button("start")
        self.pyboy.tick(1, False)
        while True:
            if unlock_level_select and self.pyboy.frame_count == _LEVEL_SELECT_FRAME:
                self.pyboy.memory[_WINS] = 2
                break
            self.pyboy.tick(1, False)
            if screen[0:5, 0] == _MARIO and screen[5, 1] == _ZERO:
                break
        super().start_game(timer_div)

    def game_over(self) -> bool:
        """The last life is lost."""
        return bool(self.pyboy.memory[_PHASE] == _GAME_OVER)

    def __repr__(self) -> str:
        return (
            f"Super Mario Land: World {self.world[0]}-{self.world[1]}\nCoins: {self.coins}\n"
            f"lives_left: {self.lives_left}\nScore: {self.score}\nTime left: {self.time_left}\n"
            f"Level progress: {self.level_progress}\n{super().__repr__()}"
        )
