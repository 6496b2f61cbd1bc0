"""State and parameters: what a step reads and writes."""

from __future__ import annotations

import dataclasses
import math
import numbers

from jaxtyping import Array, Float, Int, UInt32

from cartpole_jax import constants as c
from rlenv_shared.errors import InvalidParamsError, explain
from rlenv_shared.struct import Replaceable, pytree_dataclass


@pytree_dataclass
class State(Replaceable):
    """One environment; floats have the dtype of the environment."""

    x: Float[Array, ""]  # m, cart position, right is positive
    x_dot: Float[Array, ""]  # m/s
    theta: Float[Array, ""]  # rad, pole angle from upright, clockwise (to the right) is positive
    theta_dot: Float[Array, ""]  # rad/s
    time: Int[Array, ""]  # int32, steps since the reset
    rng: tuple[UInt32[Array, ""], UInt32[Array, ""], UInt32[Array, ""]]  # generator: key0, key1, counter


@pytree_dataclass
class EnvParams(Replaceable):
    """Numbers that may be traced and differ per environment; the defaults are CartPole-v1.

    Thresholds given as Python numbers are compared as they are, also with the floats of a float32 environment; traced
    ones have been rounded to float32 by then.

    Raises:
        InvalidParamsError: a Python number out of range (traced values cannot be checked).
    """

    gravity: float = c.GRAVITY  # m/s^2
    mass_cart: float = c.MASS_CART  # kg, > 0
    mass_pole: float = c.MASS_POLE  # kg, > 0
    half_pole_length: float = c.HALF_POLE_LENGTH  # m, > 0
    force: float = c.FORCE  # N
    time_step: float = c.TIME_STEP  # s, > 0
    x_threshold: float = c.X_THRESHOLD  # m, > 0
    theta_threshold: float = c.THETA_THRESHOLD  # rad, > 0
    reset_low: float = -c.RESET_BOUND  # m, m/s, rad, rad/s
    reset_high: float = c.RESET_BOUND  # m, m/s, rad, rad/s; > reset_low
    max_steps_in_episode: int = c.MAX_STEPS  # steps, >= 1

    def __post_init__(self) -> None:
        """Reject impossible parameters while they are still Python numbers."""
        given = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        given = {name: value for name, value in given.items() if isinstance(value, numbers.Real)}
        for name, value in given.items():
            if not math.isfinite(value):
                _reject(name, value, "a finite number")
        for name in ("mass_cart", "mass_pole", "half_pole_length", "time_step", "x_threshold", "theta_threshold"):
            if given.get(name, 1) <= 0:
                _reject(name, given[name], "a number > 0")
        if given.get("max_steps_in_episode", 1) < 1:
            _reject("max_steps_in_episode", given["max_steps_in_episode"], "an integer >= 1")
        if given.get("reset_low", -math.inf) >= given.get("reset_high", math.inf):
            _reject("reset_low", given["reset_low"], f"a number < reset_high = {given['reset_high']}")


def _reject(name: str, got: object, expected: str) -> None:
    default = EnvParams.__dataclass_fields__[name].default
    raise InvalidParamsError(explain(name, got=got, expected=expected, remedy=f"the default is {default}"))
