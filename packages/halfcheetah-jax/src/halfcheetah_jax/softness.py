"""How soft a constraint is: MuJoCo's ``solref`` and ``solimp``.

Python numbers stay Python numbers, and so become constants of the compiled program.

Sources: engine_core_constraint.c: getsolparam, getimpedance, mj_makeImpedance @ mujoco 4.0.0.
"""

from __future__ import annotations

import numbers
from typing import Any, Final, NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Float

Scalar = Float[Array, "..."]
Number = Any
"""A Python number or a scalar array."""

LEAST_IMPEDANCE: Final = 1e-4  # — mjMINIMP
MOST_IMPEDANCE: Final = 0.9999  # — mjMAXIMP


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
    """What MuJoCo makes of a constraint's parameters.

    Args:
        solref: time constant (s) and damping ratio, both > 0; MuJoCo takes two time steps for shorter constants.
        solimp: least and most impedance, width, midpoint and power.
        time_step: s.
    """
    least, most = (smaller(larger(d, LEAST_IMPEDANCE), MOST_IMPEDANCE) for d in solimp[:2])
    midpoint = smaller(larger(solimp[3], LEAST_IMPEDANCE), MOST_IMPEDANCE)
    constant = larger(solref[0], 2 * time_step)
    return Softness(
        2 / (most * constant),
        (1 / (most * constant * solref[1])) ** 2,
        least,
        most,
        solimp[2],
        midpoint,
        larger(solimp[4], 1.0),
    )


def impedance(depth: Scalar, soft: Softness) -> Scalar:
    """MuJoCo's ``d(r)``: a sigmoid of two powers from ``least`` at depth 0 to ``most`` at ``width``."""
    x = jnp.minimum(jnp.abs(depth) * (1 / soft.width), 1)
    rest = 1 - x
    if _are_numbers(soft.midpoint, soft.power) and (soft.midpoint, soft.power) == (0.5, 2):
        sigmoid = jnp.where(x < 0.5, 2 * x * x, 1 - 2 * rest * rest)
    else:
        middle, power = (jnp.asarray(value, x.dtype) for value in (soft.midpoint, soft.power))
        low = x < middle
        side = jnp.where(low, middle, 1 - middle)  # of the half that counts: a power costs more than all the rest
        part = side * jnp.power(_positive(jnp.where(low, x, rest)) / side, power)  # one of 0 has no derivative
        sigmoid = jnp.where(low, part, 1 - part)
    return soft.least + sigmoid * (soft.most - soft.least)


def _positive(value: Scalar) -> Scalar:
    return jnp.maximum(value, jnp.finfo(value.dtype).tiny)


def larger(a: Number, b: Number) -> Number:
    """The larger of two numbers or arrays."""
    return max(a, b) if _are_numbers(a, b) else jnp.maximum(a, b)


def smaller(a: Number, b: Number) -> Number:
    """The smaller of two numbers or arrays."""
    return min(a, b) if _are_numbers(a, b) else jnp.minimum(a, b)


def _are_numbers(*values: Any) -> bool:
    return all(isinstance(value, numbers.Real) for value in values)
