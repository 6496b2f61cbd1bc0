"""Tiles: 8 × 8 pixels of video memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emurust import _core
from emurust.pyboy.errors import PillowImportError

try:
    from PIL import Image
except ImportError:  # `image` raises when it is used
    Image = None  # type: ignore[assignment]

Tile = _core.Tile


def image_of(pixels: NDArray[np.uint32]) -> Any:
    """A `PIL.Image` of a tile's pixels, made as PyBoy makes it.

    Raises:
        PyBoyDependencyError: Pillow is not installed.
    """
    if Image is None:
        PillowImportError()["image"]
    return Image.fromarray(pixels).convert("RGBA")
