"""Sprites: the 40 entries of object attribute memory."""

from __future__ import annotations

from emurust.pyboy.api.constants import LCDC_OFFSET, OAM_OFFSET, SPRITES, TILES
from emurust.pyboy.api.source import Source
from emurust.pyboy.api.tile import Tile
from emurust.pyboy.errors import PyBoyOutOfBoundsException, refused


class Sprite:
    """A sprite as it was when this object was made.

    Attributes:
        sprite_index: 0: PyBoy declares it and never sets it.
        x, y: its upper left corner on the screen.
        tile_identifier: its (first) tile.
        tiles: one `Tile`, or two of tall sprites.
        shape: (8, 8) or (8, 16).
        on_screen: a part of it is on the screen.
        attr_obj_bg_priority, attr_y_flip, attr_x_flip, attr_palette_number, attr_cgb_bank_number: its attributes.
    """

    sprite_index = 0

    def __init__(self, source: Source, sprite_index: int):
        if not 0 <= sprite_index < SPRITES:
            raise refused(PyBoyOutOfBoundsException, "sprite", sprite_index, f"0 to {SPRITES - 1}")
        machine = source.machine
        self._sprite_index = sprite_index
        self._offset = 4 * sprite_index
        y, x, tile, attributes = machine.read_range(OAM_OFFSET + self._offset, 4)
        self.y, self.x = y - 16, x - 8
        self.attr_obj_bg_priority = bool(attributes >> 7 & 1)
        self.attr_y_flip = bool(attributes >> 6 & 1)
        self.attr_x_flip = bool(attributes >> 5 & 1)
        self.attr_palette_number = attributes & 7 if source.color else attributes >> 4 & 1
        self.attr_cgb_bank_number = source.color and bool(attributes >> 3 & 1)
        self.tile_identifier = tile + TILES * self.attr_cgb_bank_number
        height = 16 if machine.read(LCDC_OFFSET) & 4 else 8
        self.shape = (8, height)
        self.tiles = [Tile(source, self.tile_identifier + part) for part in range(height // 8)]
        self.on_screen = -height < self.y < 144 and -8 < self.x < 160

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sprite):
            return NotImplemented
        return self._sprite_index == other._sprite_index

    def __hash__(self) -> int:
        return self._sprite_index

    def __repr__(self) -> str:
        tiles = ", ".join(map(str, self.tiles))
        return (
            f"Sprite [{self._sprite_index}]: Position: ({self.x}, {self.y}), Shape: {self.shape}, "
            f"Tiles: ({tiles}), On screen: {self.on_screen}"
        )
