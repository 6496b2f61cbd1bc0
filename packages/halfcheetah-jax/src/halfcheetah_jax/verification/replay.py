"""Recorded episodes of MuJoCo, replayed on whatever device JAX has: MuJoCo itself is needed to record alone."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp

from halfcheetah_jax.verification.steps import IGNORED, STEP_TOLERANCES, our_step
from rlenv_shared.verification.differences import Differences
from rlenv_shared.verification.teacher import teacher_forced
from rlenv_shared.verification.trajectory import Trajectory

EPISODES, STEPS, SEED = 10, 60, 23


def replay(trace: Trajectory, dtype: str, backend: str = "auto") -> Differences:
    """Compare every single step from MuJoCo's recorded state, within the tolerances of L3."""
    with jax.enable_x64(dtype == "float64"):
        step_from = our_step(getattr(jnp, dtype), backend)
        return teacher_forced(trace, step_from, tolerances=STEP_TOLERANCES[dtype], ignore=IGNORED)


def record() -> Trajectory:
    """The episodes, from MuJoCo at tolerance 0, always the same; without the accelerations to start a solver from."""
    from halfcheetah_jax.verification.rollouts import reference_episodes

    played = reference_episodes(EPISODES, STEPS, SEED)
    steps, initial = (
        {name: array for name, array in fields.items() if "qacc_warmstart" not in name}
        for fields in (played.steps, played.initial)
    )
    return dataclasses.replace(played, steps=steps, initial=initial)
