"""Pictures of two links, with NumPy alone; the layout is Gymnasium's."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from acrobot_jax.types import EnvParams, State

SIZE: Final = 500  # pixels, of either side
MARGIN: Final = 0.2  # m around stretched links
LINK_WIDTH: Final = 0.2  # m
JOINT_RADIUS: Final = 0.1  # m
WHITE, BLACK, TURQUOISE, YELLOW = (255, 255, 255), (0, 0, 0), (0, 204, 204), (204, 204, 0)  # RGB


def rgb_array(state: State, params: EnvParams | None = None) -> NDArray[np.uint8]:
    """Draw one environment.

    Args:
        state: of one environment (scalar leaves).
        params: of the environment; the defaults when None.  Both links are drawn as long as the upper one.

    Returns:
        uint8 ``[500, 500, 3]``.
    """
    params = EnvParams() if params is None else params
    length = float(params.link_length_1)
    scale = SIZE / (2 * (2 * length + MARGIN))  # pixels per metre
    angles = np.cumsum([float(state.theta1), float(state.theta2)])  # of each link, from hanging down
    steps = length * scale * np.stack([np.sin(angles), np.cos(angles)], axis=1)  # right and down, pixels
    joints = np.cumsum([np.full(2, SIZE / 2), *steps], axis=0)
    image = np.full((SIZE, SIZE, 3), WHITE, np.float64)
    line = (SIZE / 2, SIZE / 2 - float(params.height) * scale)
    _paint(image, _segment(line, line, SIZE, 1.0), BLACK)
    for start, end in pairwise(joints):
        _paint(image, _segment(start, end, 0.0, LINK_WIDTH * scale), TURQUOISE)
        _paint(image, _segment(start, start, 0.0, 0.0) - JOINT_RADIUS * scale, YELLOW)
    return image.round().astype(np.uint8)


def _segment(start: object, end: object, longer: float, width: float) -> NDArray[np.float64]:
    """Distance of every pixel to a rectangle around a segment, in pixels, [500, 500].

    The rectangle is ``longer`` than the segment at either end, and ``width`` wide; a segment of no length lies flat.
    """
    (x0, y0), (x1, y1) = np.asarray(start, np.float64), np.asarray(end, np.float64)
    y, x = np.mgrid[0:SIZE, 0:SIZE] + 0.5
    angle, length = np.arctan2(y1 - y0, x1 - x0), np.hypot(x1 - x0, y1 - y0)
    x, y = x - (x0 + x1) / 2, y - (y0 + y1) / 2
    along, across = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
    dx, dy = np.abs(along) - length / 2 - longer, np.abs(across) - width / 2
    return np.hypot(np.maximum(dx, 0), np.maximum(dy, 0)) + np.minimum(np.maximum(dx, dy), 0)


def _paint(image: NDArray[np.float64], distance: NDArray[np.float64], colour: tuple[int, int, int]) -> None:
    """Colour the pixels at distance below 0; those the edge crosses in proportion."""
    cover = np.clip(0.5 - distance, 0, 1)[..., None]
    image += cover * (np.asarray(colour) - image)
