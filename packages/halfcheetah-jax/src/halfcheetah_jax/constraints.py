"""Soft constraints: six joint limits and sixteen capsule ends that may touch the floor.

MuJoCo turns each into rows ``J qacc - aref``, of which those that are negative act like springs of stiffness D.  In
the plane the four edges of a contact's friction pyramid are three distinct rows:

- normal: the two edges along y have no Jacobian of their own, so both equal the normal row and it weighs 2 D;
- plus and minus: the normal row plus or minus friction times the tangential (x) row, weight D.

Sources: engine_core_constraint.c: mj_instantiateContact, mj_instantiateLimit, mj_diagApprox, mj_referenceConstraint;
engine_collision_primitive.c: mjc_PlaneCapsule @ mujoco 4.0.0.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from halfcheetah_jax import model
from halfcheetah_jax.inertia import Sym3, Wrench, add
from halfcheetah_jax.kinematics import Position, Scalar, Vector, Velocity, carried, rotate
from halfcheetah_jax.phases import phase
from halfcheetah_jax.softness import Softness, impedance, larger, softness
from halfcheetah_jax.types import EnvParams
from rlenv_shared.thresholds import round_down, round_up

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

    contacts: tuple[Contact, ...]  # in the order of `model.capsule_ends`
    limits: tuple[Limit, ...]  # in the order of the hinges
    friction: Any  # sliding coefficient


class Fixed(NamedTuple):
    """What the parameters alone say about the constraints."""

    friction: Any  # sliding coefficient
    contact_scale: tuple[Any, ...]  # kg, of the bodies, see `contact_scale`
    contact: Softness
    bounds: tuple[tuple[Any, Any], ...]  # rad, of the hinges, see `joint_bounds`
    limit_scale: tuple[Any, ...]  # kg m^2, of the hinges: stiffness where impedance and its complement are equal
    limit: Softness


class ActiveSet(NamedTuple):
    """Which rows are negative, one bit (uint32) each."""

    normal: Scalar  # bit i: normal row of contact i; bit 16 + i: limit of hinge i
    edges: Scalar  # bit i: plus row of contact i; bit 16 + i: its minus row


def fixed(params: EnvParams, dtype: Any) -> Fixed:
    """Of the parameters and of the dtype that angles have."""
    friction = contact_friction(params)
    return Fixed(
        friction,
        tuple(contact_scale(friction, weight) for weight in params.inverse_weight),
        softness(params.contact_solref, params.contact_solimp, params.time_step),
        tuple(joint_bounds(params, dtype)),
        tuple(1 / weight for weight in params.hinge_inverse_weight),
        softness(params.limit_solref, params.limit_solimp, params.time_step),
    )


def find(
    qpos: tuple[Scalar, ...], qvel: tuple[Scalar, ...], position: Position, velocity: Velocity, params: EnvParams
) -> Constraints:
    """Evaluate every candidate at one state."""
    given = fixed(params, qpos[0].dtype)
    contacts = tuple(
        floor_contact(
            rotate(position, body, end),
            position.height[body],
            velocity.linear[body],
            velocity.angular[body],
            given.contact_scale[body],
            params.radius[geom],
            given.contact,
        )
        for body, geom, end in zip(model.END_BODY, model.END_GEOM, model.capsule_ends(params.half_length), strict=True)
    )
    limits = tuple(
        joint_limit(angle, rate, bounds, scale, given.limit)
        for angle, rate, bounds, scale in zip(qpos[3:], qvel[3:], given.bounds, given.limit_scale, strict=True)
    )
    return Constraints(contacts, limits, given.friction)


def contact_friction(params: EnvParams) -> Any:
    """Of capsules and floor: MuJoCo takes the larger one."""
    return larger(larger(params.friction, params.floor_friction), model.LEAST_FRICTION)


def joint_bounds(params: EnvParams, dtype: Any) -> list[tuple[Any, Any]]:
    """The ranges of the hinges, rounded so that every angle of a dtype is on the side it is in float64."""
    rounded = [
        (round_up(low, dtype), round_down(high, dtype))
        for low, high in zip(params.range_low, params.range_high, strict=True)
    ]
    return jax.tree.map(lambda bound: bound if isinstance(bound, jax.Array) else bound.item(), rounded)


def contact_scale(friction: Any, inverse_weight: Any) -> Any:
    """Stiffness (kg) of a contact of a body where impedance and its complement are equal."""
    return 1 / (2 * friction * friction * (1 + friction * friction) * inverse_weight)


@phase
def floor_contact(
    end: Vector, height: Scalar, linear: Vector, angular: Scalar, scale: Scalar, radius: Any, soft: Softness
) -> Contact:
    """One capsule end, given as seen from its body's joint, whose height and velocities follow."""
    x, z = end
    distance = height + z - radius
    d = impedance(distance, soft)
    point = (x, z - radius - 0.5 * distance)  # halfway between the floor and the lowest point
    v_x, v_z = carried(linear, angular, point)
    normal = soft.damping * v_z + soft.stiffness * d * distance
    return Contact(
        point=point,
        stiffness=scale * d / (1 - d),  # R of an edge: 2 mu^2 (1 - d)/d (1 + mu^2) / (effective mass)
        normal=jnp.where(distance < 0, normal, FAR),
        tangent=soft.damping * v_x,
    )


