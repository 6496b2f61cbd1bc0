"""`PyBoy.screen`: the picture in several forms over one buffer, and where the lines were scrolled to."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from emurust import _core
from emurust.pyboy.api.constants import COLS, ROWS
from emurust.pyboy.errors import PillowImportError

try:
    from PIL import Image
except ImportError:  # `image` raises when it is used
    Image = None  # type: ignore[assignment]

_LINE: Final = 64  # bytes of a cache line


class Screen:
    """The picture of the last drawn frame. All forms are live: `tick` changes what they show; copy to keep.

    Attributes:
        ndarray: RGBA, uint8 [144, 160, 4].
        raw_buffer: the same memory, rows of 32-bit pixels.
        raw_buffer_dims: (144, 160).
        raw_buffer_format: "RGBA".
        image: a `PIL.Image` over the same memory; raises `PyBoyDependencyError` without Pillow.
    """

    def __init__(self, machine: _core.Machine):
        self._machine = machine
        room = np.zeros(ROWS * COLS * 4 + _LINE, np.uint8)
        start = -room.ctypes.data % _LINE  # from there it is copied fastest
        flat = room[start : start + ROWS * COLS * 4]
        self._pixels: NDArray[np.uint8] = flat.reshape(ROWS, COLS, 4)
        self.ndarray: NDArray[np.uint8] = self._pixels.view()
        self.raw_buffer = flat.data.cast("I", shape=(ROWS, COLS))
        self.raw_buffer_dims = (ROWS, COLS)
        self.raw_buffer_format = "RGBA"
        self.image: Any = None
        self._set_image()

    def _set_image(self) -> None:
        """A new image; Pillow lets go of the shared memory when an image is changed or saved."""
        if Image is None:
            self.image = PillowImportError()
        else:
            self.image = Image.frombuffer(self.raw_buffer_format, (COLS, ROWS), self._pixels)

    def _after_tick(self) -> None:
        if self.image and not self.image.readonly:
            self._set_image()

    @property
    def tilemap_position_list(self) -> list[list[int]]:
        """Per line ``[SCX, SCY, WX - 7, WY]`` as it was drawn with; zeroes while the LCD is off."""
        if self._machine.read(0xFF40) & 0x80 == 0:
            return [[0, 0, 0, 0] for _ in range(ROWS)]
        return [[scx, scy, wx - 7, wy] for scx, scy, wx, wy in self._machine.line_positions()]

    def get_tilemap_position(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """``((SCX, SCY), (WX - 7, WY))`` as they are now."""
        scy, scx = self._machine.read(0xFF42), self._machine.read(0xFF43)
        wy, wx = self._machine.read(0xFF4A), self._machine.read(0xFF4B)
        return (scx, scy), (wx - 7, wy)
