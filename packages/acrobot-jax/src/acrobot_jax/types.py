"""State and parameters: what a step reads and writes."""

from __future__ import annotations

import dataclasses
import math
import numbers
from typing import Final

from jaxtyping import Array, Float, Int, UInt32

from acrobot_jax import constants as c
from rlenv_shared.errors import InvalidParamsError, explain
from rlenv_shared.struct import Replaceable, pytree_dataclass

POSITIVE: Final = (
    "link_length_1",
    "link_mass_1",
    "link_mass_2",
    "link_centre_1",
    "link_centre_2",
    "link_inertia",
    "max_speed_1",
    "max_speed_2",
    "time_step",
)


@pytree_dataclass
class State(Replaceable):
    """One environment; floats have the dtype of the environment."""

    theta1: Float[Array, ""]  # rad, upper link from hanging down
    theta2: Float[Array, ""]  # rad, lower link from the direction of the upper one
    speed1: Float[Array, ""]  # rad/s
    speed2: Float[Array, ""]  # rad/s
    time: Int[Array, ""]  # int32, steps since the reset
    rng: tuple[UInt32[Array, ""], UInt32[Array, ""], UInt32[Array, ""]]  # generator: key0, key1, counter


@pytree_dataclass
class EnvParams(Replaceable):
    """Numbers that may be traced and differ per environment; the defaults are Acrobot-v1.

    Raises:
        InvalidParamsError: a Python number out of range (traced values cannot be checked).
    """

    gravity: float = c.GRAVITY  # m/s^2
    link_length_1: float = c.LINK_LENGTH_1  # m, > 0
    link_mass_1: float = c.LINK_MASS_1  # kg, > 0
    link_mass_2: float = c.LINK_MASS_2  # kg, > 0
    link_centre_1: float = c.LINK_CENTRE_1  # m, > 0
    link_centre_2: float = c.LINK_CENTRE_2  # m, > 0
    link_inertia: float = c.LINK_INERTIA  # kg m^2, > 0
    max_speed_1: float = c.MAX_SPEED_1  # rad/s, > 0
    max_speed_2: float = c.MAX_SPEED_2  # rad/s, > 0
    torque: float = c.TORQUE  # N m
    time_step: float = c.TIME_STEP  # s, > 0
    height: float = c.HEIGHT  # m above the pivot, for links of 1 m
    reset_low: float = -c.RESET_BOUND  # rad, rad/s
    reset_high: float = c.RESET_BOUND  # rad, rad/s; > reset_low
    max_steps_in_episode: int = c.MAX_STEPS  # steps, >= 1

    def __post_init__(self) -> None:
        """Reject impossible parameters while they are still Python numbers."""
        given = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        given = {name: value for name, value in given.items() if isinstance(value, numbers.Real)}
        for name, value in given.items():
            if not math.isfinite(value):
                _reject(name, value, "a finite number")
        for name in POSITIVE:
            if given.get(name, 1) <= 0:
                _reject(name, given[name], "a number > 0")
        if given.get("max_steps_in_episode", 1) < 1:
            _reject("max_steps_in_episode", given["max_steps_in_episode"], "an integer >= 1")
        if given.get("reset_low", -math.inf) >= given.get("reset_high", math.inf):
            _reject("reset_low", given["reset_low"], f"a number < reset_high = {given['reset_high']}")


def _reject(name: str, got: object, expected: str) -> None:
    default = EnvParams.__dataclass_fields__[name].default
    raise InvalidParamsError(explain(name, got=got, expected=expected, remedy=f"the default is {default}"))
