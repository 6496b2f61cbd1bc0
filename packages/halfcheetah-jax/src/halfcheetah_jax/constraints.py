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
from halfcheetah_jax.alike import Evaluate, one_by_one
from halfcheetah_jax.inertia import Sym3, Wrench, add
from halfcheetah_jax.kinematics import Position, Scalar, Vector, Velocity, carried, rotate
from halfcheetah_jax.phases import phase
from halfcheetah_jax.softness import (
    LEAST_IMPEDANCE,
    MOST_IMPEDANCE,
    Softness,
    impedance,
    larger,
    smaller,
    softness,
)
from halfcheetah_jax.types import EnvParams, may_be_nonzero
from rlenv_shared.thresholds import round_down, round_up

SLIPPERY = 0.03  # friction below which linear solves of the default model are corrected, see `solver`
NO_WRENCH = Wrench(0.0, 0.0, 0.0)
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


class DryFriction(NamedTuple):
    """The row ``qacc + offset`` of a hinge, whose torque is that of a spring up to the loss, and no more beyond."""

    stiffness: Scalar  # D, kg m^2
    offset: Scalar  # rad/s^2, -aref
    loss: Scalar  # N m, the strongest torque


class Constraints(NamedTuple):
    """All candidates of one substep."""

    contacts: tuple[Contact, ...]  # in the order of `model.capsule_ends`
    limits: tuple[Limit, ...]  # in the order of the hinges
    friction: Any  # sliding coefficient
    dry: tuple[DryFriction, ...] | None  # of the hinges; None where there is none
    is_stiff: Any  # bool: contacts are so stiff that linear solves are corrected


class ActiveSet(NamedTuple):
    """Which rows are negative, one bit (uint32) each; and which hinges slide against their dry friction."""

    normal: Scalar  # bit i: normal row of contact i; bit 16 + i: limit of hinge i
    edges: Scalar  # bit i: plus row of contact i; bit 16 + i: its minus row
    sliding: Scalar | None = None  # bit i: hinge i slides forwards; bit 6 + i: backwards; None without dry friction


def find(
    qpos: tuple[Scalar, ...],
    qvel: tuple[Scalar, ...],
    position: Position,
    velocity: Velocity,
    params: EnvParams,
    evaluate: Evaluate = one_by_one,
) -> Constraints:
    """Evaluate every candidate at one state."""
    friction = contact_friction(params)
    soft = softness(params.contact_solref, params.contact_solimp, params.time_step)
    ends = [
        (
            rotate(position, body, end),
            position.height[body],
            velocity.linear[body],
            velocity.angular[body],
            contact_scale(friction, params.inverse_weight[body]),
            params.radius[geom],
        )
        for body, geom, end in zip(model.END_BODY, model.END_GEOM, model.capsule_ends(params.half_length), strict=True)
    ]
    contacts = evaluate(floor_contact, ends, soft)
    soft = softness(params.limit_solref, params.limit_solimp, params.time_step)
    bounds = joint_bounds(params, qpos[0].dtype)
    hinges = list(zip(qpos[3:], qvel[3:], bounds, params.hinge_inverse_weight, strict=True))
    limits = evaluate(joint_limit, hinges, soft)
    return Constraints(contacts, limits, friction, dry_friction(qvel, params), are_stiff(friction, params))


def are_stiff(friction: Any, params: EnvParams) -> Any:
    """Whether a contact may be stiffer than one of the default model on a floor as slippery as `SLIPPERY`."""
    most = smaller(larger(larger(*params.contact_solimp[:2]), LEAST_IMPEDANCE), MOST_IMPEDANCE)
    lightest = functools.reduce(smaller, (w / d for w, d in zip(params.inverse_weight, model.INV_WEIGHT, strict=True)))
    usual = model.CONTACT_SOLIMP[1] / (1 - model.CONTACT_SOLIMP[1])
    return friction * friction * lightest * (1 - most) * usual < SLIPPERY**2 * most


def dry_friction(qvel: tuple[Scalar, ...], params: EnvParams) -> tuple[DryFriction, ...] | None:
    """That of the six hinges, None if none of them has any."""
    if not may_be_nonzero(params.frictionloss):
        return None
    soft = softness(model.SOLREF, model.FRICTION_SOLIMP, params.time_step)
    ratio = soft.least / (1 - soft.least)
    return tuple(
        DryFriction(jnp.zeros_like(rate) + ratio * (1 / weight), soft.damping * rate, jnp.zeros_like(rate) + loss)
        for rate, weight, loss in zip(qvel[3:], params.hinge_inverse_weight, params.frictionloss, strict=True)
    )


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
def joint_limit(angle: Scalar, rate: Scalar, bounds: tuple[Any, Any], inv_weight: Any, soft: Softness) -> Limit:
    """The nearer bound of one hinge."""
    low, high = bounds
    below, above = angle - low, high - angle
    at_low = below < above
    distance = jnp.where(at_low, below, above)
    sign = jnp.where(at_low, jnp.ones_like(angle), -jnp.ones_like(angle))
    d = impedance(distance, soft)
    offset = soft.damping * sign * rate + soft.stiffness * d * distance
    return Limit(sign=sign, stiffness=d / (1 - d) * (1 / inv_weight), offset=jnp.where(distance < 0, offset, FAR))


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
    sliding = None if constraints.dry is None else slides(constraints.dry, qacc[3:])
    return ActiveSet(signs(normal + limit), signs(plus + minus), sliding)


