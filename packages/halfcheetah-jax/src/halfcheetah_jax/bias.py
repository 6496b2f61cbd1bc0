"""Forces that do not depend on the acceleration: centripetal and gravitational, springs and dampers, motors."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from halfcheetah_jax import model
from halfcheetah_jax.alike import Evaluate, one_by_one
from halfcheetah_jax.inertia import Rigid, Wrench, add, shift_wrench
from halfcheetah_jax.kinematics import Position, Scalar, Vector, Velocity
from halfcheetah_jax.phases import phase
from halfcheetah_jax.types import EnvParams, may_be_nonzero


def bias_force(
    position: Position, velocity: Velocity, rigid: Rigid, params: EnvParams, evaluate: Evaluate = one_by_one
) -> tuple[Scalar, ...]:
    """Generalised force that keeps all joint accelerations at zero (MuJoCo's ``qfrc_bias``, N and N m).

    In the plane there are no gyroscopic terms: a point at ``r`` from a joint accelerates by ``-w^2 r`` relative to it.
    Gravity is an upward acceleration of the frame.
    """
    acceleration = _centripetal(position, velocity, params)
    total = list(evaluate(inertial, list(zip(rigid.mass, rigid.first, acceleration, velocity.angular, strict=True))))
    if is_pushed(params):
        for body, push in enumerate(zip(params.push_x, params.push_z, params.push_torque, strict=True)):
            total[body] = add(total[body], pushed_back(rigid, body, push))
    for body in reversed(model.HINGES):
        parent = model.PARENT[body]
        total[parent] = add(total[parent], shift_wrench(total[body], position.offset[body]))
    return (*total[0], *(total[body].w for body in model.HINGES))


@phase
def _centripetal(position: Position, velocity: Velocity, params: EnvParams) -> list[Vector]:
    """Accelerations of the bodies' joints (m/s^2) when no joint accelerates."""
    zero = jnp.zeros_like(position.height[0])
    acceleration = [(zero, zero + params.gravity)]
    for body in model.HINGES:
        parent, (x, z) = model.PARENT[body], position.offset[body]
        a, spin = acceleration[parent], velocity.angular[parent] * velocity.angular[parent]
        acceleration.append((a[0] - spin * x, a[1] - spin * z))
    return acceleration


def is_pushed(params: EnvParams) -> bool:
    """Whether anything may push the bodies from outside."""
    return may_be_nonzero((*params.push_x, *params.push_z, *params.push_torque))


@phase
def pushed_back(rigid: Rigid, body: int, push: tuple[Any, Any, Any]) -> Wrench:
    """Negated external force at a body's centre of mass, and torque, at its joint (MuJoCo's ``xfrc_applied``)."""
    (f_x, f_z, torque), (first_x, first_z) = push, rigid.first[body]
    moment = (first_z * f_x - first_x * f_z) * (1 / rigid.mass[body]) + torque
    zero = jnp.zeros_like(first_x)
    return Wrench(zero - f_x, zero - f_z, -moment)


@phase
def inertial(mass: Any, first: Vector, acceleration: Vector, rate: Scalar) -> Wrench:
    """What keeps a body on its course, of its mass and first moment."""
    (first_x, first_z), (a_x, a_z) = first, acceleration
    spin = rate * rate
    return Wrench(
        mass * a_x - spin * first_x,
        mass * a_z - spin * first_z,
        first_z * a_x - first_x * a_z,  # the centripetal part points along the lever
    )


def passive_force(qpos: tuple[Scalar, ...], qvel: tuple[Scalar, ...], params: EnvParams) -> tuple[Scalar, ...]:
    """Springs and dampers of the six hinges (N m; MuJoCo's ``qfrc_passive`` without its three zeros)."""
    return tuple(
        -stiffness * angle - damping * rate
        for stiffness, damping, angle, rate in zip(params.stiffness, params.damping, qpos[3:], qvel[3:], strict=True)
    )


def motor_force(control: tuple[Scalar, ...], params: EnvParams) -> tuple[Scalar, ...]:
    """Torques of the six motors (N m); controls beyond [-1, 1] act as the bound."""
    limit = model.CONTROL_LIMIT
    return tuple(gear * jnp.clip(u, -limit, limit) for gear, u in zip(params.gear, control, strict=True))
