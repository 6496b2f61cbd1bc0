"""Inertia of the tree: planar inertias of its bodies, the mass matrix, and the solve with it.

A planar inertia is a symmetric 3x3 matrix over ``(x, z, y-rotation)`` taken at a body's joint.  A rigid body has
``m`` on the first two diagonal entries, its first moment of mass beside them and its moment of inertia about the joint
last.  Contacts add matrices of the same kind (`constraints`), so that the solver's Hessian ``M + J'DJ`` is a mass
matrix of fictitious bodies and `solve` serves for both.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import jax.numpy as jnp

from halfcheetah_jax import model
from halfcheetah_jax.kinematics import Position, Scalar, Vector, Velocity, carried, move, rotate
from halfcheetah_jax.phases import phase
from halfcheetah_jax.types import EnvParams

Entry = Any
"""A `Scalar`, or a number where the entry is a constant of the model."""


class Sym3(NamedTuple):
    """Symmetric 3x3 matrix; w is the rotation about y."""

    xx: Entry
    xz: Entry
    zz: Entry
    xw: Entry
    zw: Entry
    ww: Entry


class Wrench(NamedTuple):
    """Force (N) and moment about +y (N m) at a point."""

    x: Entry
    z: Entry
    w: Entry


Parts = TypeVar("Parts", Sym3, Wrench)


class Rigid(NamedTuple):
    """What a rigid body contributes at its joint."""

    mass: tuple[Scalar, ...]  # kg
    first: tuple[Vector, ...]  # kg m, mass times the position of its centre, world axes
    second: tuple[Scalar, ...]  # kg m^2, about the joint


def rigid_bodies(position: Position, params: EnvParams) -> Rigid:
    """Inertias of the seven bodies; mass and second moment are constant in time."""
    first, second = [], []
    of_bodies = zip(params.mass, params.inertia, params.centre_x, params.centre_z, strict=True)
    for body, (mass, inertia, x, z) in enumerate(of_bodies):
        first.append(rotate(position, body, (mass * x, mass * z)))
        second.append(inertia + mass * (x * x + z * z))
    return Rigid(params.mass, tuple(first), tuple(second))


def rigid_inertias(rigid: Rigid) -> list[Sym3]:
    """The same as matrices, as `solve` takes them; what is a number in ``rigid`` stays one."""
    return [Sym3(mass, 0.0, mass, z, -x, second) for mass, (x, z), second in zip(*rigid, strict=True)]


def shift(at_joint: Sym3, offset: Vector) -> Sym3:
    """The same inertia at a point from which its own point is ``offset`` away."""
    x, z = offset
    xx, xz, zz, xw, zw, ww = at_joint
    new_xw = xw + z * xx - x * xz
    new_zw = zw + z * xz - x * zz
    return Sym3(xx, xz, zz, new_xw, new_zw, ww + z * (xw + new_xw) - x * (zw + new_zw))


def shift_wrench(at_joint: Wrench, offset: Vector) -> Wrench:
    """The same wrench about a point from which its own point is ``offset`` away."""
    return Wrench(at_joint.x, at_joint.z, at_joint.w + offset[1] * at_joint.x - offset[0] * at_joint.z)


def add(a: Parts, b: Parts) -> Parts:
    """Sum, entry by entry."""
    return type(a)(*(x + y for x, y in zip(a, b, strict=True)))


def mass_matrix(position: Position, params: EnvParams) -> list[list[Scalar]]:
    """The joint-space mass matrix M (kg, kg m, kg m^2), dense 9x9, zeros where two legs do not meet.

    Composite rigid bodies: column b is the momentum of everything beyond hinge b when that hinge alone turns.
    """
    zero = jnp.zeros_like(position.height[0])
    composite = rigid_inertias(rigid_bodies(position, params))
    for body in reversed(model.HINGES):
        parent = model.PARENT[body]
        composite[parent] = add(composite[parent], shift(composite[body], position.offset[body]))
    matrix = [[zero] * model.NUM_DOF for _ in range(model.NUM_DOF)]
    root = composite[0]
    root_rows = ((root.xx, root.xz, root.xw), (root.xz, root.zz, root.zw), (root.xw, root.zw, root.ww))
    for row in range(3):
        matrix[row][:3] = root_rows[row]
    for body, armature in zip(model.HINGES, params.armature, strict=True):
        dof = 2 + body
        momentum = Wrench(composite[body].xw, composite[body].zw, composite[body].ww)
        matrix[dof][dof] = momentum.w + armature
        ancestor = body
        while ancestor:
            momentum = shift_wrench(momentum, position.offset[ancestor])
            ancestor = model.PARENT[ancestor]
            columns = ((2 + ancestor, momentum.w),) if ancestor else enumerate(momentum)
            for other, value in columns:
                matrix[dof][other] = matrix[other][dof] = value
    return matrix


def times_mass(
    rigid: Rigid, armature: tuple[Any, ...], position: Position, qacc: tuple[Scalar, ...]
) -> tuple[Scalar, ...]:
    """``M qacc``: the forces that accelerate the bodies, summed down the tree."""
    acceleration = move(position, qacc)
    total = []
    for body in range(model.NUM_BODIES):
        (a_x, a_z), a_w = acceleration.linear[body], acceleration.angular[body]
        mass, (x, z), second = rigid.mass[body], rigid.first[body], rigid.second[body]
        total.append(Wrench(mass * a_x + z * a_w, mass * a_z - x * a_w, z * a_x - x * a_z + second * a_w))
    for body in reversed(model.HINGES):
        parent = model.PARENT[body]
        total[parent] = add(total[parent], shift_wrench(total[body], position.offset[body]))
    hinges = (total[body].w + own * qacc[2 + body] for body, own in zip(model.HINGES, armature, strict=True))
    return (*total[0], *hinges)


class Hinge(NamedTuple):
    """A hinge on its way out of the equations."""

    inverse: Entry  # 1/(kg m^2), of its own inertia
    drive: Entry  # N m, what acts on it
    push: Entry  # rad/s^2, of it alone


@phase
def hinge_of(body: Sym3, diagonal: Entry, force: Entry, pending: Wrench | None) -> Hinge:
    """The hinge of a body on which a negated wrench acts."""
    inverse = 1 / (body.ww + diagonal)
    drive = force if pending is None else force - pending.w
    return Hinge(inverse, drive, drive * inverse)


@phase
def fold(body: Sym3, hinge: Hinge, diagonal: Entry, pending: Wrench | None, offset: Vector) -> tuple[Sym3, Wrench]:
    """What is left of a body and the wrench on it once its hinge may turn freely, at the parent's joint."""
    xx, xz, zz, xw, zw, ww = body
    x_gain, z_gain, keep = xw * hinge.inverse, zw * hinge.inverse, diagonal * hinge.inverse
    reduced = Sym3(xx - x_gain * xw, xz - x_gain * zw, zz - z_gain * zw, keep * xw, keep * zw, keep * ww)
    passed = Wrench(xw * hinge.push, zw * hinge.push, ww * hinge.push)
    return shift(reduced, offset), shift_wrench(passed if pending is None else add(pending, passed), offset)


