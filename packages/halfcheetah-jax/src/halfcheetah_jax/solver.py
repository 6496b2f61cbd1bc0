"""The constraint solver: which rows push, and the accelerations that follow.

The accelerations minimise a strictly convex function that is quadratic wherever the set of negative rows stays the
same.  Given a set, its minimum is one linear solve (a full Newton step, whatever the start); the accelerations found
say which rows are negative now.  **When the set repeats, the minimum of that quadratic is the minimum of the whole, to
rounding: no tolerance is needed.**  The first set is that of the previous substep's accelerations.

Full steps end after a few iterations, but they may in principle cycle.  An environment whose set has not repeated
after `MAX_FULL_STEPS` goes on with *safeguarded* steps, each to the minimum along the Newton direction, under which the
function falls and no set can return.  They end when the set repeats, or when the slope along the Newton direction is
nothing but rounding: then the point is the minimum, and a row is so close to 0 that its sign means nothing.
"""

from __future__ import annotations

import functools
from typing import Any, Final, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.ad_checkpoint import checkpoint_name

from halfcheetah_jax import model
from halfcheetah_jax.alike import Evaluate, one_by_one
from halfcheetah_jax.constraints import (
    ActiveSet,
    Constraints,
    active_set,
    contacts_of,
    force_on_body,
    push_bodies,
    push_hinge,
    rows,
    rub_hinge,
)
from halfcheetah_jax.inertia import Rigid, Sym3, Wrench, rigid_inertias, solve, times_mass
from halfcheetah_jax.kinematics import Position, Scalar, Velocity, move
from halfcheetah_jax.phases import phase

MAX_FULL_STEPS: Final = 12
MAX_SAFEGUARDED_STEPS: Final = 40
LINE_SEARCH_STEPS: Final = 32  # every other one halves the bracket
CORRECTIONS: Final = 3  # each gains two digits at least, where friction is as small as MuJoCo takes it
FOUND: Final = "found by the solver"  # name of what a derivative in reverse keeps of each substep
ROUNDING: Final = 16  # units in the last place of a slope's terms that count as nothing


class Problem(NamedTuple):
    """Everything that stays fixed while the solver iterates."""

    position: Position
    rigid: Rigid
    armature: tuple[Any, ...]  # kg m^2, of the hinges
    constraints: Constraints
    force: tuple[Scalar, ...]  # nine generalised forces without those of the constraints (N, N m)
    evaluate: Evaluate = one_by_one  # how the contacts are


class Solution(NamedTuple):
    """Accelerations and how they were found."""

    qacc: tuple[Scalar, ...]  # m/s^2, m/s^2, rad/s^2, 6 x rad/s^2
    active: ActiveSet
    converged: Scalar  # bool: the active set repeated
    iterations: Scalar  # int32, linear solves until it did
    safeguarded: Scalar  # bool: full steps did not suffice


def minimum(problem: Problem, active: ActiveSet) -> tuple[tuple[Scalar, ...], Velocity]:
    """``(accelerations that minimise the quadratic of one active set, what they give the bodies)``."""
    bodies, wrench, diagonal, force = _system(problem, active)
    return solve(bodies, diagonal, force, wrench, problem.position)


def _system(problem: Problem, active: ActiveSet) -> tuple[list[Sym3], list[Wrench], tuple, tuple]:
    """What `inertia.solve` takes: the bodies, the wrenches on them, the hinges' diagonal and all forces."""
    constraints, rigid = problem.constraints, rigid_inertias(problem.rigid)
    bodies, wrench = map(list, zip(*push_bodies(constraints, active, rigid, problem.evaluate), strict=True))
    diagonal, force = [], list(problem.force)
    for hinge, limit in enumerate(constraints.limits):
        stiffness, torque = push_hinge(limit, active, hinge)
        if constraints.dry is not None and active.sliding is not None:
            rubbing, against = rub_hinge(constraints.dry[hinge], active.sliding, hinge)
            stiffness, torque = stiffness + rubbing, torque + against
        diagonal.append(problem.armature[hinge] + stiffness)
        force[3 + hinge] = force[3 + hinge] + torque
    return bodies, wrench, tuple(diagonal), tuple(force)


