"""Whole rollouts of the original C, Rust and JAX: what the quick tests and tests/verify.py have in common."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import rust_side
from numpy.typing import NDArray
from references.puffer_pong.adapter import PufferPong

from puffer_pong import PongVectorEnv
from puffer_pong.jax import EnvParams, Pong
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.verification.compare import Tolerance, Tolerances, compare
from rlenv_shared.verification.differences import Report
from rlenv_shared.verification.record import jax_step_from, random_actions, random_uniform_actions, record_jax
from rlenv_shared.verification.teacher import teacher_forced
from rlenv_shared.verification.trajectory import Trajectory

GEOMETRIES: Mapping[str, Mapping[str, float]] = {
    "default": {},
    "integers": {
        "width": 333, "height": 211, "paddle_height": 41, "ball_width": 17, "ball_height": 23, "paddle_speed": 5,
        "ball_initial_speed_x": 7, "ball_initial_speed_y": 2, "ball_max_speed_y": 11, "ball_speed_y_increment": 2,
    },
    # So narrow that a step of 8 frames holds a hit and a point: the last reward counts.
    "narrow": {
        "width": 64, "height": 80, "paddle_height": 20, "ball_width": 10, "ball_height": 8, "paddle_speed": 4,
        "ball_initial_speed_x": 12, "ball_max_speed_y": 6,
    },
    **rust_side.GEOMETRIES,
}  # fmt: skip


def odd_geometries(count: int, seed: int) -> list[dict[str, float]]:
    """Fields of any size and speed, drawn; none of their numbers is a float32, so that every rounding counts."""
    rng, found = np.random.default_rng(seed), list[dict[str, float]]()
    while len(found) < count:
        width, height = 10.0 ** rng.uniform(-1, 3.5, 2)
        drawn = {
            "width": width,
            "height": height,
            "paddle_height": height * rng.uniform(0.1, 0.9),
            "ball_width": width * rng.uniform(0.01, 0.3),
            "ball_height": height * rng.uniform(0.01, 0.3),
            "paddle_speed": height * rng.uniform(0.01, 0.1),
            "ball_initial_speed_x": width * rng.uniform(-0.1, 0.1),
            "ball_initial_speed_y": height * rng.uniform(-0.03, 0.03),
            "ball_max_speed_y": height * rng.uniform(0.01, 0.1),
            "ball_speed_y_increment": height * rng.uniform(-0.05, 0.05),
        }
        with contextlib.suppress(InvalidParamsError):  # of a serve that leaves the field at once
            EnvParams(**drawn)
            found.append(drawn)
    return found


ONLY_JAX = ("state.time",)  # for the time limit, which the original does not have
# Quotients of numbers that are no small integers; the state has no tolerance.
STEP_TOLERANCES: Tolerances = {"obs": Tolerance("ONE_ULP", ulp=1)}


# Environment i holds each action for HOLDS[i % 4] steps: a paddle under independent random actions hovers in the middle
# and returns many balls; one that drifts to the edges loses points fast and reaches the ends of episodes.
HOLDS = (1, 4, 16, 64)


def actions_for(continuous: bool, seed: int, steps: int, envs: int) -> NDArray[Any]:
    """Uniform actions, held for a while; continuous ones reach beyond [-1, 1] to be clipped."""
    if continuous:
        drawn = random_uniform_actions(seed, steps, envs, -1.25, 1.25)
    else:
        drawn = random_actions(seed, steps, envs, 3)
    time, env = np.arange(steps)[:, None], np.arange(envs)[None, :]
    return drawn[time // np.array(HOLDS)[env % len(HOLDS)], env]


def record_c(actions: NDArray[Any], frameskip: int, seed: int, continuous: bool = False, **geometry: Any) -> Trajectory:
    """The unmodified C with the counter generator."""
    reference = PufferPong(actions.shape[1], frameskip, continuous, **geometry)
    reference.reset(seed)
    return reference.rollout(actions)


def record_rust(
    actions: NDArray[Any], frameskip: int, seed: int, continuous: bool = False, **geometry: Any
) -> Trajectory:
    """Our Rust."""
    envs = PongVectorEnv(actions.shape[1], frameskip=frameskip, continuous=continuous, num_threads=1, **geometry)
    observations, _ = envs.reset(seed=seed)
    return rust_side.record(envs, observations, actions)


def jax_equals_c(
    frameskip: int,
    envs: int,
    steps: int,
    seed: int,
    tolerances: Tolerances | None = None,
    continuous: bool = False,
    **geometry: Any,
) -> Report:
    """JAX against C, synchronised at the reset alone; every bit unless tolerances are given."""
    actions = actions_for(continuous, seed, steps, envs)
    ours = record_jax(Pong(frameskip, continuous), actions, params=EnvParams(**geometry), seed=seed)
    theirs = record_c(actions, frameskip, seed, continuous, **geometry)
    return compare(ours, theirs, tolerances=tolerances, ignore=ONLY_JAX)


def jax_steps_like_c(frameskip: int, envs: int, steps: int, seed: int, continuous: bool, **geometry: Any) -> Report:
    """JAX against C, every single step from C's state: states exact, observations within 1 ulp."""
    reference = record_c(actions_for(continuous, seed, steps, envs), frameskip, seed, continuous, **geometry)
    step_from = jax_step_from(
        Pong(frameskip, continuous), EnvParams(**geometry), auto_reset=True, fill={"state.time": 0}
    )
    return teacher_forced(reference, step_from, tolerances=STEP_TOLERANCES, ignore=ONLY_JAX)


def rust_equals_c(
    frameskip: int, envs: int, steps: int, seed: int, continuous: bool = False, **geometry: Any
) -> Report:
    """Rust against C, synchronised at the reset alone; every bit, continuous actions included."""
    actions = actions_for(continuous, seed, steps, envs)
    ours = record_rust(actions, frameskip, seed, continuous, **geometry)
    return compare(ours, record_c(actions, frameskip, seed, continuous, **geometry))


def run(frameskip: int, envs: int, steps: int, seed: int) -> dict[str, Any]:
    """C = Rust = JAX with the default geometry and discrete actions: every bit of state, generator and observation.

    Returns:
        Counts: frameskip, steps, terminals, values compared, mismatches by implementation.

    Raises:
        DivergenceError: they differ; the first difference is named.
    """
    reports = {
        "rust": rust_equals_c(frameskip, envs, steps, seed),
        "jax": jax_equals_c(frameskip, envs, steps, seed),
    }
    for report in reports.values():
        report.raise_on_divergence()
    return {
        "frameskip": frameskip,
        "steps": reports["jax"].steps,
        "terminals": reports["jax"].ends,
        "values": sum(field.compared for field in reports["jax"].fields.values()),
        "mismatches": {name: report.mismatches for name, report in reports.items()},
    }
