"""State and parameters: what a step reads and writes.

Source of every default: the constructor of ``pufferlib/ocean/pong/pong.py`` @ pufferlib 3.0.0.
"""

from __future__ import annotations

import dataclasses
import numbers
from typing import Any

import numpy as np
from jaxtyping import Array, Float, Int, UInt32

from rlenv_shared.errors import InvalidParamsError, explain
from rlenv_shared.struct import Replaceable, pytree_dataclass

Rng = tuple[UInt32[Array, ""], UInt32[Array, ""], UInt32[Array, ""]]
Number = Any  # a Python number, or a scalar array (traced, or one of a batch)


@pytree_dataclass
class State(Replaceable):
    """One environment.  Lengths in pixels, y grows upward, positions are the lower left corner of a box."""

    paddle_left_y: Float[Array, ""]  # the scripted opponent
    paddle_right_y: Float[Array, ""]  # the agent
    ball_x: Float[Array, ""]
    ball_y: Float[Array, ""]
    ball_vx: Float[Array, ""]  # pixels per frame, positive towards the agent
    ball_vy: Float[Array, ""]  # pixels per frame
    score_left: Int[Array, ""]  # int32, points of the opponent
    score_right: Int[Array, ""]  # int32, points of the agent
    tick: Int[Array, ""]  # int32, steps since the serve
    bounces: Int[Array, ""]  # int32, paddle hits since the serve
    time: Int[Array, ""]  # int32, steps since the reset
    rng: Rng  # generator: key0, key1, counter


@pytree_dataclass
class EnvParams(Replaceable):
    """Numbers that may be traced and differ per environment; the defaults are PufferLib's.

    Lengths and speeds are float32 in the environment.  Every bit of the state equals the reference's, whatever they
    are; with integers below 2,048, as the defaults are, every bit of the observation too; with other numbers an
    observation may differ by one unit in the last place.

    Raises:
        InvalidParamsError: as `check_params`, if all fields are plain numbers (traced values cannot be checked).
    """

    width: Number = 500.0
    height: Number = 640.0
    paddle_width: Number = 20.0  # drawing only
    paddle_height: Number = 70.0
    ball_width: Number = 32.0
    ball_height: Number = 32.0
    paddle_speed: Number = 8.0  # pixels per frame, both paddles
    ball_initial_speed_x: Number = 10.0  # pixels per frame; never changes but in sign
    ball_initial_speed_y: Number = 1.0  # a serve's vertical speed is 0 or minus this
    ball_max_speed_y: Number = 13.0
    ball_speed_y_increment: Number = 3.0  # what a moving agent's paddle adds to the ball's vertical speed
    max_score: Number = 21  # points that end an episode
    max_steps_in_episode: Number = 2**31 - 1  # truncation; the reference has none

    def __post_init__(self) -> None:
        """Check what can be checked: values may be traced, or differ by environment."""
        if all(isinstance(getattr(self, field.name), numbers.Real) for field in dataclasses.fields(self)):
            check_params(self)


LENGTHS = ("width", "height", "paddle_width", "paddle_height", "ball_width", "ball_height", "ball_max_speed_y")
MAX_LENGTH = 2**24  # beyond it a float32 does not resolve one pixel
COUNTS = ("max_score", "max_steps_in_episode")


def check_params(params: EnvParams) -> None:
    """Reject parameters with which the game is not the game.

    One rule is less obvious: a serve must not leave the field in its first frame.  A scoring step then always has an
    earlier frame to show, which is what the observation of that step is (see `puffer_pong.jax.env.Pong`).

    Args:
        params: concrete numbers, or arrays of them for a batch.

    Raises:
        InvalidParamsError: naming the field.
    """
    p: dict[str, Any] = {field.name: np.asarray(getattr(params, field.name)) for field in dataclasses.fields(params)}
    first_x = p["width"] / 5 + p["ball_initial_speed_x"]
    paddle_room, ball_room = p["height"] - p["paddle_height"], p["height"] - p["ball_height"]
    rules = [
        *((name, np.abs(p[name]) <= MAX_LENGTH, "a number in [-2**24, 2**24]") for name in p if name not in COUNTS),
        *((name, p[name] > 0, "a number > 0") for name in LENGTHS),
        *((name, (p[name] >= 1) & (p[name] < 2**31) & (p[name] % 1 == 0), "an integer >= 1") for name in COUNTS),
        ("paddle_speed", p["paddle_speed"] >= 0, "a number >= 0"),
        ("paddle_height", paddle_room >= 0, "at most the field's height"),
        ("ball_height", ball_room >= 0, "at most the field's height"),
        ("ball_width", p["ball_width"] < p["width"], "less than the field's width"),
        ("ball_initial_speed_x", p["ball_initial_speed_x"] != 0, "a number other than 0"),
        (
            "ball_initial_speed_x",
            (first_x >= 0) & (first_x + p["ball_width"] <= p["width"]),
            "a serve (from a fifth of the width) that stays on the field for one frame",
        ),
    ]
    for name, holds, expected in rules:
        if not np.all(holds):
            raise InvalidParamsError(explain(name, got=p[name], expected=expected, remedy="change EnvParams"))