def solve(
    bodies: list[Sym3],
    diagonal: tuple[Entry, ...],
    force: tuple[Entry, ...],
    wrench: list[Wrench] | None,
    position: Position,
) -> tuple[tuple[Scalar, ...], Velocity]:
    """Accelerations ``H^-1 (force - wrenches)``, H the mass matrix of ``bodies`` plus ``diagonal`` on the hinges.

    The articulated-body sweep: hinges are eliminated from the feet to the torso, which costs a third of forming H and
    factoring it, and the only divisions are one for each hinge and three for the torso.

    Args:
        bodies: inertia of each body at its joint.
        diagonal: six numbers > 0 (kg m^2), added to the diagonal entries of the hinges.
        force: nine generalised forces.
        wrench: external wrench on each body at its joint, *negated*; None where there is none.
        position: of the bodies.

    Returns:
        ``(nine accelerations, what they give the bodies)``, as `kinematics.move` of the nine.
    """
    bodies = list(bodies)
    pending: list[Any] = [None] * model.NUM_BODIES if wrench is None else list(wrench)
    hinges = {}
    for body in reversed(model.HINGES):
        parent, stiff = model.PARENT[body], diagonal[body - 1]
        hinges[body] = hinge_of(bodies[body], stiff, force[2 + body], pending[body])
        folded, passed = fold(bodies[body], hinges[body], stiff, pending[body], position.offset[body])
        bodies[parent] = add(bodies[parent], folded)
        pending[parent] = passed if pending[parent] is None else add(pending[parent], passed)
    root = [tau - known for tau, known in zip(force[:3], pending[0], strict=True)]
    return _unfold(solve_root(bodies[0], root), bodies, hinges, position)


@phase
def solve_root(a: Sym3, b: list[Entry]) -> tuple[Scalar, Scalar, Scalar]:
    """Solve a symmetric positive definite 3x3 system by elimination."""
    inv_x = 1 / a.xx
    l_z, l_w = a.xz * inv_x, a.xw * inv_x
    zz, zw, ww = a.zz - l_z * a.xz, a.zw - l_z * a.xw, a.ww - l_w * a.xw
    b_z, b_w = b[1] - l_z * b[0], b[2] - l_w * b[0]
    inv_z = 1 / zz
    l_wz = zw * inv_z
    w = (b_w - l_wz * b_z) / (ww - l_wz * zw)
    z = b_z * inv_z - l_wz * w
    return b[0] * inv_x - l_z * z - l_w * w, z, w


@phase
def _unfold(
    root: tuple[Scalar, Scalar, Scalar], bodies: list[Sym3], hinges: dict[int, Hinge], position: Position
) -> tuple[tuple[Scalar, ...], Velocity]:
    """Accelerations of the hinges, from the torso to the feet."""
    qacc = list(root)
    linear, angular = [(root[0], root[1])], [root[2]]
    for body in model.HINGES:
        parent, inertia, hinge = model.PARENT[body], bodies[body], hinges[body]
        w = angular[parent]
        x, z = carried(linear[parent], w, position.offset[body])
        qacc.append((hinge.drive - inertia.xw * x - inertia.zw * z - inertia.ww * w) * hinge.inverse)
        linear.append((x, z))
        angular.append(w + qacc[-1])
    return tuple(qacc), Velocity(tuple(linear), tuple(angular))
