"""The constraint solver: which rows push, and the accelerations that follow.

The accelerations minimise a strictly convex function that is quadratic wherever the set of negative rows stays the
same.  Given a set, its minimum is one linear solve (a full Newton step, whatever the start); the accelerations found
say which rows are negative now.  **When the set repeats, the minimum of that quadratic is the minimum of the whole, to
rounding: no tolerance is needed.**  The first set is that of the previous substep's accelerations.

Full steps end after a few iterations, but they may in principle cycle.  An environment whose set has not repeated
after `MAX_FULL_STEPS` goes on with *safeguarded* steps, each to the exact minimum along the Newton direction, under
which the function falls strictly and no set can return.
"""

from __future__ import annotations

import functools
from typing import Any, Final, NamedTuple

import jax
import jax.numpy as jnp

from halfcheetah_jax import model
from halfcheetah_jax.constraints import ActiveSet, Constraints, active_set, assemble, rows
from halfcheetah_jax.inertia import Rigid, add, rigid_inertias, solve, times_mass
from halfcheetah_jax.kinematics import Position, Scalar, move

MAX_FULL_STEPS: Final = 12
MAX_SAFEGUARDED_STEPS: Final = 30
LINE_SEARCH_STEPS: Final = 12  # on a piecewise linear derivative


class Problem(NamedTuple):
    """Everything that stays fixed while the solver iterates."""

    position: Position
    rigid: Rigid
    constraints: Constraints
    force: tuple[Scalar, ...]  # nine generalised forces without those of the constraints (N, N m)


class Solution(NamedTuple):
    """Accelerations and how they were found."""

    qacc: tuple[Scalar, ...]  # m/s^2, m/s^2, rad/s^2, 6 x rad/s^2
    active: ActiveSet
    converged: Scalar  # bool: the active set repeated
    iterations: Scalar  # int32, linear solves until it did
    safeguarded: Scalar  # bool: full steps did not suffice


def newton_point(problem: Problem, active: ActiveSet) -> tuple[Scalar, ...]:
    """Accelerations that minimise the quadratic of one active set."""
    inertia, wrench, diagonal, force = assemble(problem.constraints, active)
    bodies = [add(a, b) for a, b in zip(rigid_inertias(problem.rigid), inertia, strict=True)]
    stiff = tuple(armature + d for armature, d in zip(model.ARMATURE, diagonal, strict=True))
    hinges = (tau + f for tau, f in zip(problem.force[3:], force, strict=True))
    return solve(bodies, stiff, (*problem.force[:3], *hinges), wrench, problem.position)


def negative_rows(problem: Problem, qacc: tuple[Scalar, ...]) -> ActiveSet:
    """The active set at some accelerations."""
    return active_set(*rows(problem.constraints, qacc, move(problem.position, qacc)))


def same_set(a: ActiveSet, b: ActiveSet) -> Scalar:
    """True where two active sets agree in every row."""
    equal = [x == y for x, y in zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True)]
    return functools.reduce(jnp.logical_and, equal)


class _Search(NamedTuple):
    step: Any  # int32 (): iterations of the loop
    qacc: tuple[Scalar, ...]
    active: ActiveSet
    converged: Scalar
    iterations: Scalar


def find_accelerations(problem: Problem, warmstart: tuple[Scalar, ...]) -> Solution:
    """Solve one substep.

    Args:
        problem: its data.
        warmstart: nine accelerations to take the first active set from.
    """
    never = jnp.zeros_like(warmstart[0], jnp.bool_)
    start = _Search(
        jnp.int32(0), warmstart, negative_rows(problem, warmstart), never, jnp.zeros_like(never, jnp.int32)
    )

    def running(search: _Search) -> Any:
        return (search.step < MAX_FULL_STEPS) & ~jnp.all(search.converged)

    def full_step(search: _Search) -> _Search:
        # Environments that have converged find the same accelerations again, bit for bit.
        qacc = newton_point(problem, search.active)
        active = negative_rows(problem, qacc)
        iterations = search.iterations + (~search.converged).astype(jnp.int32)
        return _Search(search.step + jnp.int32(1), qacc, active, same_set(active, search.active), iterations)

    found = jax.lax.while_loop(running, full_step, start)
    full = found.converged
    found = _safeguarded(problem, found)
    return Solution(found.qacc, found.active, found.converged, found.iterations, ~full)


