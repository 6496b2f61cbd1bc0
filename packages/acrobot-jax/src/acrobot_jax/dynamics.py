"""Equations of motion, their integrator, and the range of an angle.

Source: ``gymnasium/envs/classic_control/acrobot.py:AcrobotEnv._dsdt``, ``rk4`` and ``wrap`` @ gymnasium 1.3.0, after
Sutton, *Generalization in reinforcement learning* (NIPS 8, 1996).
"""

from __future__ import annotations

import math
from typing import Final

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from acrobot_jax.types import EnvParams
from rlenv_shared.thresholds import round_down, round_up
from rlenv_shared.trig import sin_cos

Scalar = Float[Array, ""]
Motion = tuple[Scalar, Scalar, Scalar, Scalar]
"""Both angles (rad) and both speeds (rad/s), or their rates of change."""

TURN_HEAD: Final = 6.28125  # rad, the first bits of a turn: a few of them are exact, and so is what they leave
TURN_REST: Final = 2 * math.pi - TURN_HEAD  # rad
SPINS: Final = {"book": 1.0, "nips": 0.0}
"""Weight, by set of equations, of the term by which the upper link's speed swings the lower one: the paper lacks it."""


def derivatives(motion: Motion, torque: Scalar, params: EnvParams, equations: str) -> Motion:
    """Rates of change of a state under a ``torque`` (N m) on the joint between the links."""
    theta1, theta2, speed1, speed2 = motion
    p = params
    coupling = p.link_mass_2 * p.link_length_1 * p.link_centre_2  # kg m^2
    sin1, _ = sin_cos(theta1)
    sin2, cos2 = sin_cos(theta2)
    sin12, _ = sin_cos(theta1 + theta2)
    lower = p.link_mass_2 * jnp.square(p.link_centre_2) + p.link_inertia  # kg m^2, of the lower link about its joint
    upper = p.link_mass_1 * jnp.square(p.link_centre_1) + p.link_mass_2 * jnp.square(p.link_length_1) + p.link_inertia
    d1 = upper + lower + 2 * coupling * cos2
    d2 = lower + coupling * cos2
    # The reference writes cos(angle - pi / 2) where these are sines.
    phi2 = p.link_mass_2 * p.link_centre_2 * p.gravity * sin12
    weight = (p.link_mass_1 * p.link_centre_1 + p.link_mass_2 * p.link_length_1) * p.gravity * sin1
    phi1 = weight + phi2 - coupling * sin2 * speed2 * (speed2 + 2 * speed1)
    spin = SPINS[equations] * coupling * jnp.square(speed1) * sin2
    ratio = d2 / d1
    acceleration2 = (torque + ratio * phi1 - spin - phi2) / (lower - ratio * d2)
    acceleration1 = -ratio * acceleration2 - phi1 / d1
    return speed1, speed2, acceleration1, acceleration2


def rk4(motion: Motion, torque: Scalar, params: EnvParams, equations: str) -> Motion:
    """State after one time step of the classical Runge-Kutta method; the torque stays."""
    tau = params.time_step

    def rates_after(step: Scalar | float, rates: Motion) -> Motion:
        moved = [value + step * rate for value, rate in zip(motion, rates, strict=True)]
        return derivatives((moved[0], moved[1], moved[2], moved[3]), torque, params, equations)

    k1 = derivatives(motion, torque, params, equations)
    k2 = rates_after(tau / 2, k1)
    k3 = rates_after(tau / 2, k2)
    k4 = rates_after(tau, k3)
    theta1, theta2, speed1, speed2 = (
        value + tau / 6 * (a + 2 * b + 2 * c + d) for value, a, b, c, d in zip(motion, k1, k2, k3, k4, strict=True)
    )
    return theta1, theta2, speed1, speed2


def wrap(angle: Scalar) -> Scalar:
    """The same angle in [-pi, pi]; what lies there stays as it is, both ends included.

    The reference takes off one turn after another.  A fast lower link makes up to five in one step; here they are
    counted first, and a last turn, which the count may miss by rounding, is found as the reference finds it.
    """
    low, high = round_up(-math.pi, angle.dtype), round_down(math.pi, angle.dtype)
    turns = jnp.floor(angle * (1 / (2 * math.pi)) + 0.5)
    angle = jnp.where((angle > high) | (angle < low), _turned_back(angle, turns), angle)
    angle = jnp.where(angle > high, _turned_back(angle, 1.0), angle)
    return jnp.where(angle < low, _turned_back(angle, -1.0), angle)


def _turned_back(angle: Scalar, turns: Scalar | float) -> Scalar:
    """The angle less some turns, rounded once: a turn in float32 alone is 1.7e-7 too long, more than half an ulp."""
    return (angle - turns * TURN_HEAD) - turns * TURN_REST


def is_high(theta1: Scalar, theta2: Scalar, height: Scalar | float) -> Bool[Array, ""]:
    """Whether the free end is higher than ``height`` (m) above the pivot, for links of 1 m."""
    return -sin_cos(theta1)[1] - sin_cos(theta2 + theta1)[1] > height
