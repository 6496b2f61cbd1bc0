"""The wrapper of any game: its tiles and sprites as a matrix, starting and resetting."""

from __future__ import annotations

import io
import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from emurust import _core
from emurust.errors import EmurustError, translated
from emurust.pyboy.api.constants import SPRITES, TILES, TILES_CGB
from emurust.pyboy.errors import (
    PyBoyAssertionError,
    PyBoyException,
    PyBoyIndexError,
    PyBoyInvalidInputException,
    not_offered,
    refused,
)

if TYPE_CHECKING:
    from emurust.pyboy.api.sprite import Sprite
    from emurust.pyboy.console import PyBoy


class PyBoyGameWrapper:
    """A game without a wrapper of its own.

    Attributes:
        shape: (width, height) of the game area, in tiles.
        game_area_section: (x, y, width, height).
        game_area_follow_scxy: it moves with the screen.
        cartridge_title: the ROM's title that the wrapper is for; None for any.
        argv: no arguments of the command line.
        mapping: number of the game area by number of the tile.
        sprite_offset: added to the numbers of sprites.
        game_has_started: `start_game` was called.
    """

    titles: ClassVar[tuple[str, ...]] = ()
    cartridge_title: ClassVar[str | None] = None
    argv: ClassVar[list[Any]] = []
    mapping_one_to_one = np.arange(TILES_CGB, dtype=np.uint8)
    section: ClassVar[tuple[int, int, int, int]] = (0, 0, 32, 32)
    follows_scrolling: ClassVar[bool] = False

    def __init__(self, pyboy: PyBoy):
        self.pyboy = pyboy
        self.tilemap_background, self.tilemap_window = pyboy.tilemap_background, pyboy.tilemap_window
        self.mapping: NDArray[np.uint32] = np.arange(TILES_CGB, dtype=np.uint32)
        self.sprite_offset = 0
        self.game_has_started = False
        self.saved_state = io.BytesIO()
        self._use_background = True
        self._tiles: NDArray[np.uint32] | None = None
        self._objects: list[tuple[int, int, int]] | None = None
        self._set_dimensions(*self.section, self.follows_scrolling)

    def enabled(self) -> bool:
        """Whether it is for this game: always, or it would not be here."""
        return True

    def stop(self) -> None:
        """Does nothing; `PyBoy.stop` ends the console."""

    def post_tick(self) -> None:
        """Reads the game's numbers anew; called after every `tick`."""
        self._tiles = self._objects = None

    def start_game(self, timer_div: int | None = None) -> None:
        """Keeps the present state for `reset_game`, then sets DIV to ``timer_div`` (by chance without)."""
        self.game_has_started = True
        self.saved_state.seek(0)
        self.pyboy.save_state(self.saved_state)
        self._set_timer_div(timer_div)

    def reset_game(self, timer_div: int | None = None) -> None:
        """Goes back to the state that `start_game` kept.

        Raises:
            PyBoyException: `start_game` was not called.
        """
        if not self.game_has_started:
            raise refused(PyBoyException, "reset_game", "no start_game before", "start_game first")
        self.saved_state.seek(0)
        self.pyboy.load_state(self.saved_state)
        self._set_timer_div(timer_div)
        self.post_tick()

    def game_over(self) -> bool | int:
        """Whether the game is over, where the wrapper knows.

        Raises:
            NotOfferedError: It does not; it is a `NotImplementedError`.
        """
        raise not_offered(f"game_over of {self.pyboy.cartridge_title!r}", "read the game's memory")

    def game_area_collision(self) -> NDArray[np.uint32]:
        """Where one can walk, where the wrapper knows.

        Raises:
            NotOfferedError: It does not; it is an `AttributeError`.
        """
        raise not_offered(f"game_area_collision of {self.pyboy.cartridge_title!r}", "use game_area")

    def use_background(self, value: bool) -> None:
        """Whether the game area shows the background or the window."""
        self._use_background = bool(value)

    def game_area(self) -> NDArray[np.uint32]:
        """The chosen part of the screen as mapped tile numbers with sprites over them, uint32 [height, width].

        Like PyBoy's it is read once a `tick`.

        Raises:
            PyBoyIndexError: The part leaves the map, or a tile has no entry in the mapping.
        """
        if self._objects is None:
            self._objects = self._machine.object_tiles()
        try:
            with translated():
                tiles, origin = self._game_area_tiles(), (self.game_area_section[1], self.game_area_section[0])
                return _core.map_area(tiles, self.mapping, self._objects, origin, self.sprite_offset)
        except EmurustError as error:
            raise PyBoyIndexError(str(error)) from None

    def game_area_mapping(self, mapping: Sequence[int] | NDArray[Any], sprite_offset: int = 0) -> None:
        """Maps tile numbers to numbers of the caller's own: 384 or 768 of them, 0 to 2³² − 1.

        Raises:
            PyBoyAssertionError: Another length or type.
            PyBoyOverflowError: A number out of range.
        """
        if not isinstance(sprite_offset, int):
            raise refused(PyBoyAssertionError, "sprite_offset", repr(sprite_offset), "an integer")
        if not isinstance(mapping, list | np.ndarray) or len(mapping) not in (TILES, TILES_CGB):
            got = f"{type(mapping).__name__} of {len(mapping) if hasattr(mapping, '__len__') else '?'}"
            raise refused(PyBoyAssertionError, "mapping", got, f"a list or array of {TILES} or {TILES_CGB} numbers")
        try:
            values = np.ascontiguousarray(mapping, dtype=np.uint32).copy()
        except OverflowError:
            raise refused("PyBoyOverflowError", "mapping", "a number out of range", "0 to 2**32 - 1") from None
        except (TypeError, ValueError):
            raise refused(PyBoyInvalidInputException, "mapping", "something else than a number", "integers") from None
        if values.ndim != 1 or not -(2**32) < sprite_offset < 2**32:
            raise refused(PyBoyAssertionError, "mapping", values.shape, "one dimension, an offset of 32 bits")
        self.mapping, self.sprite_offset = values, sprite_offset % 2**32

    def game_area_annotations(self) -> list[tuple[int, int, str]]:
        """Texts to draw over the screen: none."""
        return []

    @property
    def _machine(self) -> _core.Machine:
        return self.pyboy._machine

    def _game_area_tiles(self) -> NDArray[np.uint32]:
        if self._tiles is None:
            if any(value < 0 for value in self.game_area_section):
                raise refused(PyBoyIndexError, "game area", self.game_area_section, "x, y, width and height from 0 on")
            shown = self.tilemap_background if self._use_background else self.tilemap_window
            self._tiles = shown.area(*self.game_area_section, self.game_area_follow_scxy)
        return self._tiles

    def _set_dimensions(self, x: int, y: int, width: int, height: int, follow_scrolling: bool = True) -> None:
        section = (x, y, width, height)
        plain = type(x) is type(y) is type(width) is type(height) is int  # nearly always
        if not plain and not all(isinstance(value, int) for value in section):
            raise refused("PyBoyTypeError", "game area", section, "integers")
        self.shape, self.game_area_section = (width, height), section
        self.game_area_follow_scxy = bool(follow_scrolling)

    def _set_timer_div(self, timer_div: int | None) -> None:
        self._machine.set_divider(random.getrandbits(8) if timer_div is None else timer_div & 0xFF)

    def _number_on_screen(self, x: int, y: int, length: int, blank: int, offset: int) -> int:
        """A decimal number drawn as tiles."""
        digits = self.tilemap_background[x : x + length, y]
        return sum((tile + offset) * 10**place for place, tile in enumerate(reversed(digits)) if tile != blank)

    def _sprites_on_screen(self) -> list[Sprite]:
        return [sprite for sprite in map(self.pyboy.get_sprite, range(SPRITES)) if sprite.on_screen]

    def __repr__(self) -> str:
        width = self.shape[0]
        head = " " * 4 + "".join(f"{column: >4}" for column in range(width)) + "\n" + "_" * (4 * width + 4)
        area = self.game_area()
        rows = "\n".join(f"{row: <3}|" + "".join(f"{tile: >4}" for tile in tiles) for row, tiles in enumerate(area))
        sprites = "\n".join(map(str, self._sprites_on_screen()))
        return f"Sprites on screen:\n{sprites}\nTiles on screen:\n{head}\n{rows}"
