"""State and parameters: what a step reads and writes."""

from __future__ import annotations

import dataclasses
import math
import numbers
from typing import Any

import numpy as np
from jaxtyping import Array, Float, Int, UInt32

from halfcheetah_jax import model
from rlenv_shared.errors import InvalidParamsError, explain
from rlenv_shared.struct import Replaceable, pytree_dataclass

NO_LIMIT = 2**31 - 1  # steps
MAX_STEPS = 1000  # steps — gymnasium/envs/__init__.py: HalfCheetah-v5 @ gymnasium 1.3.0

POSITIVE = ("mass", "inertia", "radius", "half_length", "time_step", "friction")
NOT_NEGATIVE = ("damping", "armature", "floor_friction", "frictionloss")
LEAST_INVERSE_WEIGHT = 1e-10  # below, MuJoCo bounds the stiffness of a constraint (mjMINVAL)

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

    Every value in the range that is named beside a field means what it means to MuJoCo; those of ``solref`` and
    ``solimp`` have no range, as MuJoCo clips or replaces what it does not take, also where they are traced.  Traced
    values of the other fields cannot be checked: out of its range a step means nothing.

    Raises:
        InvalidParamsError: a Python or NumPy number out of range, or a tuple of wrong length.
    """

    mass: tuple[Any, ...] = model.MASS  # kg, of the bodies in `model.BODIES`, > 0
    inertia: tuple[Any, ...] = model.INERTIA  # kg m^2, of the bodies about their centres, > 0
    centre_x: tuple[Any, ...] = tuple(x for x, _ in model.CENTRE)  # m, centres of mass in the bodies' frames
    centre_z: tuple[Any, ...] = tuple(z for _, z in model.CENTRE)  # m
    damping: tuple[Any, ...] = model.DAMPING  # N m s/rad, of the hinges, >= 0
    gear: tuple[Any, ...] = model.GEAR  # N m per unit of control
    stiffness: tuple[Any, ...] = model.STIFFNESS  # N m/rad, of the hinges' springs
    armature: tuple[Any, ...] = model.ARMATURE  # kg m^2, of the hinges, >= 0
    frictionloss: tuple[Any, ...] = ()  # N m, dry friction of the six hinges, >= 0; empty: none, which costs nothing
    qpos0: tuple[Any, ...] = (
        0.0,
    ) * model.NUM_DOF  # m, m, 7 x rad: coordinates at which the cheetah is as the XML says
    range_low: tuple[Any, ...] = tuple(low for low, _ in model.RANGE)  # rad, of the hinges, <= range_high
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
    contact_solref: tuple[Any, Any] = model.SOLREF  # time constant (s), damping ratio; or negated stiffness, damping
    contact_solimp: tuple[Any, ...] = model.CONTACT_SOLIMP  # impedance at depth 0 and width, width (m), midpoint, power
    limit_solref: tuple[Any, Any] = model.SOLREF
    limit_solimp: tuple[Any, ...] = model.LIMIT_SOLIMP  # width in rad
    inverse_weight: tuple[Any, ...] = model.INV_WEIGHT  # 1/kg, of the bodies: softness of their contacts, >= 1e-10
    hinge_inverse_weight: tuple[Any, ...] = model.HINGE_INV_WEIGHT  # 1/(kg m^2), softness of the limits, >= 1e-10
    max_steps_in_episode: Any = MAX_STEPS  # steps, >= 1

    def __post_init__(self) -> None:
        """Reject impossible parameters while they are still Python numbers."""
        for field in dataclasses.fields(self):
            default, value = field.default, _numbers(getattr(self, field.name))
            lengths = (0, model.NUM_HINGES) if default == () else (len(default),) if isinstance(default, tuple) else ()
            if lengths and isinstance(value, list) and len(value) not in lengths:
                _reject(field.name, f"{len(value)} numbers", f"{' or '.join(map(str, lengths))} numbers")
            for number in value if isinstance(value, list) else (value,):
                if isinstance(number, numbers.Real):
                    _check(field.name, number)
        bounds = _numbers(self.range_low), _numbers(self.range_high)
        for low, high in zip(*bounds, strict=True) if all(isinstance(bound, list) for bound in bounds) else ():
            if isinstance(low, numbers.Real) and isinstance(high, numbers.Real) and low > high:
                _reject("range_low", low, f"a number <= range_high, {high}")


def may_be_nonzero(values: tuple[Any, ...]) -> bool:
    """Whether one of some numbers is not 0, or an array: then a step computes what depends on them."""
    return any(not isinstance(value, float | int) or value != 0 for value in values)


def _numbers(value: Any) -> Any:
    """A tuple, list or array of NumPy as a list; anything else as it is."""
    is_list = isinstance(value, tuple | list) or (isinstance(value, np.ndarray) and value.ndim > 0)
    return list(value) if is_list else value


def _check(name: str, value: Any) -> None:
    if not math.isfinite(value):
        _reject(name, value, "a finite number")
    if name in POSITIVE and value <= 0:
        _reject(name, value, "a number > 0")
    if name in NOT_NEGATIVE and value < 0:
        _reject(name, value, "a number >= 0")
    if name in ("inverse_weight", "hinge_inverse_weight") and value < LEAST_INVERSE_WEIGHT:
        _reject(name, value, f"a number >= {LEAST_INVERSE_WEIGHT}")
    if name == "max_steps_in_episode" and value < 1:
        _reject(name, value, "an integer >= 1")


def _reject(name: str, got: object, expected: str) -> None:
    default = EnvParams.__dataclass_fields__[name].default
    raise InvalidParamsError(explain(name, got=got, expected=expected, remedy=f"the default is {default}"))
