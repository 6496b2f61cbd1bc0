"""Forces that do not depend on the acceleration: centripetal and gravitational, springs and dampers, motors."""

from __future__ import annotations

import jax.numpy as jnp

from halfcheetah_jax import model
from halfcheetah_jax.inertia import Rigid, Wrench, add, shift_wrench
from halfcheetah_jax.kinematics import Position, Scalar, Velocity
from halfcheetah_jax.types import EnvParams


def bias_force(position: Position, velocity: Velocity, rigid: Rigid, params: EnvParams) -> tuple[Scalar, ...]:
    """Generalised force that keeps all joint accelerations at zero (MuJoCo's ``qfrc_bias``, N and N m).

    In the plane there are no gyroscopic terms: a point at ``r`` from a joint accelerates by ``-w^2 r`` relative to it.
    Gravity is an upward acceleration of the frame.
    """
    zero = jnp.zeros_like(position.height[0])
    acceleration = [(zero, zero + params.gravity)]
    spin = [w * w for w in velocity.angular]
    for body in model.HINGES:
        parent, (x, z) = model.PARENT[body], position.offset[body]
        a = acceleration[parent]
        acceleration.append((a[0] - spin[parent] * x, a[1] - spin[parent] * z))
    total = []
    for body in range(model.NUM_BODIES):
        mass, (first_x, first_z), (a_x, a_z) = rigid.mass[body], rigid.first[body], acceleration[body]
        total.append(
            Wrench(
                mass * a_x - spin[body] * first_x,
                mass * a_z - spin[body] * first_z,
                first_z * a_x - first_x * a_z,  # the centripetal part points along the lever
            )
        )
    for body in reversed(model.HINGES):
        parent = model.PARENT[body]
        total[parent] = add(total[parent], shift_wrench(total[body], position.offset[body]))
    return (*total[0], *(total[body].w for body in model.HINGES))


def passive_force(qpos: tuple[Scalar, ...], qvel: tuple[Scalar, ...], params: EnvParams) -> tuple[Scalar, ...]:
    """Springs and dampers of the six hinges (N m; MuJoCo's ``qfrc_passive`` without its three zeros)."""
    return tuple(
        -stiffness * angle - damping * rate
        for stiffness, damping, angle, rate in zip(model.STIFFNESS, params.damping, qpos[3:], qvel[3:], strict=True)
    )


def motor_force(control: tuple[Scalar, ...], params: EnvParams) -> tuple[Scalar, ...]:
    """Torques of the six motors (N m); controls beyond [-1, 1] act as the bound."""
    limit = model.CONTROL_LIMIT
    return tuple(gear * jnp.clip(u, -limit, limit) for gear, u in zip(params.gear, control, strict=True))