def accurate_minimum(problem: Problem, active: ActiveSet) -> tuple[tuple[Scalar, ...], Velocity]:
    """`minimum`, corrected where the floor is slippery or contacts are hard.

    The edges of a contact's pyramid are as stiff as friction is small, squared.  Next to such stiffness the masses lose
    their last digits, and the accelerations with them.  What is missing to the balance of forces, computed from the
    rows, is then solved for in turn.
    """
    found = minimum(problem, active)
    is_stiff = problem.constraints.is_stiff
    if isinstance(is_stiff, bool | np.bool_):
        return _corrected(problem, active, found) if is_stiff else found
    return _unless(~jnp.any(is_stiff), lambda: _corrected(problem, active, found), found)


def _corrected(
    problem: Problem, active: ActiveSet, found: tuple[tuple[Scalar, ...], Velocity]
) -> tuple[tuple[Scalar, ...], Velocity]:
    """Some rounds of iterative refinement."""
    bodies, _, diagonal, _ = _system(problem, active)

    def refine(_: Any, found: tuple[tuple[Scalar, ...], Velocity]) -> tuple[tuple[Scalar, ...], Velocity]:
        force, wrench = _imbalance(problem, active, *found)
        step = solve(bodies, diagonal, force, wrench, problem.position)
        return jax.tree.map(jnp.add, found, step)

    return jax.lax.fori_loop(0, CORRECTIONS, refine, found)


def _imbalance(
    problem: Problem, active: ActiveSet, qacc: tuple[Scalar, ...], acceleration: Velocity
) -> tuple[tuple[Scalar, ...], list[Wrench]]:
    """``(generalised forces, negated wrenches)`` that some accelerations leave over."""
    constraints = problem.constraints
    normal, tangent, limit = rows(constraints, qacc, acceleration)
    wrench = []
    for body in range(model.NUM_BODIES):
        here = contacts_of(constraints, body)
        of_body = [normal[i] for i in here], [tangent[i] for i in here]
        wrench.append(force_on_body(here, active, constraints.friction, *of_body))
    momentum = times_mass(problem.rigid, problem.armature, problem.position, qacc)
    force = [tau - m for tau, m in zip(problem.force, momentum, strict=True)]
    for hinge, row in enumerate(limit):
        stiffness, _ = push_hinge(constraints.limits[hinge], active, hinge)
        force[3 + hinge] = force[3 + hinge] - constraints.limits[hinge].sign * stiffness * row
        if constraints.dry is not None and active.sliding is not None:
            rubbing, against = rub_hinge(constraints.dry[hinge], active.sliding, hinge)
            force[3 + hinge] = force[3 + hinge] + (against - rubbing * qacc[3 + hinge])
    return tuple(force), wrench


def same_set(a: ActiveSet, b: ActiveSet) -> Scalar:
    """True where two active sets agree in every row."""
    same = (a.normal == b.normal) & (a.edges == b.edges)
    return same if a.sliding is None else same & (a.sliding == b.sliding)


class _Search(NamedTuple):
    step: Any  # int32 (): iterations of the loop
    qacc: tuple[Scalar, ...]
    active: ActiveSet  # at qacc
    converged: Scalar
    iterations: Scalar


