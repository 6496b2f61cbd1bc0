"""State and parameters: what a step reads and writes."""

from __future__ import annotations

import dataclasses
import math
import numbers
from typing import Any

from jaxtyping import Array, Float, Int, UInt32

from halfcheetah_jax import model
from rlenv_shared.errors import InvalidParamsError, explain
from rlenv_shared.struct import Replaceable, pytree_dataclass

NO_LIMIT = 2**31 - 1  # steps
MAX_STEPS = 1000  # steps — gymnasium/envs/__init__.py: HalfCheetah-v5 @ gymnasium 1.3.0

Nine = tuple[Float[Array, "..."], ...]
"""One scalar per degree of freedom: x, z, pitch, then the hinges of bthigh, bshin, bfoot, fthigh, fshin, ffoot."""


@pytree_dataclass
class State(Replaceable):
    """One environment; floats have the dtype of the environment."""

    qpos: Nine  # m, m, rad, 6 x rad
    qvel: Nine  # m/s, m/s, rad/s, 6 x rad/s
    qacc_warmstart: Nine  # m/s^2, m/s^2, rad/s^2, 6 x rad/s^2; the last substep's, where the solver starts
    time: Int[Array, ""]  # int32, steps since the reset
    rng: tuple[UInt32[Array, ""], UInt32[Array, ""], UInt32[Array, ""]]  # generator: key0, key1, counter


@pytree_dataclass
class EnvParams(Replaceable):
    """Numbers that may be traced and differ per environment; the defaults are HalfCheetah-v5.

    As in MuJoCo when the fields of a compiled model are changed, the inverse weights that scale the softness of
    contacts and limits stay those of the default model.

    Raises:
        InvalidParamsError: a Python number out of range, or a tuple of wrong length (traced values cannot be checked).
    """

    mass: tuple[Any, ...] = model.MASS  # kg, of the bodies in `model.BODIES`, > 0
    inertia: tuple[Any, ...] = model.INERTIA  # kg m^2, of the bodies about their centres, > 0
    damping: tuple[Any, ...] = model.DAMPING  # N m s/rad, of the hinges, >= 0
    gear: tuple[Any, ...] = model.GEAR  # N m per unit of control
    gravity: Any = model.GRAVITY  # m/s^2, downwards
    friction: Any = model.FRICTION  # sliding coefficient, > 0
    max_steps_in_episode: Any = MAX_STEPS  # steps, >= 1

    def __post_init__(self) -> None:
        """Reject impossible parameters while they are still Python numbers."""
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            default = field.default
            if isinstance(default, tuple) and isinstance(value, tuple | list) and len(value) != len(default):
                _reject(field.name, f"{len(value)} numbers", f"{len(default)} numbers")
            for number in value if isinstance(value, tuple | list) else (value,):
                if isinstance(number, numbers.Real):
                    _check(field.name, number)


def _check(name: str, value: Any) -> None:
    if not math.isfinite(value):
        _reject(name, value, "a finite number")
    if name in ("mass", "inertia", "friction") and value <= 0:
        _reject(name, value, "a number > 0")
    if name == "damping" and value < 0:
        _reject(name, value, "a number >= 0")
    if name == "max_steps_in_episode" and value < 1:
        _reject(name, value, "an integer >= 1")


def _reject(name: str, got: object, expected: str) -> None:
    default = EnvParams.__dataclass_fields__[name].default
    raise InvalidParamsError(explain(name, got=got, expected=expected, remedy=f"the default is {default}"))
