"""Soft constraints: six joint limits and sixteen capsule ends that may touch the floor.

MuJoCo turns each into rows ``J qacc - aref``, of which those that are negative act like springs of stiffness D.  In
the plane the four edges of a contact's friction pyramid are three distinct rows:

- normal: the two edges along y have no Jacobian of their own, so both equal the normal row and it weighs 2 D;
- plus and minus: the normal row plus or minus friction times the tangential (x) row, weight D.

Sources: engine_core_constraint.c: mj_instantiateContact, mj_instantiateLimit, mj_diagApprox, mj_makeImpedance,
mj_referenceConstraint; engine_collision_primitive.c: mjc_PlaneCapsule @ mujoco 4.0.0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp

from halfcheetah_jax import model
from halfcheetah_jax.inertia import Sym3, Wrench, add
from halfcheetah_jax.kinematics import Position, Scalar, Vector, Velocity, carried, rotate
from halfcheetah_jax.types import EnvParams

FAR = 1e30  # m/s^2: offset of a row that no acceleration can make active


class Contact(NamedTuple):
    """One capsule end and the floor."""

    point: Vector  # m, contact point from the body's joint, world axes
    stiffness: Scalar  # D, kg, of each edge of the pyramid
    normal: Scalar  # m/s^2, -aref of the normal row; FAR where there is no contact
    tangent: Scalar  # m/s^2, -aref of the tangential row, before friction scales it


class Limit(NamedTuple):
    """The violated bound, if any, of one hinge."""

    sign: Scalar  # +1 at the lower bound, -1 at the upper: the row is sign * qacc
    stiffness: Scalar  # D, kg m^2
    offset: Scalar  # rad/s^2, -aref; FAR where no bound is violated


class Constraints(NamedTuple):
    """All candidates of one substep."""

    contacts: tuple[Contact, ...]  # in the order of `model.CAPSULE_ENDS`
    limits: tuple[Limit, ...]  # in the order of the hinges
    friction: Any  # sliding coefficient


class ActiveSet(NamedTuple):
    """Which rows are negative (bool)."""

    normal: tuple[Scalar, ...]
    plus: tuple[Scalar, ...]
    minus: tuple[Scalar, ...]
    limit: tuple[Scalar, ...]


def impedance(depth: Scalar, width: float) -> Scalar:
    """MuJoCo's ``d(r)``: a sigmoid of two parabolas from IMPEDANCE_MIN at depth 0 to IMPEDANCE_MAX at ``width``."""
    x = jnp.minimum(jnp.abs(depth) * (1 / width), 1)
    rest = 1 - x
    sigmoid = jnp.where(x < 0.5, 2 * x * x, 1 - 2 * rest * rest)
    return model.IMPEDANCE_MIN + sigmoid * (model.IMPEDANCE_MAX - model.IMPEDANCE_MIN)


def find(
    qpos: tuple[Scalar, ...], qvel: tuple[Scalar, ...], position: Position, velocity: Velocity, params: EnvParams
) -> Constraints:
    """Evaluate every candidate at one state."""
    friction = params.friction
    contacts = []
    for body, end in model.CAPSULE_ENDS:
        x, z = rotate(position, body, end)
        distance = position.height[body] + z - model.RADIUS
        d = impedance(distance, model.CONTACT_WIDTH)
        # R of an edge: 2 mu^2 (1 - d)/d (1 + mu^2) / (effective mass).
        scale = 1 / (2 * friction * friction * (1 + friction * friction) * model.INV_WEIGHT[body])
        point = (x, z - model.RADIUS - 0.5 * distance)  # halfway between the floor and the lowest point
        v_x, v_z = carried(velocity.linear[body], velocity.angular[body], point)
        normal = model.REFERENCE_DAMPING * v_z + model.REFERENCE_STIFFNESS * d * distance
        contacts.append(
            Contact(
                point=point,
                stiffness=scale * d / (1 - d),
                normal=jnp.where(distance < 0, normal, FAR),
                tangent=model.REFERENCE_DAMPING * v_x,
            )
        )
    limits = []
    for hinge in range(model.NUM_HINGES):
        angle, rate = qpos[3 + hinge], qvel[3 + hinge]
        low, high = model.RANGE[hinge]
        below, above = angle - low, high - angle
        at_low = below < above
        distance = jnp.where(at_low, below, above)
        sign = jnp.where(at_low, jnp.ones_like(angle), -jnp.ones_like(angle))
        d = impedance(distance, model.LIMIT_WIDTH)
        offset = model.REFERENCE_DAMPING * sign * rate + model.REFERENCE_STIFFNESS * d * distance
        limits.append(
            Limit(
                sign=sign,
                stiffness=d / (1 - d) * (1 / model.HINGE_INV_WEIGHT[hinge]),
                offset=jnp.where(distance < 0, offset, FAR),
            )
        )
    return Constraints(tuple(contacts), tuple(limits), friction)


