"""Equations of motion and the integrator, in the reference's order of operations.

Source: `acrobot.py:AcrobotEnv._dsdt` (the book's equations) and `rk4` of Gymnasium 1.3.0.
"""

import jax.numpy as jnp

GRAVITY = 9.8  # m/s^2
LENGTH = 1.0  # m, of either link
CENTRE = 0.5  # m, of either link's centre of mass
MASS = 1.0  # kg, of either link
INERTIA = 1.0  # kg m^2, of either link
TIME_STEP = 0.2  # s


def derivatives(theta1, theta2, speed1, speed2, torque):
    """Rates of change of both angles and both speeds."""
    cos2, sin2 = jnp.cos(theta2), jnp.sin(theta2)
    d1 = MASS * CENTRE**2 + MASS * (LENGTH**2 + CENTRE**2 + 2 * LENGTH * CENTRE * cos2) + INERTIA + INERTIA
    d2 = MASS * (CENTRE**2 + LENGTH * CENTRE * cos2) + INERTIA
    phi2 = MASS * CENTRE * GRAVITY * jnp.cos(theta1 + theta2 - jnp.pi / 2)
    phi1 = (
        -MASS * LENGTH * CENTRE * speed2**2 * sin2
        - 2 * MASS * LENGTH * CENTRE * speed2 * speed1 * sin2
        + (MASS * CENTRE + MASS * LENGTH) * GRAVITY * jnp.cos(theta1 - jnp.pi / 2)
        + phi2
    )
    acceleration2 = (torque + d2 / d1 * phi1 - MASS * LENGTH * CENTRE * speed1**2 * sin2 - phi2) / (
        MASS * CENTRE**2 + INERTIA - d2**2 / d1
    )
    acceleration1 = -(d2 * acceleration2 + phi1) / d1
    return speed1, speed2, acceleration1, acceleration2


def rk4(theta1, theta2, speed1, speed2, torque):
    """State after one step of the classical Runge-Kutta method; the torque stays."""
    start = (theta1, theta2, speed1, speed2)
    half = TIME_STEP / 2.0

    def at(step, rates):
        return derivatives(*(value + step * rate for value, rate in zip(start, rates, strict=True)), torque)

    k1 = derivatives(*start, torque)
    k2 = at(half, k1)
    k3 = at(half, k2)
    k4 = at(TIME_STEP, k3)
    return tuple(
        value + TIME_STEP / 6.0 * (a + 2 * b + 2 * c + d)
        for value, a, b, c, d in zip(start, k1, k2, k3, k4, strict=True)
    )
