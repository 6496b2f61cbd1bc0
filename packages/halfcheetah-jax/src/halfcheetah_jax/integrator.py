"""One substep: forces, constraint solve, Euler with implicit joint damping.

Source: engine_forward.c: mj_forward, mj_EulerSkip @ mujoco 4.0.0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from halfcheetah_jax import bias, constraints, inertia, model
from halfcheetah_jax.kinematics import Scalar, locate, move
from halfcheetah_jax.phases import phase
from halfcheetah_jax.solver import Problem, Solution, find_accelerations
from halfcheetah_jax.types import EnvParams, Nine


class Travel(NamedTuple):
    """State after some substeps."""

    qpos: Nine
    qvel: Nine
    warmstart: Nine  # accelerations of the last substep
    distance: Scalar  # m, along x
    converged: Scalar  # bool: the solver ended in every substep


class Substep(NamedTuple):
    """State after a substep."""

    qpos: Nine
    qvel: Nine
    solution: Solution


def prepare(qpos: Nine, qvel: Nine, control: tuple[Scalar, ...], params: EnvParams) -> Problem:
    """Forces and constraints of one state."""
    position = locate(qpos)
    velocity = move(position, qvel)
    rigid = inertia.rigid_bodies(position, params)
    against = bias.bias_force(position, velocity, rigid, params)
    hinges = (
        passive + motor - b
        for passive, motor, b in zip(
            bias.passive_force(qpos, qvel, params), bias.motor_force(control, params), against[3:], strict=True
        )
    )
    force = (*(-b for b in against[:3]), *hinges)
    return Problem(position, rigid, constraints.find(qpos, qvel, position, velocity, params), force)


def dynamics(
    qpos: Nine,
    qvel: Nine,
    control: tuple[Scalar, ...],
    warmstart: Nine,
    params: EnvParams,
) -> tuple[Problem, Solution]:
    """Accelerations of one state (what ``mj_forward`` computes)."""
    problem = prepare(qpos, qvel, control, params)
    return problem, find_accelerations(problem, warmstart)


def advance(qpos: Nine, qvel: Nine, problem: Problem, solution: Solution, params: EnvParams) -> Substep:
    """Euler step of `model.TIME_STEP`, implicit in the damping of the joints.

    The velocity update solves ``(M + h B) y = M qacc`` for damping B.  As ``M qacc`` is what `find_accelerations` made
    equal to all forces, ``y = qacc - (M + h B)^-1 h B qacc``: no force has to be summed again.
    """
    h, qacc = model.TIME_STEP, solution.qacc
    damping = tuple(h * b for b in params.damping)
    stiff = tuple(armature + hb for armature, hb in zip(model.ARMATURE, damping, strict=True))
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


def substep(
    qpos: Nine,
    qvel: Nine,
    control: tuple[Scalar, ...],
    warmstart: Nine,
    params: EnvParams,
) -> Substep:
    """One substep from a state, its controls and the last substep's accelerations."""
    problem, solution = dynamics(qpos, qvel, control, warmstart, params)
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

    def body(_: Any, before: Travel) -> Travel:
        after = substep(before.qpos, before.qvel, control, before.warmstart, params)
        # Summed velocities: at x = 1 km a float32 difference of positions would be off by 6e-5 m.
        distance = before.distance + model.TIME_STEP * after.qvel[0]
        converged = before.converged & after.solution.converged
        return Travel(after.qpos, after.qvel, after.solution.qacc, distance, converged)

    zero = jnp.zeros_like(qpos[0])
    start = Travel(qpos, qvel, warmstart, zero, jnp.ones_like(zero, jnp.bool_))
    return jax.lax.fori_loop(0, substeps, body, start)