@phase
def joint_limit(angle: Scalar, rate: Scalar, bounds: tuple[Any, Any], scale: Any, soft: Softness) -> Limit:
    """The nearer bound of one hinge."""
    low, high = bounds
    below, above = angle - low, high - angle
    at_low = below < above
    distance = jnp.where(at_low, below, above)
    sign = jnp.where(at_low, jnp.ones_like(angle), -jnp.ones_like(angle))
    d = impedance(distance, soft)
    offset = soft.damping * sign * rate + soft.stiffness * d * distance
    return Limit(sign=sign, stiffness=scale * d / (1 - d), offset=jnp.where(distance < 0, offset, FAR))


def rows(constraints: Constraints, qacc: tuple[Scalar, ...], acceleration: Velocity) -> tuple[list, list, list]:
    """``J qacc - aref``: of the normal rows, of the tangential rows (scaled by friction) and of the limits.

    Args:
        constraints: of `find`.
        qacc: nine accelerations.
        acceleration: what they give the bodies (`kinematics.move`).
    """
    normal, tangent = [], []
    for body, contact in zip(model.END_BODY, constraints.contacts, strict=True):
        a_x, a_z = carried(acceleration.linear[body], acceleration.angular[body], contact.point)
        normal.append(a_z + contact.normal)
        tangent.append(constraints.friction * (a_x + contact.tangent))
    limit = [limit.sign * a + limit.offset for limit, a in zip(constraints.limits, qacc[3:], strict=True)]
    return normal, tangent, limit


@phase
def active_set(constraints: Constraints, qacc: tuple[Scalar, ...], acceleration: Velocity) -> ActiveSet:
    """Which rows are negative, and so push."""
    normal, tangent, limit = rows(constraints, qacc, acceleration)
    plus = [n + t for n, t in zip(normal, tangent, strict=True)]
    minus = [n - t for n, t in zip(normal, tangent, strict=True)]
    return ActiveSet(signs(normal + limit), signs(plus + minus))


def signs(values: list[Scalar]) -> Scalar:
    """Bit i tells whether value i is negative."""
    bits = (jnp.where(value < 0, np.uint32(1 << i), np.uint32(0)) for i, value in enumerate(values))
    return functools.reduce(jnp.bitwise_or, bits)


def _where(word: Scalar, bit: int, value: Scalar) -> Scalar:
    """The value where a bit is set, elsewhere 0."""
    return jnp.where((word & np.uint32(1 << bit)) != 0, value, jnp.zeros_like(value))


@phase
def push_body(contacts: dict[int, Contact], active: ActiveSet, friction: Any, rigid: Sym3) -> tuple[Sym3, Wrench]:
    """A body's inertia with ``J'DJ`` of its active contacts, and the wrench ``-J'D aref`` of these.

    Args:
        contacts: those of one body, by number.
        active: the active set.
        friction: sliding coefficient.
        rigid: inertia of the body.
    """
    total, pushed = rigid, Wrench(0.0, 0.0, 0.0)
    for i, contact in contacts.items():
        (x, z), d = contact.point, contact.stiffness
        normal = _where(active.normal, i, d)
        plus, minus = _where(active.edges, i, d), _where(active.edges, model.NUM_CONTACTS + i, d)
        xx, xz = friction * friction * (plus + minus), friction * (plus - minus)
        zz = 2 * normal + (plus + minus)
        xw, zw = z * xx - x * xz, z * xz - x * zz
        total = add(total, Sym3(xx, xz, zz, xw, zw, z * xw - x * zw))
        p_x, p_z = xx * contact.tangent + xz * contact.normal, xz * contact.tangent + zz * contact.normal
        pushed = add(pushed, Wrench(p_x, p_z, z * p_x - x * p_z))
    return total, pushed


@phase
def force_on_body(
    contacts: dict[int, Contact], active: ActiveSet, friction: Any, normal: list[Scalar], tangent: list[Scalar]
) -> Wrench:
    """``J'D (J qacc - aref)`` of the active contacts of one body, from the rows themselves (see `rows`)."""
    total = Wrench(0.0, 0.0, 0.0)
    for (i, contact), n, t in zip(contacts.items(), normal, tangent, strict=True):
        (x, z), d = contact.point, contact.stiffness
        plus = _where(active.edges, i, d) * (n + t)
        minus = _where(active.edges, model.NUM_CONTACTS + i, d) * (n - t)
        f_x, f_z = friction * (plus - minus), 2 * _where(active.normal, i, d) * n + (plus + minus)
        total = add(total, Wrench(f_x, f_z, z * f_x - x * f_z))
    return total


@phase
def push_hinge(limit: Limit, active: ActiveSet, hinge: int) -> tuple[Scalar, Scalar]:
    """``(stiffness, torque)`` of a hinge's limit while it is active; kg m^2, N m."""
    stiffness = _where(active.normal, model.NUM_CONTACTS + hinge, limit.stiffness)
    return stiffness, -limit.sign * stiffness * limit.offset
