"""One substep: forces, constraint solve, Euler with implicit joint damping.

Source: engine_forward.c: mj_forward, mj_EulerSkip @ mujoco 4.0.0.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp

from halfcheetah_jax import bias, constraints, inertia, model
from halfcheetah_jax.alike import Evaluate, one_by_one, side_by_side
from halfcheetah_jax.kinematics import Scalar, locate, move
from halfcheetah_jax.phases import phase
from halfcheetah_jax.solver import FOUND, Problem, Solution, find_accelerations
from halfcheetah_jax.types import EnvParams, Nine


class Travel(NamedTuple):
    """State after some substeps."""

    qpos: Nine
    qvel: Nine
    warmstart: Nine  # accelerations of the last substep
    distance: Scalar  # m, along x
    converged: Scalar  # bool: the solver ended in every substep
    diverged: Scalar  # bool: MuJoCo would have restarted from rest in one of the substeps


class Substep(NamedTuple):
    """State after a substep."""

    qpos: Nine
    qvel: Nine
    solution: Solution


def prepare(
    qpos: Nine,
    qvel: Nine,
    control: tuple[Scalar, ...],
    params: EnvParams,
    evaluate: Evaluate = one_by_one,
) -> Problem:
    """Forces and constraints of one state."""
    position = locate(qpos, params.qpos0, evaluate)
    velocity = move(position, qvel)
    rigid = inertia.rigid_bodies(position, params)
    against = bias.bias_force(position, velocity, rigid, params, evaluate)
    hinges = (
        passive + motor - b
        for passive, motor, b in zip(
            bias.passive_force(qpos, qvel, params), bias.motor_force(control, params), against[3:], strict=True
        )
    )
    force = (*(-b for b in against[:3]), *hinges)
    found = constraints.find(qpos, qvel, position, velocity, params, evaluate)
    return Problem(position, rigid, params.armature, found, force, evaluate)


def dynamics(
    qpos: Nine,
    qvel: Nine,
    control: tuple[Scalar, ...],
    warmstart: Nine,
    params: EnvParams,
    evaluate: Evaluate = one_by_one,
) -> tuple[Problem, Solution]:
    """Accelerations of one state (what ``mj_forward`` computes)."""
    problem = prepare(qpos, qvel, control, params, evaluate)
    return problem, find_accelerations(problem, warmstart)


def advance(qpos: Nine, qvel: Nine, problem: Problem, solution: Solution, params: EnvParams) -> Substep:
    """Euler step, implicit in the damping of the joints.

    The velocity update solves ``(M + h B) y = M qacc`` for damping B.  As ``M qacc`` is what `find_accelerations` made
    equal to all forces, ``y = qacc - (M + h B)^-1 h B qacc``: no force has to be summed again.
    """
    h, qacc = params.time_step, solution.qacc
    damping = tuple(h * b for b in params.damping)
    stiff = tuple(armature + hb for armature, hb in zip(params.armature, damping, strict=True))
    lost, _ = inertia.solve(
        inertia.rigid_inertias(problem.rigid),
        stiff,
        (0.0, 0.0, 0.0, *(hb * a for hb, a in zip(damping, qacc[3:], strict=True))),
        None,
        problem.position,
    )
    new_qvel = tuple(v + h * (a - y) for v, a, y in zip(qvel, qacc, lost, strict=True))
    new_qpos = tuple(q + h * v for q, v in zip(qpos, new_qvel, strict=True))
    return Substep(new_qpos, new_qvel, solution)


def is_bad(values: tuple[Scalar, ...]) -> Scalar:
    """Whether one of some positions, velocities or accelerations makes MuJoCo give up and restart from rest.

    Source: engine_forward.c: mj_checkPos, mj_checkVel, mj_checkAcc @ mujoco 4.0.0.
    """
    good = (jnp.abs(value) <= model.MAX_VALUE for value in values)  # False for NaN
    return ~functools.reduce(jnp.logical_and, good)


def substep(
    qpos: Nine,
    qvel: Nine,
    control: tuple[Scalar, ...],
    warmstart: Nine,
    params: EnvParams,
    evaluate: Evaluate = one_by_one,
) -> Substep:
    """One substep from a state, its controls and the last substep's accelerations."""
    problem, solution = dynamics(qpos, qvel, control, warmstart, params, evaluate)
    return advance(qpos, qvel, problem, solution, params)


@phase
def travel(
    qpos: Nine,
    qvel: Nine,
    control: tuple[Scalar, ...],
    warmstart: Nine,
    params: EnvParams,
    substeps: int,
) -> Travel:
    """Some substeps under one control."""
    body, start = _substeps(qpos, qvel, control, warmstart, params)
    return jax.lax.fori_loop(0, substeps, lambda _, before: body(before), start)


def smooth_travel(
    qpos: Nine,
    qvel: Nine,
    control: tuple[Scalar, ...],
    warmstart: Nine,
    params: EnvParams,
    substeps: int,
) -> Travel:
    """`travel` as a loop that JAX can run backwards.

    Backwards, each substep is computed again from its state and from what the solver found there: that is less to
    compile, and far less to keep, than every number that its derivative needs.
    """
    body, start = _substeps(qpos, qvel, control, warmstart, params, side_by_side)
    kept = jax.checkpoint_policies.save_only_these_names(FOUND)

    @functools.partial(jax.checkpoint, prevent_cse=False, policy=kept)
    def step(before: Travel, _: None) -> tuple[Travel, Scalar]:
        after = body(before)
        # A sum that is carried along would have no derivative at first, and JAX would trace the step again for that.
        return after._replace(distance=start.distance), after.distance

    after, distances = jax.lax.scan(step, start, length=substeps)
    return after._replace(distance=distances.sum(axis=0))


def _substeps(
    qpos: Nine,
    qvel: Nine,
    control: tuple[Scalar, ...],
    warmstart: Nine,
    params: EnvParams,
    evaluate: Evaluate = one_by_one,
) -> tuple[Callable[[Travel], Travel], Travel]:
    """``(one substep, where the first one starts)``."""

    def body(before: Travel) -> Travel:
        after = substep(before.qpos, before.qvel, control, before.warmstart, params, evaluate)
        # Summed velocities: at x = 1 km a float32 difference of positions would be off by 6e-5 m.
        distance = before.distance + params.time_step * after.qvel[0]
        converged = before.converged & after.solution.converged
        diverged = before.diverged | is_bad((*before.qpos, *before.qvel, *after.solution.qacc))
        return Travel(after.qpos, after.qvel, after.solution.qacc, distance, converged, diverged)

    zero = jnp.zeros_like(qpos[0])
    start = Travel(qpos, qvel, warmstart, zero, jnp.ones_like(zero, jnp.bool_), jnp.zeros_like(zero, jnp.bool_))
    return body, start
