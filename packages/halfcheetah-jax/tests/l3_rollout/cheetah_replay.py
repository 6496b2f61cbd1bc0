"""Recorded episodes of MuJoCo, replayed on whatever device JAX has: MuJoCo itself is needed to record alone.

python tests/l3_rollout/cheetah_replay.py    record traces/episodes.npz anew (the result is always the same)
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp
from cheetah_steps import IGNORED, STEP_TOLERANCES, our_step

from rlenv_shared.verification.differences import Report
from rlenv_shared.verification.teacher import teacher_forced
from rlenv_shared.verification.trajectory import Trajectory

TRACE: Final = Path(__file__).resolve().parent / "traces" / "episodes.npz"
EPISODES, STEPS, SEED = 10, 60, 23


def replay(trace: Trajectory, dtype: Any, backend: str = "auto") -> Report:
    """Compare every single step from MuJoCo's recorded state, within the tolerances of L3."""
    with jax.enable_x64(dtype == jnp.float64):
        step_from = our_step(dtype, backend)
        return teacher_forced(trace, step_from, tolerances=STEP_TOLERANCES[dtype], ignore=IGNORED)


def record() -> Trajectory:
    """The episodes, from MuJoCo at tolerance 0, without the accelerations that a solver may start from."""
    from cheetah_rollouts import reference_episodes

    played = reference_episodes(EPISODES, STEPS, SEED)
    steps, initial = (
        {name: array for name, array in fields.items() if "qacc_warmstart" not in name}
        for fields in (played.steps, played.initial)
    )
    return dataclasses.replace(played, steps=steps, initial=initial)


if __name__ == "__main__":
    import sys

    sys.path.insert(0, str(Path(__file__).resolve().parents[4]))  # references.<name>.adapter
    TRACE.parent.mkdir(exist_ok=True)
    record().save(TRACE)
    print(f"written to {TRACE}")
