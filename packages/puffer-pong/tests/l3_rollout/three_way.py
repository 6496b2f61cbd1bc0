"""Whole rollouts of the original C, Rust and JAX: what the quick tests and tests/verify.py have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from references.puffer_pong.adapter import PufferPong

from puffer_pong import PongBuffers
from puffer_pong.config import STATE_DTYPE
from puffer_pong.jax import EnvParams, Pong
from rlenv_shared.rollout.compare import Tolerance, compare
from rlenv_shared.rollout.record import jax_step_from, random_actions, random_uniform_actions, record_jax
from rlenv_shared.rollout.report import Report
from rlenv_shared.rollout.teacher import teacher_forced
from rlenv_shared.rollout.trajectory import Trajectory

Geometry = Mapping[str, float]

GEOMETRIES: Mapping[str, Geometry] = {
    "default": {},
    "integers": {
        "width": 333, "height": 211, "paddle_height": 41, "ball_width": 17, "ball_height": 23, "paddle_speed": 5,
        "ball_initial_speed_x": 7, "ball_initial_speed_y": 2, "ball_max_speed_y": 11, "ball_speed_y_increment": 2,
    },
    "fractions": {
        "width": 421.7, "height": 333.3, "paddle_height": 55.5, "ball_width": 12.25, "ball_height": 19.9,
        "paddle_speed": 6.3, "ball_initial_speed_x": 8.9, "ball_initial_speed_y": 1.7, "ball_max_speed_y": 9.1,
        "ball_speed_y_increment": 2.3,
    },
    # So narrow that a step of 8 frames holds a hit and a point: the last reward counts.
    "narrow": {
        "width": 64, "height": 80, "paddle_height": 20, "ball_width": 10, "ball_height": 8, "paddle_speed": 4,
        "ball_initial_speed_x": 12, "ball_max_speed_y": 6,
    },
    "served to the left": {"width": 250, "height": 500, "paddle_height": 30, "ball_initial_speed_x": -9},
}  # fmt: skip

ONLY_JAX = ("state.time",)  # for the time limit, which the original does not have
# Quotients of numbers that are no small integers; the state has no tolerance.
STEP_TOLERANCES = {"obs": Tolerance("ONE_ULP", ulp=1)}


def actions_for(continuous: bool, seed: int, steps: int, envs: int) -> NDArray[Any]:
    """Uniform actions; continuous ones reach beyond [-1, 1] to be clipped."""
    if continuous:
        return random_uniform_actions(seed, steps, envs, -1.25, 1.25)
    return random_actions(seed, steps, envs, 3)


def record_c(actions: NDArray[Any], frameskip: int, seed: int, continuous: bool = False, **geometry: Any) -> Trajectory:
    """The unmodified C with the counter generator."""
    reference = PufferPong(actions.shape[1], frameskip, continuous, **geometry)
    reference.reset(seed)
    return reference.rollout(actions)


def record_rust(
    actions: NDArray[Any], frameskip: int, seed: int, continuous: bool = False, **geometry: Any
) -> Trajectory:
    """Our Rust."""
    steps, envs = actions.shape
    pong = PongBuffers(envs, frameskip=frameskip, continuous=continuous, num_threads=1, **geometry)
    obs, reward = np.empty((steps, envs, 8), np.float32), np.empty((steps, envs), np.float32)
    states, terminated = np.empty((steps, envs), STATE_DTYPE), np.empty((steps, envs), np.bool_)
    first_obs = pong.reset(seed)[0].copy()
    first = _named(pong.get_state())
    for t, action in enumerate(actions):
        obs[t], reward[t], terminated[t], *_ = pong.step(action)
        states[t] = pong.get_state()
    recorded = {"action": actions, **_named(states), "obs": obs, "reward": reward, "terminated": terminated}
    recorded["truncated"] = np.zeros((steps, envs), np.bool_)
    return Trajectory(recorded, {**first, "obs": first_obs}, {"implementation": "rust"})


def _named(states: NDArray[Any]) -> dict[str, NDArray[Any]]:
    fields = {f"state.{name}": states[name].copy() for name in STATE_DTYPE.names or () if name != "rng"}
    return fields | {f"rng.{i}": states["rng"][..., i].copy() for i in range(3)}


def jax_equals_c(frameskip: int, envs: int, steps: int, seed: int, loop: Any = "auto", **geometry: Any) -> Report:
    """JAX against C, discrete actions, synchronised at the reset alone; every bit."""
    actions = actions_for(False, seed, steps, envs)
    ours = record_jax(Pong(frameskip, loop=loop), actions, params=EnvParams(**geometry), seed=seed)
    return compare(ours, record_c(actions, frameskip, seed, **geometry), ignore=ONLY_JAX)


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
