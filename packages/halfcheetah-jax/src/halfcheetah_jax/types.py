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

POSITIVE = (
    "mass", "inertia", "radius", "half_length", "time_step", "friction", "contact_solref", "limit_solref",
    "inverse_weight", "hinge_inverse_weight",
)  # fmt: skip

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
    contacts and limits stay those of the default model, unless the environment is told to compute them
    (``inverse_weights="recomputed"``).  Python numbers become constants of the compiled program: those that are left
    alone cost nothing.

    Raises:
        InvalidParamsError: a Python number out of range, or a tuple of wrong length (traced values cannot be checked).
    """

    mass: tuple[Any, ...] = model.MASS  # kg, of the bodies in `model.BODIES`, > 0
    inertia: tuple[Any, ...] = model.INERTIA  # kg m^2, of the bodies about their centres, > 0
    damping: tuple[Any, ...] = model.DAMPING  # N m s/rad, of the hinges, >= 0
    gear: tuple[Any, ...] = model.GEAR  # N m per unit of control
    stiffness: tuple[Any, ...] = model.STIFFNESS  # N m/rad, of the hinges' springs
    armature: tuple[Any, ...] = model.ARMATURE  # kg m^2, of the hinges, >= 0
    range_low: tuple[Any, ...] = tuple(low for low, _ in model.RANGE)  # rad, of the hinges
    range_high: tuple[Any, ...] = tuple(high for _, high in model.RANGE)  # rad, of the hinges
    radius: tuple[Any, ...] = model.RADIUS  # m, of the capsules in `model.GEOMS`, > 0
    half_length: tuple[Any, ...] = model.GEOM_HALF_LENGTH  # m, of the capsules without their caps, > 0
    push_x: tuple[Any, ...] = (0.0,) * model.NUM_BODIES  # N, on the bodies' centres of mass, forward
    push_z: tuple[Any, ...] = (0.0,) * model.NUM_BODIES  # N, upwards
    push_torque: tuple[Any, ...] = (0.0,) * model.NUM_BODIES  # N m, nose down is positive
    gravity: Any = model.GRAVITY  # m/s^2, downwards
    time_step: Any = model.TIME_STEP  # s, of a substep, > 0
    friction: Any = model.FRICTION  # sliding coefficient of the capsules, > 0
    floor_friction: Any = 0.0  # of the floor, >= 0; the larger of the two counts (at least 1e-5)
    contact_solref: tuple[Any, Any] = model.SOLREF  # time constant (s), damping ratio, > 0
    contact_solimp: tuple[Any, ...] = model.CONTACT_SOLIMP  # impedance at depth 0 and width, width (m), midpoint, power
    limit_solref: tuple[Any, Any] = model.SOLREF
    limit_solimp: tuple[Any, ...] = model.LIMIT_SOLIMP  # width in rad
    inverse_weight: tuple[Any, ...] = model.INV_WEIGHT  # 1/kg, of the bodies: softness of their contacts, > 0
    hinge_inverse_weight: tuple[Any, ...] = model.HINGE_INV_WEIGHT  # 1/(kg m^2), softness of the limits, > 0
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
    if name in POSITIVE and value <= 0:
        _reject(name, value, "a number > 0")
    if name in ("damping", "armature", "floor_friction") and value < 0:
        _reject(name, value, "a number >= 0")
    if name == "max_steps_in_episode" and value < 1:
        _reject(name, value, "an integer >= 1")


def _reject(name: str, got: object, expected: str) -> None:
    default = EnvParams.__dataclass_fields__[name].default
    raise InvalidParamsError(explain(name, got=got, expected=expected, remedy=f"the default is {default}"))
