"""How soft a constraint is: MuJoCo's ``solref`` and ``solimp``.

Python numbers stay Python numbers, and so become constants of the compiled program.

Sources: engine_core_constraint.c: getsolparam, getimpedance, mj_makeImpedance @ mujoco 4.0.0.
"""

from __future__ import annotations

import math
import numbers
from typing import Any, Final, NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from halfcheetah_jax import model

Scalar = Float[Array, "..."]
Number = Any
"""A Python number or a scalar array."""

LEAST_IMPEDANCE: Final = 1e-4  # — mjMINIMP
MOST_IMPEDANCE: Final = 0.9999  # — mjMAXIMP
LEAST_VALUE: Final = 1e-15  # of what MuJoCo divides by — mjMINVAL
LEAST_EXPONENT: Final = -1022  # of a float64 that is rounded like others


class Softness(NamedTuple):
    """A spring and damper that pull a violated constraint back, and the sigmoid of its impedance."""

    damping: Number  # 1/s — "b" of the MuJoCo manual's solref formulas
    stiffness: Number  # 1/s^2 — "k" there
    least: Number  # impedance at depth 0
    most: Number  # impedance at the width and beyond
    width: Number  # m or rad
    midpoint: Number
    power: Number


def softness(solref: tuple[Number, Number], solimp: tuple[Number, ...], time_step: Number) -> Softness:
    """What MuJoCo makes of a constraint's parameters, whatever they are.

    Args:
        solref: time constant (s) and damping ratio, both > 0, of which MuJoCo takes two time steps for shorter
            constants; or negated stiffness (1/s^2) and damping (1/s), both <= 0.  Of mixed signs: the default.
        solimp: least and most impedance, width, midpoint and power, each clipped to its range.
        time_step: s.
    """
    least, most = (smaller(larger(d, LEAST_IMPEDANCE), MOST_IMPEDANCE) for d in solimp[:2])
    midpoint = smaller(larger(solimp[3], LEAST_IMPEDANCE), MOST_IMPEDANCE)
    standard = [ref > 0 for ref in solref]
    is_mixed = standard[0] != standard[1]
    constant, ratio = (pick(is_mixed, default, ref) for default, ref in zip(model.SOLREF, solref, strict=True))
    is_direct = constant <= 0
    constant = larger(constant, 2 * time_step)
    return Softness(
        pick(is_direct, -solref[1] / most, 2 / larger(most * constant, LEAST_VALUE)),
        pick(is_direct, -solref[0] / (most * most), (1 / larger(most * constant * ratio, LEAST_VALUE**0.5)) ** 2),
        least,
        most,
        solimp[2],
        midpoint,
        larger(solimp[4], 1.0),
    )


def impedance(depth: Scalar, soft: Softness) -> Scalar:
    """MuJoCo's ``d(r)``: a sigmoid of two powers from ``least`` at depth 0 to ``most`` at ``width``.

    Without a width it is the mean of both everywhere.
    """
    has_width = soft.width > LEAST_VALUE
    mean = 0.5 * (soft.least + soft.most)
    if isinstance(has_width, bool | np.bool_) and not has_width:
        return jnp.zeros_like(depth) + mean
    x = jnp.minimum(jnp.abs(depth) * (1 / larger(soft.width, LEAST_VALUE)), 1)
    rest = 1 - x
    if _are_numbers(soft.midpoint, soft.power) and (soft.midpoint, soft.power) == (0.5, 2):
        sigmoid = jnp.where(x < 0.5, 2 * x * x, 1 - 2 * rest * rest)
    else:
        middle, power = (jnp.asarray(value, x.dtype) for value in (soft.midpoint, soft.power))
        low = x < middle
        side = jnp.where(low, middle, 1 - middle)  # of the half that counts: a power costs more than all the rest
        part = side * jnp.power(_positive(jnp.where(low, x, rest)) / side, power)  # one of 0 has no derivative
        sigmoid = jnp.where(low, part, 1 - part)
    return pick(has_width, soft.least + sigmoid * (soft.most - soft.least), mean)


def has_sigmoid(solimp: tuple[Number, ...]) -> Any:
    """Whether MuJoCo can divide by what it divides by for a power other than 1 and 2; beyond, it finds no number."""
    midpoint = smaller(larger(solimp[3], LEAST_IMPEDANCE), MOST_IMPEDANCE)
    side = smaller(midpoint, 1 - midpoint)
    log2 = math.log2 if _are_numbers(side) else jnp.log2
    return (larger(solimp[4], 1.0) - 1) * log2(side) >= LEAST_EXPONENT


def _positive(value: Scalar) -> Scalar:
    return jnp.maximum(value, jnp.finfo(value.dtype).tiny)


def larger(a: Number, b: Number) -> Number:
    """The larger of two numbers or arrays."""
    return max(a, b) if _are_numbers(a, b) else jnp.maximum(a, b)


def smaller(a: Number, b: Number) -> Number:
    """The smaller of two numbers or arrays."""
    return min(a, b) if _are_numbers(a, b) else jnp.minimum(a, b)


def pick(condition: Any, if_true: Any, if_false: Any) -> Any:
    """One of two by a bool of Python, NumPy or JAX."""
    if isinstance(condition, bool | np.bool_):
        return if_true if condition else if_false
    return jnp.where(condition, if_true, if_false)


def _are_numbers(*values: Any) -> bool:
    return all(isinstance(value, numbers.Real) for value in values)
