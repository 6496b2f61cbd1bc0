"""Equations of motion, in the reference's order of operations.

Source: ``gymnasium/envs/classic_control/cartpole.py:CartPoleEnv.step`` @ gymnasium 1.3.0, after Barto, Sutton and
Anderson (1983), https://perma.cc/C9ZM-652R.  In float64 the order of operations decides the last bits, so the
products and quotients below are grouped as they are there.
"""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float

from cartpole_jax.types import EnvParams, State
from rlenv_shared.trig import sin_cos

Scalar = Float[Array, ""]


def accelerations(state: State, force: Scalar, params: EnvParams) -> tuple[Scalar, Scalar]:
    """Acceleration of the cart (m/s^2) and of the pole (rad/s^2) under a horizontal ``force`` (N) on the cart."""
    # The reference divides by the total mass.  XLA turns that into this multiplication where the masses are constants;
    # doing it here makes traced masses as fast and gives them the same results.
    per_mass = 1.0 / (params.mass_pole + params.mass_cart)
    pole_moment = params.mass_pole * params.half_pole_length  # kg m
    sin, cos = sin_cos(state.theta)
    # What the cart's acceleration would be if the pole did not swing.
    push = (force + pole_moment * jnp.square(state.theta_dot) * sin) * per_mass
    inertia = params.half_pole_length * (4.0 / 3.0 - params.mass_pole * jnp.square(cos) * per_mass)
    theta_acc = (params.gravity * sin - cos * push) / inertia
    x_acc = push - pole_moment * theta_acc * cos * per_mass
    return x_acc, theta_acc


def euler(state: State, x_acc: Scalar, theta_acc: Scalar, params: EnvParams) -> State:
    """Explicit Euler: positions move with the *old* velocities (the reference's default)."""
    tau = params.time_step
    return state.replace(
        x=state.x + tau * state.x_dot,
        x_dot=state.x_dot + tau * x_acc,
        theta=state.theta + tau * state.theta_dot,
        theta_dot=state.theta_dot + tau * theta_acc,
    )


def semi_implicit_euler(state: State, x_acc: Scalar, theta_acc: Scalar, params: EnvParams) -> State:
    """Semi-implicit Euler: positions move with the *new* velocities."""
    tau = params.time_step
    x_dot, theta_dot = state.x_dot + tau * x_acc, state.theta_dot + tau * theta_acc
    return state.replace(x=state.x + tau * x_dot, x_dot=x_dot, theta=state.theta + tau * theta_dot, theta_dot=theta_dot)


INTEGRATORS = {"euler": euler, "semi-implicit euler": semi_implicit_euler}