def rows(constraints: Constraints, qacc: tuple[Scalar, ...], acceleration: Velocity) -> tuple[list, list, list]:
    """``J qacc - aref``: of the normal rows, of the tangential rows (scaled by friction) and of the limits.

    Args:
        constraints: of `find`.
        qacc: nine accelerations.
        acceleration: what they give the bodies (`kinematics.move`).
    """
    normal, tangent = [], []
    for (body, _), contact in zip(model.CAPSULE_ENDS, constraints.contacts, strict=True):
        a_x, a_z = carried(acceleration.linear[body], acceleration.angular[body], contact.point)
        normal.append(a_z + contact.normal)
        tangent.append(constraints.friction * (a_x + contact.tangent))
    limit = [limit.sign * a + limit.offset for limit, a in zip(constraints.limits, qacc[3:], strict=True)]
    return normal, tangent, limit


def active_set(normal: list[Scalar], tangent: list[Scalar], limit: list[Scalar]) -> ActiveSet:
    """Which rows are negative, and so push."""
    return ActiveSet(
        normal=tuple(n < 0 for n in normal),
        plus=tuple(n + t < 0 for n, t in zip(normal, tangent, strict=True)),
        minus=tuple(n - t < 0 for n, t in zip(normal, tangent, strict=True)),
        limit=tuple(value < 0 for value in limit),
    )


def assemble(
    constraints: Constraints, active: ActiveSet
) -> tuple[list[Sym3], list[Wrench], list[Scalar], list[Scalar]]:
    """What an active set adds to the equations of motion.

    Returns:
        ``(J'DJ of the contacts as one inertia for each body, their -J'D aref as one wrench for each body, the limits'
        addition to the hinges' diagonal, their addition to the generalised forces of the hinges)``.
    """
    mu = constraints.friction
    inertia: list[Any] = [None] * model.NUM_BODIES
    wrench: list[Any] = [None] * model.NUM_BODIES
    for i, (body, _) in enumerate(model.CAPSULE_ENDS):
        contact = constraints.contacts[i]
        (x, z), d = contact.point, contact.stiffness
        zero = jnp.zeros_like(d)
        normal = jnp.where(active.normal[i], 2 * d, zero)
        plus = jnp.where(active.plus[i], d, zero)
        minus = jnp.where(active.minus[i], d, zero)
        xx, xz, zz = mu * mu * (plus + minus), mu * (plus - minus), normal + (plus + minus)
        xw, zw = z * xx - x * xz, z * xz - x * zz
        added = Sym3(xx, xz, zz, xw, zw, z * xw - x * zw)
        p_x, p_z = xx * contact.tangent + xz * contact.normal, xz * contact.tangent + zz * contact.normal
        pushed = Wrench(p_x, p_z, z * p_x - x * p_z)
        inertia[body] = added if inertia[body] is None else add(inertia[body], added)
        wrench[body] = pushed if wrench[body] is None else add(wrench[body], pushed)
    diagonal, force = [], []
    for limit, on in zip(constraints.limits, active.limit, strict=True):
        stiffness = jnp.where(on, limit.stiffness, jnp.zeros_like(limit.stiffness))
        diagonal.append(stiffness)
        force.append(-limit.sign * stiffness * limit.offset)
    return inertia, wrench, diagonal, force
