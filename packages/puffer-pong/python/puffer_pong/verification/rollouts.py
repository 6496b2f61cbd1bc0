"""Whole rollouts of the original C, Rust and JAX: the quick tests of L3, and all of them in `compare_rollouts`."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puffer_pong import PongVectorEnv
from puffer_pong.jax import EnvParams, make
from puffer_pong.verification import rust
from rlenv_shared.env import Env
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.verification.compare import Tolerance, Tolerances, compare
from rlenv_shared.verification.differences import Differences
from rlenv_shared.verification.locate import reference
from rlenv_shared.verification.record import jax_step_from, random_actions, random_uniform_actions, record_jax
from rlenv_shared.verification.teacher import teacher_forced
from rlenv_shared.verification.trajectory import Trajectory
from rlenv_shared.verification.verify import Findings

FRAMESKIPS = (1, 3, 8)

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
    **rust.GEOMETRIES,
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
    drawn: NDArray[Any]
    if continuous:
        drawn = random_uniform_actions(seed, steps, envs, -1.25, 1.25)
    else:
        drawn = random_actions(seed, steps, envs, 3)
    time, env = np.arange(steps)[:, None], np.arange(envs)[None, :]
    return drawn[time // np.array(HOLDS)[env % len(HOLDS)], env]


def record_c(actions: NDArray[Any], frameskip: int, seed: int, continuous: bool = False, **geometry: Any) -> Trajectory:
    """The unmodified C with the counter generator."""
    original = reference("puffer_pong").PufferPong(actions.shape[1], frameskip, continuous, **geometry)
    original.reset(seed)
    return original.rollout(actions)


def record_rust(
    actions: NDArray[Any], frameskip: int, seed: int, continuous: bool = False, **geometry: Any
) -> Trajectory:
    """Our Rust."""
    envs = PongVectorEnv(actions.shape[1], frameskip=frameskip, continuous=continuous, num_threads=1, **geometry)
    observations, _ = envs.reset(seed=seed)
    return rust.record(envs, observations, actions)


def pong(frameskip: int, continuous: bool, backend: str | None) -> Env:
    """Pong in JAX, or in the form of a backend."""
    return make(frameskip=frameskip, continuous=continuous, **({} if backend is None else {"backend": backend}))


def jax_equals_c(
    frameskip: int,
    envs: int,
    steps: int,
    seed: int,
    tolerances: Tolerances | None = None,
    continuous: bool = False,
    backend: Any = None,
    **geometry: Any,
) -> Differences:
    """JAX (or another backend) against C, synchronised at the reset alone; every bit unless tolerances are given."""
    actions = actions_for(continuous, seed, steps, envs)
    ours = record_jax(pong(frameskip, continuous, backend), actions, params=EnvParams(**geometry), seed=seed)
    theirs = record_c(actions, frameskip, seed, continuous, **geometry)
    return compare(ours, theirs, tolerances=tolerances, ignore=ONLY_JAX)


def jax_steps_like_c(
    frameskip: int, envs: int, steps: int, seed: int, continuous: bool, backend: Any = None, **geometry: Any
) -> Differences:
    """JAX (or another backend) against C, every single step from C's state: states exact, observations within 1 ulp."""
    theirs = record_c(actions_for(continuous, seed, steps, envs), frameskip, seed, continuous, **geometry)
    env = pong(frameskip, continuous, backend)
    step_from = jax_step_from(env, EnvParams(**geometry), auto_reset=True, fill={"state.time": 0})
    return teacher_forced(theirs, step_from, tolerances=STEP_TOLERANCES, ignore=ONLY_JAX)


def rust_equals_c(
    frameskip: int, envs: int, steps: int, seed: int, continuous: bool = False, **geometry: Any
) -> Differences:
    """Rust against C, synchronised at the reset alone; every bit, continuous actions included."""
    actions = actions_for(continuous, seed, steps, envs)
    ours = record_rust(actions, frameskip, seed, continuous, **geometry)
    return compare(ours, record_c(actions, frameskip, seed, continuous, **geometry))


