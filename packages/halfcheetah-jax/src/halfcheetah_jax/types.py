"""State and parameters: what a step reads and writes."""

from __future__ import annotations

import dataclasses
import functools
import math
import numbers
from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, UInt32

from halfcheetah_jax import model
from halfcheetah_jax.softness import has_sigmoid
from rlenv_shared.errors import InvalidParamsError, explain
from rlenv_shared.struct import Replaceable, pytree_dataclass

NO_LIMIT = 2**31 - 1  # steps
MAX_STEPS = 1000  # steps — gymnasium/envs/__init__.py: HalfCheetah-v5 @ gymnasium 1.3.0

LEAST_INVERSE_WEIGHT = 1e-10  # below, MuJoCo bounds the stiffness of a constraint (mjMINVAL)

Rule = tuple[Callable[[Any], Any], str]
"""What a finite number or array must be, and how to say it."""
RULES: Final[dict[str, Rule]] = {
    **dict.fromkeys(
        ("mass", "inertia", "radius", "half_length", "time_step", "friction"), (lambda v: v > 0, "a number > 0")
    ),
    **dict.fromkeys(("damping", "armature", "floor_friction", "frictionloss"), (lambda v: v >= 0, "a number >= 0")),
    **dict.fromkeys(
        ("inverse_weight", "hinge_inverse_weight"),
        (lambda v: v >= LEAST_INVERSE_WEIGHT, f"a number >= {LEAST_INVERSE_WEIGHT}"),
    ),
    "max_steps_in_episode": (lambda v: (v >= 1) & (v % 1 == 0), "an integer >= 1"),
}
ANY: Final[Rule] = (lambda v: v == v, "a finite number")

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
    ``solimp`` have no range, as MuJoCo clips or replaces what it does not take, but a power whose sigmoid MuJoCo's
    numbers still hold (`softness.has_sigmoid`).  Out of its range a Python or NumPy number is refused; with a traced
    one a step means nothing.  `out_of_range` tells of arrays, so that a randomiser can be checked where it draws; in
    every step that would be a hundred small kernels on a GPU.

    Raises:
        InvalidParamsError: a Python or NumPy number out of range, what is no number, or a tuple of wrong length.
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
            if isinstance(default, tuple):
                lengths = (len(default),) if default else (0, model.NUM_HINGES)
                wanted = f"{' or '.join(map(str, lengths))} numbers"
                if isinstance(value, list) and len(value) not in lengths:
                    _reject(field.name, f"{len(value)} numbers", wanted)
                if isinstance(value, numbers.Real):
                    _reject(field.name, value, wanted)
            elif isinstance(value, list):
                _reject(field.name, f"{len(value)} numbers", "one number")
            for number in value if isinstance(value, list) else (value,):
                _check(field.name, number)
        for low, high in _pairs(self):
            if isinstance(low, numbers.Real) and isinstance(high, numbers.Real) and low > high:
                _reject("range_low", low, f"a number <= range_high, {high}")
        for name in ("contact_solimp", "limit_solimp"):
            solimp = _numbers(getattr(self, name))
            are_numbers = isinstance(solimp, list) and all(isinstance(number, numbers.Real) for number in solimp)
            if are_numbers and not has_sigmoid(solimp):
                _reject(name, f"power {solimp[4]}", "midpoint ** (power - 1), and that of its complement, >= 2**-1022")


def out_of_range(params: EnvParams) -> Any:
    """Whether an array among the parameters is out of its range: False where there is none, else a bool array.

    Raises:
        InvalidParamsError: a Python number is.
    """
    params.__post_init__()  # JAX makes trees without it
    good: list[Any] = [low <= high for low, high in _pairs(params)]
    good += [has_sigmoid(params.contact_solimp), has_sigmoid(params.limit_solimp)]
    for field in dataclasses.fields(params):
        is_right, _ = RULES.get(field.name, ANY)
        leaves = [leaf for leaf in jax.tree.leaves(getattr(params, field.name)) if isinstance(leaf, jax.Array)]
        good += [_is_finite(leaf) & is_right(leaf) for leaf in leaves]
    good = [one for one in good if isinstance(one, jax.Array)]
    return ~functools.reduce(jnp.logical_and, good) if good else False


def _pairs(params: EnvParams) -> list[tuple[Any, Any]]:
    """The ranges of the hinges, where they are listed."""
    bounds = _numbers(params.range_low), _numbers(params.range_high)
    return list(zip(*bounds, strict=True)) if all(isinstance(bound, list) for bound in bounds) else []


def may_be_nonzero(values: tuple[Any, ...]) -> bool:
    """Whether one of some numbers is not 0, or an array: then a step computes what depends on them."""
    return any(not isinstance(value, float | int) or value != 0 for value in values)


def _numbers(value: Any) -> Any:
    """A tuple, list or array of NumPy as a list, one without axes as a number; anything else as it is."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return value[()]
    return list(value) if isinstance(value, tuple | list | np.ndarray) else value


def _check(name: str, value: Any) -> None:
    if value is None or (hasattr(value, "dtype") and not isinstance(value, np.number)):
        return  # an axis of `jax.vmap`; an array
    is_right, expected = RULES.get(name, ANY)
    if not isinstance(value, numbers.Real):
        _reject(name, repr(value), expected)
    if not _is_finite(value):
        _reject(name, value, "a finite number")
    if not is_right(value):
        _reject(name, value, expected)


def _is_finite(value: Any) -> Any:
    return (value > -math.inf) & (value < math.inf)


def _reject(name: str, got: object, expected: str) -> None:
    default = EnvParams.__dataclass_fields__[name].default
    raise InvalidParamsError(explain(name, got=got, expected=expected, remedy=f"the default is {default}"))
