"""Animated pictures of a console at play; needs the extra ``render``."""

from __future__ import annotations

import os
from collections.abc import Iterable
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emurust.errors import InvalidArgumentError
from rlenv_shared import files
from rlenv_shared.errors import explain

FRAME_MS = 1000 * 70_224 / 4_194_304


def save_gif(frames: Iterable[NDArray[np.uint8]], path: str | PathLike[str], *, skip: int = 1, scale: int = 1) -> int:
    """Writes pictures as an endlessly repeating GIF.

    Args:
        frames: uint8 [144, 160, 3 or 4] each.
        path: file to write.
        skip: console frames between two pictures; a GIF shows at most 50 pictures a second.
        scale: pixels of the file for each of the console.

    Returns:
        Number of pictures.

    Raises:
        InvalidArgumentError: no pictures, or a scale below 1.
        StorageError: it cannot be written there.
    """
    from PIL import Image

    if skip < 1 or scale < 1:
        got = f"skip {skip}, scale {scale}"
        raise InvalidArgumentError(explain("GIF", got=got, expected="integers >= 1", remedy="correct them"))
    images: list[Any] = [
        Image.fromarray(np.ascontiguousarray(frame[..., :3].repeat(scale, 0).repeat(scale, 1))).quantize(256)
        for frame in frames
    ]
    if not images:
        raise InvalidArgumentError(explain("GIF", got="no pictures", expected="at least 1", remedy="record some"))
    with files.replacing(os.fspath(path)) as file:
        images[0].save(file, "GIF", save_all=True, append_images=images[1:], duration=round(FRAME_MS * skip), loop=0)
    return len(images)