def run(frameskip: int, envs: int, steps: int, seed: int) -> dict[str, Any]:
    """C = Rust = JAX with the default geometry and discrete actions: every bit of state, generator and observation.

    Returns:
        Counts: frameskip, steps, ends of episodes, values compared, mismatches by implementation.

    Raises:
        DivergenceError: they differ; the first difference is named.
    """
    reports = {
        "rust": rust_equals_c(frameskip, envs, steps, seed),
        "jax": jax_equals_c(frameskip, envs, steps, seed),
    }
    for differences in reports.values():
        differences.raise_on_divergence()
    return {
        "frameskip": frameskip,
        "steps": reports["jax"].steps,
        "ends": reports["jax"].ends,
        "values": sum(field.compared for field in reports["jax"].fields.values()),
        "mismatches": {name: differences.mismatches for name, differences in reports.items()},
    }


def rust_equals_c_with_glibc(frameskip: int, envs: int, steps: int, seed: int) -> Differences:
    """Rust in glibc mode against PufferLib's unhooked vector wrapper."""
    actions = np.random.default_rng(seed).integers(0, 3, (steps, envs))
    ours = PongVectorEnv(envs, rng="glibc", frameskip=frameskip)
    original = reference("puffer_pong").PufferPong(envs, rng="glibc", frameskip=frameskip)
    observations, _ = ours.reset(seed=seed)
    original.reset(seed)
    return compare(rust.record(ours, observations, actions), original.rollout(actions))


def compare_rollouts(envs: int, steps: int, seed: int, least_ends: int) -> Findings:
    """Every comparison: C = Rust = JAX in every bit, then other geometries, continuous actions, glibc's generator.

    Args:
        envs: environments.
        steps: of each.
        seed: of the resets and the actions.
        least_ends: episodes that must end in the three-way comparisons, so that one can believe the rest.
    """
    found = Findings()
    ends = 0
    for frameskip in FRAMESKIPS:
        counts = run(frameskip, envs, steps, seed)
        ends += counts["ends"]
        found.comparisons[f"C = Rust = JAX, frameskip {frameskip}"] = counts
        print(f"C = Rust = JAX, frameskip {frameskip}: {counts}", flush=True)
    for name, geometry in GEOMETRIES.items():
        for continuous in (False, True):
            if name == "default" and not continuous:
                continue  # compared bit by bit above
            label = f"{name}, {'continuous' if continuous else 'discrete'}"
            found.add(f"Rust = C, {label}", rust_equals_c(2, envs, steps, seed, continuous, **geometry))
            differences = jax_steps_like_c(2, envs, steps, seed, continuous, **geometry)
            found.add(f"JAX steps like C within 1 ulp, {label}", differences, largest_ulp=largest_ulp(differences))
    for frameskip in FRAMESKIPS:
        name = f"Rust = C with glibc's generator, frameskip {frameskip}"
        found.add(name, rust_equals_c_with_glibc(frameskip, envs, steps, seed))
    if ends < least_ends:
        found.problems.append(f"{ends} episodes ended in the three-way comparisons, at least {least_ends} are needed")
    return found


def compare_emitted(envs: int, steps: int, seed: int, least_ends: int) -> Findings:
    """The native JAX step against C: every bit of rollouts, then every step in other fields within 1 ulp."""
    found = Findings()
    for frameskip in FRAMESKIPS:
        differences = jax_equals_c(frameskip, envs, steps, seed, backend="emit")
        found.add(f"emitted = C, frameskip {frameskip}", differences)
        if differences.ends < least_ends:
            found.problems.append(f"{differences.ends} episodes ended at frameskip {frameskip}, not {least_ends}")
    for name, geometry in GEOMETRIES.items():
        for continuous in (False, True):
            differences = jax_steps_like_c(2, envs, steps, seed, continuous, backend="emit", **geometry)
            label = f"{name}, {'continuous' if continuous else 'discrete'}"
            found.add(f"emitted steps like C within 1 ulp, {label}", differences, largest_ulp=largest_ulp(differences))
    return found


def largest_ulp(differences: Differences) -> int:
    """Largest difference of any float."""
    return max((field.max_ulp or 0 for field in differences.fields.values()), default=0)