def slides(dry: tuple[DryFriction, ...], qacc: tuple[Scalar, ...]) -> Scalar:
    """`ActiveSet.sliding` at some accelerations of the hinges."""
    rows = [(a + hinge.offset, hinge.loss / hinge.stiffness) for a, hinge in zip(qacc, dry, strict=True)]
    beyond = [*(row >= bound for row, bound in rows), *(row <= -bound for row, bound in rows)]
    bits = (jnp.where(one, np.uint32(1 << i), np.uint32(0)) for i, one in enumerate(beyond))
    return functools.reduce(jnp.bitwise_or, bits)


def signs(values: list[Scalar]) -> Scalar:
    """Bit i tells whether value i is negative."""
    bits = (jnp.where(value < 0, np.uint32(1 << i), np.uint32(0)) for i, value in enumerate(values))
    return functools.reduce(jnp.bitwise_or, bits)


def _where(word: Scalar, bit: Any, value: Scalar) -> Scalar:
    """The value where a bit (2 ** its number, uint32) is set, elsewhere 0."""
    return jnp.where((word & bit) != 0, value, jnp.zeros_like(value))


def _bits(number: int) -> tuple[np.uint32, np.uint32]:
    """Of a contact: that of its normal or plus row, and that of its minus row."""
    return np.uint32(1 << number), np.uint32(1 << model.NUM_CONTACTS + number)


def push_bodies(
    constraints: Constraints, active: ActiveSet, rigid: list[Sym3], evaluate: Evaluate
) -> list[tuple[Sym3, Wrench]]:
    """`push_body` of every body."""
    contacts = [contacts_of(constraints, body) for body in range(model.NUM_BODIES)]
    if evaluate is one_by_one:
        return [push_body(c, active, constraints.friction, r) for c, r in zip(contacts, rigid, strict=True)]
    rows = [(contact, _bits(i)) for i, contact in enumerate(constraints.contacts)]
    pushes = evaluate(push_contact, rows, active, constraints.friction)
    return [
        functools.reduce(lambda a, b: (add(a[0], b[0]), add(a[1], b[1])), (pushes[i] for i in c), (r, NO_WRENCH))
        for c, r in zip(contacts, rigid, strict=True)
    ]


def contacts_of(constraints: Constraints, body: int) -> dict[int, Contact]:
    """The contacts of one body, by number."""
    return {i: constraints.contacts[i] for i, owner in enumerate(model.END_BODY) if owner == body}


@phase
def push_body(contacts: dict[int, Contact], active: ActiveSet, friction: Any, rigid: Sym3) -> tuple[Sym3, Wrench]:
    """A body's inertia with ``J'DJ`` of its active contacts, and the wrench ``-J'D aref`` of these.

    Args:
        contacts: those of one body, by number.
        active: the active set.
        friction: sliding coefficient.
        rigid: inertia of the body.
    """
    total, pushed = rigid, NO_WRENCH
    for i, contact in contacts.items():
        inertia, wrench = _push(contact, _bits(i), active, friction)
        total, pushed = add(total, inertia), add(pushed, wrench)
    return total, pushed


@phase
def push_contact(contact: Contact, bits: tuple[Any, Any], active: ActiveSet, friction: Any) -> tuple[Sym3, Wrench]:
    """What `push_body` adds for one contact, of the given bits of the active set."""
    return _push(contact, bits, active, friction)


def _push(contact: Contact, bits: tuple[Any, Any], active: ActiveSet, friction: Any) -> tuple[Sym3, Wrench]:
    (x, z), d = contact.point, contact.stiffness
    normal = _where(active.normal, bits[0], d)
    plus, minus = (_where(active.edges, bit, d) for bit in bits)
    xx, xz = friction * friction * (plus + minus), friction * (plus - minus)
    zz = 2 * normal + (plus + minus)
    xw, zw = z * xx - x * xz, z * xz - x * zz
    p_x, p_z = xx * contact.tangent + xz * contact.normal, xz * contact.tangent + zz * contact.normal
    return Sym3(xx, xz, zz, xw, zw, z * xw - x * zw), Wrench(p_x, p_z, z * p_x - x * p_z)


@phase
def force_on_body(
    contacts: dict[int, Contact], active: ActiveSet, friction: Any, normal: list[Scalar], tangent: list[Scalar]
) -> Wrench:
    """``J'D (J qacc - aref)`` of the active contacts of one body, from the rows themselves (see `rows`)."""
    total = NO_WRENCH
    for (i, contact), n, t in zip(contacts.items(), normal, tangent, strict=True):
        (x, z), d = contact.point, contact.stiffness
        first, second = _bits(i)
        plus = _where(active.edges, first, d) * (n + t)
        minus = _where(active.edges, second, d) * (n - t)
        f_x, f_z = friction * (plus - minus), 2 * _where(active.normal, first, d) * n + (plus + minus)
        total = add(total, Wrench(f_x, f_z, z * f_x - x * f_z))
    return total


@phase
def push_hinge(limit: Limit, active: ActiveSet, hinge: int) -> tuple[Scalar, Scalar]:
    """``(stiffness, torque)`` of a hinge's limit while it is active; kg m^2, N m."""
    stiffness = _where(active.normal, np.uint32(1 << model.NUM_CONTACTS + hinge), limit.stiffness)
    return stiffness, -limit.sign * stiffness * limit.offset


@phase
def rub_hinge(dry: DryFriction, sliding: Scalar, hinge: int) -> tuple[Scalar, Scalar]:
    """``(stiffness, torque at acceleration 0)`` of a hinge's dry friction; sliding, it is not stiff."""
    forwards, backwards = ((sliding & np.uint32(1 << bit)) != 0 for bit in (hinge, model.NUM_HINGES + hinge))
    zero = jnp.zeros_like(dry.stiffness)
    stiffness = jnp.where(forwards | backwards, zero, dry.stiffness)
    slid = jnp.where(forwards, -dry.loss, jnp.where(backwards, dry.loss, zero))
    return stiffness, slid - stiffness * dry.offset