def find_accelerations(problem: Problem, warmstart: tuple[Scalar, ...]) -> Solution:
    """Solve one substep.

    The derivative of the accelerations is that of `minimum` for the active set that was found: as long as no row
    changes its sign, the accelerations are that function of the data, and the way to them does not matter.  So they
    do not depend on the warm start.

    Args:
        problem: its data.
        warmstart: nine accelerations to take the first active set from.
    """
    leaves, tree = jax.tree.flatten(problem)
    where = [i for i, leaf in enumerate(leaves) if isinstance(leaf, jax.Array)]

    def filled(arrays: Any) -> Problem:
        given = dict(zip(where, arrays, strict=True))
        return jax.tree.unflatten(tree, [given.get(i, leaf) for i, leaf in enumerate(leaves)])

    @jax.custom_jvp
    def solved(arrays: Any, warmstart: Any) -> Solution:
        return _search(filled(arrays), warmstart)

    @solved.defjvp
    def derivative(primals: Any, tangents: Any) -> tuple[Solution, Solution]:
        solution = jax.tree.map(lambda leaf: checkpoint_name(leaf, FOUND), solved(*primals))
        _, rates = jax.jvp(lambda arrays: minimum(filled(arrays), solution.active)[0], primals[:1], tangents[:1])
        zeros = jax.tree.map(lambda leaf: np.zeros(leaf.shape, jax.dtypes.float0), solution)
        return solution, zeros._replace(qacc=rates)

    return solved([leaves[i] for i in where], warmstart)


def _search(problem: Problem, warmstart: tuple[Scalar, ...]) -> Solution:
    """Iterate until the active set repeats."""
    never = jnp.zeros_like(problem.force[0], jnp.bool_)
    first = active_set(problem.constraints, warmstart, move(problem.position, warmstart))
    start = _Search(jnp.int32(0), warmstart, first, never, jnp.zeros_like(never, jnp.int32))
    limit = MAX_FULL_STEPS + MAX_SAFEGUARDED_STEPS

    def running(search: _Search) -> Any:
        return (search.step < limit) & ~jnp.all(search.converged)

    def step(search: _Search) -> _Search:
        # Environments that have converged find the same accelerations again, bit for bit.
        qacc, acceleration = accurate_minimum(problem, search.active)
        active = active_set(problem.constraints, qacc, acceleration)
        iterations = search.iterations + (~search.converged).astype(jnp.int32)
        full = _Search(search.step + jnp.int32(1), qacc, active, same_set(active, search.active), iterations)
        return _unless(search.step < MAX_FULL_STEPS, lambda: _shortened(problem, search, full), full)

    found = jax.lax.while_loop(running, step, start)
    return Solution(found.qacc, found.active, found.converged, found.iterations, found.iterations > MAX_FULL_STEPS)


def _shortened(problem: Problem, before: _Search, full: _Search) -> _Search:
    """The safeguarded step in place of a full one."""
    direction = tuple(b - a for a, b in zip(before.qacc, full.qacc, strict=True))
    length, flat = line_minimum(problem, before.qacc, direction)
    ahead = tuple(a + length * d for a, d in zip(before.qacc, direction, strict=True))
    active = active_set(problem.constraints, ahead, move(problem.position, ahead))
    converged = full.converged | flat
    qacc, active = _where(converged, (full.qacc, full.active), (ahead, active))
    here = before.qacc, before.active
    qacc, active = _where(before.converged, here, (qacc, active))
    return full._replace(qacc=qacc, active=active, converged=before.converged | converged)


def _unless(condition: Any, compute: Any, default: Any) -> Any:
    """``default`` if a scalar condition holds, else ``compute()``: a loop of one round at most.

    Under `jax.vmap` over batches `jax.lax.cond` would compute both, every time.
    """
    once = jax.lax.while_loop(lambda carry: carry[0], lambda _: (jnp.bool_(False), compute()), (~condition, default))
    return once[1]


def _where(condition: Scalar, if_true: Any, if_false: Any) -> Any:
    return jax.tree.map(lambda a, b: jnp.where(condition, a, b), if_true, if_false)


class _Line(NamedTuple):
    """The convex function along a line: a parabola and rows that are negative on a part of it."""

    slope: Scalar  # of the parabola, at 0
    curvature: Scalar
    weights: list[Scalar]  # D of each row
    starts: list[Scalar]  # the row at 0
    rates: list[Scalar]  # its change per unit length