def _safeguarded(problem: Problem, search: _Search) -> _Search:
    """Newton with an exact line search, for the environments that have not converged."""

    def running(carry: tuple[_Search, Any]) -> Any:
        search, _ = carry
        return (search.step < MAX_SAFEGUARDED_STEPS) & ~jnp.all(search.converged)

    def step(carry: tuple[_Search, Any]) -> tuple[_Search, Any]:
        search, base = carry
        target = newton_point(problem, search.active)
        reached = negative_rows(problem, target)
        done = same_set(reached, search.active)
        direction = tuple(t - b for t, b in zip(target, base, strict=True))
        length = line_minimum(problem, base, direction)
        ahead = tuple(b + length * d for b, d in zip(base, direction, strict=True))

        def choose(if_done: Any, if_not: Any) -> Any:
            return jax.tree.map(lambda a, b: jnp.where(done, a, b), if_done, if_not)

        moved = _Search(
            search.step + jnp.int32(1),
            choose(target, ahead),
            choose(reached, negative_rows(problem, ahead)),
            done,
            search.iterations + jnp.int32(1),
        )
        kept = jax.tree.map(lambda a, b: jnp.where(search.converged, a, b), search[1:], moved[1:])
        return _Search(moved.step, *kept), choose(target, ahead)

    start = search._replace(step=jnp.int32(0))
    found, _ = jax.lax.while_loop(running, step, (start, search.qacc))
    return found


def line_minimum(problem: Problem, base: tuple[Scalar, ...], direction: tuple[Scalar, ...]) -> Scalar:
    """Length of the step along ``direction`` that minimises the convex function, at least 0.

    Its derivative along the line is piecewise linear and increasing; Newton's method on it, kept inside a bracket,
    finds the root after a few kinks.
    """
    n0, t0, l0 = rows(problem.constraints, base, move(problem.position, base))
    zero = jnp.zeros_like(base[0])
    homogeneous = problem.constraints._replace(
        contacts=tuple(c._replace(normal=zero, tangent=zero) for c in problem.constraints.contacts),
        limits=tuple(limit._replace(offset=zero) for limit in problem.constraints.limits),
    )
    n1, t1, l1 = rows(homogeneous, direction, move(problem.position, direction))
    weights, starts, slopes = [], [], []
    for i, contact in enumerate(problem.constraints.contacts):
        d = contact.stiffness
        weights += [2 * d, d, d]
        starts += [n0[i], n0[i] + t0[i], n0[i] - t0[i]]
        slopes += [n1[i], n1[i] + t1[i], n1[i] - t1[i]]
    for i, limit in enumerate(problem.constraints.limits):
        weights, starts, slopes = [*weights, limit.stiffness], [*starts, l0[i]], [*slopes, l1[i]]

    inertia_direction = times_mass(problem.rigid, problem.position, direction)
    curvature0 = _dot(direction, inertia_direction)
    slope0 = _dot(base, inertia_direction) - _dot(direction, problem.force)

    def derivative(length: Scalar) -> tuple[Scalar, Scalar]:
        slope, curvature = slope0 + length * curvature0, curvature0
        for d, start, rate in zip(weights, starts, slopes, strict=True):
            push = jnp.where(start + length * rate < 0, d * rate, zero)
            slope = slope + push * (start + length * rate)
            curvature = curvature + push * rate
        return slope, curvature

    def refine(_: Any, carry: tuple[Scalar, Scalar, Scalar]) -> tuple[Scalar, Scalar, Scalar]:
        length, low, high = carry
        slope, curvature = derivative(length)
        low, high = jnp.where(slope < 0, length, low), jnp.where(slope < 0, high, length)
        newton = length - slope / curvature
        inside = (newton > low) & (newton < high)
        return jnp.where(inside, newton, 0.5 * (low + high)), low, high

    one = jnp.ones_like(zero)
    length, _, _ = jax.lax.fori_loop(0, LINE_SEARCH_STEPS, refine, (one, zero, 2 * one))
    return length


def _dot(a: tuple[Scalar, ...], b: tuple[Scalar, ...]) -> Scalar:
    return functools.reduce(jnp.add, (x * y for x, y in zip(a, b, strict=True)))
