"""What tiles, sprites and tile maps read: the machine, and the colours it was made with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from emurust import _core


class Source:
    """A machine and its palettes, lightest colour first."""

    def __init__(self, machine: _core.Machine, background: Sequence[int]):
        self.machine = machine
        self.color = machine.color
        self.set_background(background)

    def set_background(self, colors: Sequence[int]) -> None:
        """Takes other colours 0xRRGGBB for the background."""
        swapped = [0xFF << 24 | (c & 0xFF) << 16 | c & 0xFF00 | c >> 16 & 0xFF for c in colors]
        self._colors = np.array(swapped, np.uint32)

    def background_colors(self) -> NDArray[np.uint32]:
        """RGBA by colour number, under the background's palette register as it is now."""
        palette = self.machine.read(0xFF47)
        return self._colors[[palette >> 2 * number & 3 for number in range(4)]]
