"""Pictures of a cart and its pole, with NumPy alone; the layout is Gymnasium's."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from cartpole_jax.types import EnvParams, State

WIDTH, HEIGHT = 600, 400  # pixels
TRACK: Final = 300.0  # pixels from the top
CART: Final = (50.0, 30.0)  # pixels, width and height
POLE_WIDTH: Final = 10.0  # pixels
AXLE_ABOVE_TRACK: Final = 7.5  # pixels
WHITE, BLACK, BROWN, BLUE = (255, 255, 255), (0, 0, 0), (202, 152, 101), (129, 132, 203)  # RGB


def rgb_array(state: State, params: EnvParams | None = None) -> NDArray[np.uint8]:
    """Draw one environment.

    Args:
        state: of one environment (scalar leaves).
        params: of the environment; the defaults when None.  They set the scale: the track is as wide as the picture.

    Returns:
        uint8 ``[400, 600, 3]``.
    """
    params = EnvParams() if params is None else params
    scale = WIDTH / (2 * float(params.x_threshold))  # pixels per metre
    cart_x, theta = WIDTH / 2 + float(state.x) * scale, float(state.theta)
    length = 2 * float(params.half_pole_length) * scale
    axle = (cart_x, TRACK - AXLE_ABOVE_TRACK)
    pole_centre = (axle[0] + np.sin(theta) * length / 2, axle[1] - np.cos(theta) * length / 2)
    image = np.full((HEIGHT, WIDTH, 3), WHITE, np.float64)
    _paint(image, _rectangle((WIDTH / 2, TRACK), (WIDTH, 1.0), 0.0), BLACK)
    _paint(image, _rectangle((cart_x, TRACK), CART, 0.0), BLACK)
    _paint(image, _rectangle(pole_centre, (POLE_WIDTH, length), theta), BROWN)
    _paint(image, _rectangle(axle, (0.0, 0.0), 0.0) - POLE_WIDTH / 2, BLUE)
    return image.round().astype(np.uint8)


def _rectangle(centre: tuple[float, float], size: tuple[float, float], angle: float) -> NDArray[np.float64]:
    """Distance of every pixel to a rectangle turned clockwise by ``angle`` (rad), in pixels, [400, 600]."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH] + 0.5
    x, y = x - centre[0], y - centre[1]
    along, across = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
    dx, dy = np.abs(along) - size[0] / 2, np.abs(across) - size[1] / 2
    return np.hypot(np.maximum(dx, 0), np.maximum(dy, 0)) + np.minimum(np.maximum(dx, dy), 0)


def _paint(image: NDArray[np.float64], distance: NDArray[np.float64], colour: tuple[int, int, int]) -> None:
    """Colour the pixels at distance below 0; those the edge crosses in proportion."""
    cover = np.clip(0.5 - distance, 0, 1)[..., None]
    image += cover * (np.asarray(colour) - image)
