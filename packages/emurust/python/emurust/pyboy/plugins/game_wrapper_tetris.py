"""Tetris."""

from __future__ import annotations

from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from emurust.pyboy.api.constants import TILES
from emurust.pyboy.errors import PyBoyKeyError, refused
from emurust.pyboy.plugins.base_plugin import PyBoyGameWrapper

_BLANK: Final = 47
_WALL: Final = 135
_NEXT: Final = 0xC213
# pieces in the order of their codes, which count in fours: the lower two bits are the direction
_SHAPES: Final = "LJIOZST"
# tiles by kind: nothing, six one-tile pieces, the long piece's parts, the wall that falls at the end
_KINDS: Final = ((_BLANK,), (129,), (130,), (131,), (132,), (133,), (134,), (128, 136, 137, 138, 139, 143), (_WALL,))
_ONE_PLAYER: Final = [89, 25, 21, 10, 34, 14, 27]
# where the ROM loads the next piece: an instruction of three bytes, one of two
_LOAD_NEXT: Final = ((0x206E, 3), (0x20B0, 2))


def _compressed() -> NDArray[np.uint8]:
    mapping = np.zeros(TILES, np.uint8)
    for kind, tiles in enumerate(_KINDS):
        mapping[list(tiles)] = kind
    return mapping


def _minimal() -> NDArray[np.uint8]:
    mapping = np.ones(TILES, np.uint8)
    mapping[_BLANK], mapping[_WALL] = 0, 2
    return mapping


class GameWrapperTetris(PyBoyGameWrapper):
    """Tetris: the field is the game area.

    Attributes:
        score, level, lines: as the screen shows them.
    """

    titles: ClassVar = ("TETRIS",)
    cartridge_title: ClassVar = titles[0]
    section: ClassVar = (2, 0, 10, 18)
    mapping_compressed: ClassVar = _compressed()
    mapping_minimal: ClassVar = _minimal()

    score = level = lines = 0

    def post_tick(self) -> None:
        """Reads the numbers anew."""
        super().post_tick()
        self.score = self._number_on_screen(13, 3, 6, _BLANK, 0)
        self.level = self._number_on_screen(14, 7, 4, _BLANK, 0)
        self.lines = self._number_on_screen(14, 10, 4, _BLANK, 0)

    def start_game(self, timer_div: int | None = None) -> None:
        """Goes through the menus to the first piece."""
        while self.tilemap_background[2:9, 14] != _ONE_PLAYER:
            self.pyboy.tick(1, False)
        self.pyboy.tick(5, False)
        for _ in range(2):
            self.pyboy.button("start")
            self.pyboy.tick(7, False)
        super().start_game()
        self.reset_game(timer_div)

    def reset_game(self, timer_div: int | None = None) -> None:
        """Goes back to the first piece."""
        super().reset_game(timer_div)
        self.pyboy.button("start")
        self.pyboy.tick(7, False)

    def next_tetromino(self) -> str:
        """The piece to come: L, J, I, O, Z, S or T."""
        code = self.pyboy.memory[_NEXT] >> 2
        if code >= len(_SHAPES):
            raise refused(PyBoyKeyError, "next piece", self.pyboy.memory[_NEXT], "a game that has begun")
        return _SHAPES[code]

    def set_tetromino(self, shape: str) -> None:
        """Patches the ROM so that every piece from now on has this shape.

        Raises:
            PyBoyKeyError: An unknown shape.
        """
        if shape not in tuple(_SHAPES):
            raise refused(PyBoyKeyError, "shape", repr(shape), ", ".join(_SHAPES))
        load_number = bytes([0x3E, 4 * _SHAPES.index(shape), 0x00])
        for address, length in _LOAD_NEXT:
            self.pyboy.memory[0, address : address + length] = load_number[:length]

    def game_over(self) -> bool:
        """The wall has fallen."""
        return bool(self.tilemap_background[2, 0] == _WALL)

    def __repr__(self) -> str:
        return f"Tetris:\nScore: {self.score}\nLevel: {self.level}\nLines: {self.lines}\n{super().__repr__()}"