def line_minimum(problem: Problem, base: tuple[Scalar, ...], direction: tuple[Scalar, ...]) -> tuple[Scalar, Scalar]:
    """``(length of the step along direction that minimises the function, whether it is flat there to rounding)``.

    The length is in [0, 1].  The slope is piecewise linear and increases; Newton's method and bisection take turns in
    a bracket around its root, so that even many kinks leave it no way to miss.
    """
    line, noise = _along(problem, base, direction)
    zero, one = jnp.zeros_like(line.slope), jnp.ones_like(line.slope)

    def refine(step: Any, carry: tuple[Scalar, Scalar, Scalar]) -> tuple[Scalar, Scalar, Scalar]:
        length, low, high = carry
        slope, curvature = _slope(line, length)
        low, high = jnp.where(slope < 0, length, low), jnp.where(slope < 0, high, length)
        newton = length - slope / curvature
        inside = (newton > low) & (newton < high) & (step % 2 == 0)
        return jnp.where(inside, newton, 0.5 * (low + high)), low, high

    length, _, _ = jax.lax.fori_loop(0, LINE_SEARCH_STEPS, refine, (one, zero, one))
    length = jnp.where(_slope(line, one)[0] <= 0, one, length)
    return length, -_slope(line, zero)[0] <= noise


@phase
def _along(problem: Problem, base: tuple[Scalar, ...], direction: tuple[Scalar, ...]) -> tuple[_Line, Scalar]:
    """``(the function along a line, how much of its slope at 0 may be rounding)``."""
    n0, t0, l0 = rows(problem.constraints, base, move(problem.position, base))
    zero = jnp.zeros_like(base[0])
    homogeneous = problem.constraints._replace(
        contacts=tuple(c._replace(normal=zero, tangent=zero) for c in problem.constraints.contacts),
        limits=tuple(limit._replace(offset=zero) for limit in problem.constraints.limits),
    )
    n1, t1, l1 = rows(homogeneous, direction, move(problem.position, direction))
    weights, starts, rates = [], [], []
    for i, contact in enumerate(problem.constraints.contacts):
        d = contact.stiffness
        weights += [2 * d, d, d]
        starts += [n0[i], n0[i] + t0[i], n0[i] - t0[i]]
        rates += [n1[i], n1[i] + t1[i], n1[i] - t1[i]]
    for i, limit in enumerate(problem.constraints.limits):
        weights, starts, rates = [*weights, limit.stiffness], [*starts, l0[i]], [*rates, l1[i]]

    momentum = times_mass(problem.rigid, problem.armature, problem.position, direction)
    terms = [b * m for b, m in zip(base, momentum, strict=True)]
    terms += [-d * tau for d, tau in zip(direction, problem.force, strict=True)]
    springs: list[Scalar] = []
    for hinge, dry in enumerate(problem.constraints.dry or ()):
        # A torque that ends at its bounds: a spring everywhere, less what it would be beyond either bound.
        row, rate, d = base[3 + hinge] + dry.offset, direction[3 + hinge], dry.stiffness
        terms, springs = [*terms, d * row * rate], [*springs, d * rate * rate]
        weights = [*weights, -d, -d]
        starts, rates = [*starts, dry.loss / d - row, dry.loss / d + row], [*rates, -rate, rate]
    pushes = [jnp.where(s < 0, w * s * r, zero) for w, s, r in zip(weights, starts, rates, strict=True)]
    unit = ROUNDING * jnp.finfo(zero.dtype).eps
    noise = unit * functools.reduce(jnp.add, map(jnp.abs, terms + pushes))
    curvature = functools.reduce(jnp.add, (d * m for d, m in zip(direction, momentum, strict=True)))
    curvature = functools.reduce(jnp.add, springs, curvature)
    return _Line(functools.reduce(jnp.add, terms), curvature, weights, starts, rates), noise


@phase
def _slope(line: _Line, length: Scalar) -> tuple[Scalar, Scalar]:
    """``(slope, curvature)`` at a point of the line."""
    slope, curvature = line.slope + length * line.curvature, line.curvature
    for weight, start, rate in zip(line.weights, line.starts, line.rates, strict=True):
        row = start + length * rate
        push = jnp.where(row < 0, weight * rate, jnp.zeros_like(rate))
        slope, curvature = slope + push * row, curvature + push * rate
    return slope, curvature
