"""Inverse weights of a changed model: what scales the softness of its contacts and limits.

Source: engine_setconst.c: set0 (``mj_setConst``) @ mujoco 4.0.0, which takes them at the rest position.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from halfcheetah_jax import model
from halfcheetah_jax.inertia import Wrench, rigid_bodies, rigid_inertias, solve
from halfcheetah_jax.kinematics import Scalar, carried, locate
from halfcheetah_jax.types import EnvParams


def inverse_weights(params: EnvParams, dtype: Any) -> tuple[tuple[Scalar, ...], tuple[Scalar, ...]]:
    """Translational inverse inertias of the bodies (1/kg), and inverse inertias of the hinges (1/(kg m^2)).

    That of a body is the mean over three axes of how a unit force at its centre of mass accelerates that centre; along
    y nothing moves.
    """
    zero = jnp.zeros((), dtype)
    position = locate((zero,) * model.NUM_DOF)
    rigid = rigid_bodies(position, params)
    bodies = rigid_inertias(rigid)
    still = (zero,) * model.NUM_DOF

    def centre_moves(body: int, force: tuple[float, float]) -> Scalar:
        x, z = (first * (1 / rigid.mass[body]) for first in rigid.first[body])
        wrench = [Wrench(zero, zero, zero)] * model.NUM_BODIES
        wrench[body] = Wrench(zero - force[0], zero - force[1], x * force[1] - z * force[0])
        _, velocity = solve(bodies, params.armature, still, wrench, position)
        a_x, a_z = carried(velocity.linear[body], velocity.angular[body], (x, z))
        return a_x * force[0] + a_z * force[1]

    def hinge_moves(hinge: int) -> Scalar:
        force = tuple(zero + float(dof == 3 + hinge) for dof in range(model.NUM_DOF))
        return solve(bodies, params.armature, force, None, position)[0][3 + hinge]

    of_bodies = (centre_moves(body, (1.0, 0.0)) + centre_moves(body, (0.0, 1.0)) for body in range(model.NUM_BODIES))
    return tuple(total / 3 for total in of_bodies), tuple(map(hinge_moves, range(model.NUM_HINGES)))
