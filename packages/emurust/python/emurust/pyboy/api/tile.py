"""Tiles: 8 × 8 pixels of video memory."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from emurust.pyboy.api.constants import LOW_TILEDATA, TILES, TILES_CGB, VRAM_OFFSET
from emurust.pyboy.api.source import Source
from emurust.pyboy.errors import PillowImportError, PyBoyOutOfBoundsException, refused

try:
    from PIL import Image
except ImportError:  # `image` raises when it is used
    Image = None  # type: ignore[assignment]

_BANK: Final = 0x2000
_BITS: Final = np.arange(7, -1, -1)


class Tile:
    """A tile by its number: 0 to 383, or 767 on colour consoles. Its pixels are read when they are asked for.

    Attributes:
        tile_identifier: its number.
        data_address: where its 16 bytes are.
        vram_bank: in which bank.
        shape: (8, 8).
        raw_buffer_format: "RGBA".
    """

    def __init__(self, source: Source, identifier: int):
        count = TILES_CGB if source.color else TILES
        if not 0 <= identifier < count:
            raise refused(PyBoyOutOfBoundsException, "tile", identifier, f"0 to {count - 1}")
        self._source = source
        self.tile_identifier = identifier
        self.vram_bank = int(identifier >= TILES)
        self.data_address = LOW_TILEDATA + 16 * (identifier % TILES)
        self.shape = (8, 8)
        self.raw_buffer_format = "RGBA"

    def ndarray(self) -> NDArray[np.uint8]:
        """RGBA in the colours of the background palette, uint8 [8, 8, 4]."""
        return self._image_data().view(np.uint8).reshape(8, 8, 4)

    def image(self) -> Any:
        """A `PIL.Image` of it, made as PyBoy makes it: Pillow reads the pixels as numbers; `ndarray` has their colours.

        Raises:
            PyBoyDependencyError: Pillow is not installed.
        """
        if Image is None:
            PillowImportError()["image"]
        return Image.fromarray(self._image_data()).convert(self.raw_buffer_format)

    def _image_data(self) -> NDArray[np.uint32]:
        """Pixels as 32-bit values, [8, 8]."""
        start = self.vram_bank * _BANK + self.data_address - VRAM_OFFSET
        data = np.frombuffer(self._source.machine.vram()[start : start + 16], np.uint8).reshape(8, 2, 1)
        bits = data >> _BITS & 1
        return self._source.background_colors()[bits[:, 0] | bits[:, 1] << 1]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tile):
            return NotImplemented
        return self.tile_identifier == other.tile_identifier

    def __hash__(self) -> int:
        return self.tile_identifier

    def __repr__(self) -> str:
        return f"Tile: {self.tile_identifier}"
