"""Pictures of a state, and GIFs."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from puffer_pong.config import PongConfig
from rlenv_shared.errors import InvalidParamsError, explain

# Colours and margins are those of the original's window.
BACKGROUND: Final = (6, 24, 24)
LEFT_PADDLE: Final = (255, 0, 0)
RIGHT_PADDLE: Final = (0, 255, 255)
BALL: Final = (255, 255, 255)
SCORE: Final = (0, 187, 187)
MARGIN_PADDLES: Final = 3  # free space beside the field, in paddle widths
SCORE_OFFSET: Final = 50  # pixels from the middle of the field
SCORE_TOP: Final = 10  # pixels below the upper edge
DIGIT_PIXEL: Final = 6  # pixels of the picture per pixel of a digit

# 3 x 5 pixels per digit, one octal number per row.
DIGITS: Final = ("75557", "26227", "71747", "71717", "55711", "74717", "74757", "71111", "75757", "75717")


def render_state(state: Any, config: PongConfig | None = None, reduce: int = 1) -> NDArray[np.uint8]:
    """Draw one state.

    Args:
        state: one element of `get_state`, or anything with its fields as items, such as a dict.
        config: geometry; None for the defaults.
        reduce: keep every so many pixels only.

    Returns:
        uint8 [height, width + 6 paddle widths, 3], smaller if reduced.
    """
    config = config or PongConfig()
    height, margin = round(config.height), round(MARGIN_PADDLES * config.paddle_width)
    picture = np.empty((height, round(config.width) + 2 * margin, 3), np.uint8)
    picture[:] = BACKGROUND

    def draw(x: float, y: float, width: float, height_: float, colour: tuple[int, int, int]) -> None:
        left, bottom = round(float(x)), round(float(y))
        top = height - bottom - round(height_)  # y grows upwards, rows downwards
        rows = slice(max(top, 0), max(height - bottom, 0))
        picture[rows, max(left, 0) : max(left + round(width), 0)] = colour

    for points, offset in ((int(state["score_left"]), -SCORE_OFFSET), (int(state["score_right"]), SCORE_OFFSET)):
        _draw_number(picture, points, picture.shape[1] // 2 + offset)
    draw(margin - config.paddle_width, state["paddle_left_y"], config.paddle_width, config.paddle_height, LEFT_PADDLE)
    draw(margin + config.width, state["paddle_right_y"], config.paddle_width, config.paddle_height, RIGHT_PADDLE)
    draw(margin + float(state["ball_x"]), state["ball_y"], config.ball_width, config.ball_height, BALL)
    return picture[::reduce, ::reduce]


def _draw_number(picture: NDArray[np.uint8], number: int, centre: int) -> None:
    glyphs = [[[int(row) >> shift & 1 for shift in (2, 1, 0, 3)] for row in DIGITS[int(d)]] for d in str(number)]
    bitmap = np.concatenate(glyphs, axis=1)[:, :-1].astype(bool)  # the fourth column of a glyph is the gap
    mask = bitmap.repeat(DIGIT_PIXEL, 0).repeat(DIGIT_PIXEL, 1)
    left = max(centre - mask.shape[1] // 2, 0)
    area = picture[SCORE_TOP : SCORE_TOP + mask.shape[0], left : left + mask.shape[1]]
    area[mask[: area.shape[0], : area.shape[1]]] = SCORE


def save_gif(
    frames: Iterable[Any],
    path: str | os.PathLike[str],
    config: PongConfig | None = None,
    fps: float = 30.0,
    reduce: int = 2,
) -> Path:
    """Write an animated GIF that repeats for ever.

    Args:
        frames: pictures (uint8 [H, W, 3]) or states (as `render_state` takes them).
        path: file to write.
        config: geometry of states.
        fps: pictures per second.
        reduce: as `render_state`, for states.

    Returns:
        The path.

    Raises:
        InvalidParamsError: no frames.
    """
    import imageio.v3 as imageio

    pictures = [
        frame if isinstance(frame, np.ndarray) and frame.dtype == np.uint8 else render_state(frame, config, reduce)
        for frame in frames
    ]
    if not pictures:
        raise InvalidParamsError(explain("frames", got="none", expected="at least one", remedy="record some states"))
    imageio.imwrite(Path(path), np.stack(pictures), extension=".gif", duration=1000.0 / fps, loop=0)
    return Path(path)
