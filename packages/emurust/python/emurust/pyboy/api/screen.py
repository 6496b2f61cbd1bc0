"""`PyBoy.screen`: the picture in several forms over one buffer, and where the lines were scrolled to."""

from __future__ import annotations

from sys import getrefcount
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

_SCROLL: Final = 0xFF42  # SCY and SCX
_WINDOW: Final = 0xFF4A  # WY and WX
_LINE: Final = 64  # bytes of a cache line


class Screen(_core.Live):
    """The picture of the last drawn frame. All forms are live: `tick` changes what they show; copy to keep.

    The picture is written into them when one of them is looked at, or at once while somebody holds one.

    Attributes:
        ndarray: RGBA, uint8 [144, 160, 4].
        raw_buffer: the same memory, rows of 32-bit pixels.
        raw_buffer_dims: (144, 160).
        raw_buffer_format: "RGBA".
    """

    def __init__(self, machine: _core.Machine):
        self._machine = machine
        self._room = np.zeros(ROWS * COLS * 4 + _LINE, np.uint8)
        start = -self._room.ctypes.data % _LINE  # from there it is copied fastest
        flat = self._room[start : start + ROWS * COLS * 4]
        self._pixels: NDArray[np.uint8] = flat.reshape(ROWS, COLS, 4)
        self._shown = self._pixels.view()
        self._buffer = flat.data.cast("I", shape=(ROWS, COLS))
        del flat
        self.raw_buffer_dims = (ROWS, COLS)
        self.raw_buffer_format = "RGBA"
        self._image: Any = None
        self._own_holds = self._holds()

    def _holds(self) -> int:
        """References to the picture's memory: more than at first while somebody keeps a part of it."""
        return getrefcount(self._shown) + getrefcount(self._pixels) + getrefcount(self._room)

    def _changed(self) -> None:
        """The console has another picture."""
        if self._given or self._holds() > self._own_holds:
            self._machine.picture_rgba(self._pixels)
        else:
            self._stale = True

    def _refresh(self) -> None:
        if self._stale:
            self._machine.picture_rgba(self._pixels)
            self._stale = False

    @property
    def image(self) -> Any:
        """A `PIL.Image` over the same memory; raises `PyBoyDependencyError` without Pillow, when it is used."""
        if self._image is not None and not self._stale:
            return self._image
        if Image is None:
            return PillowImportError()
        self._refresh()
        if self._image is None:
            self._image = Image.frombuffer(self.raw_buffer_format, (COLS, ROWS), self._pixels)
        return self._image

    def _after_tick(self) -> None:
        # Pillow lets go of the shared memory when an image is changed or saved
        if self._image is not None and not self._image.readonly:
            self._image = None

    @property
    def tilemap_position_list(self) -> list[list[int]]:
        """Per line ``[SCX, SCY, WX - 7, WY]`` as it was drawn with; zeroes while the LCD is off."""
        return _core.line_lists(self._machine)

    def get_tilemap_position(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """``((SCX, SCY), (WX - 7, WY))`` as they are now."""
        scy, scx = self._machine.read_range(_SCROLL, 2)
        wy, wx = self._machine.read_range(_WINDOW, 2)
        return (scx, scy), (wx - 7, wy)
