"""Recorded rollouts of the original C, replayed on whatever device JAX has: the C is needed to record alone.

python tests/l3_rollout/pong_replay.py    record traces/*.npz anew (the result is always the same)
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from puffer_pong.jax import EnvParams, Pong
from rlenv_shared.verification.compare import compare
from rlenv_shared.verification.differences import Report
from rlenv_shared.verification.record import record_jax
from rlenv_shared.verification.trajectory import Trajectory

TRACES: Final = Path(__file__).resolve().parent / "traces"
FRAMESKIPS: Final = (1, 8)
ENVS: Final = 16
STEPS: Final = 600
SEED: Final = 21
MAX_SCORE: Final = {1: 1, 8: 3}  # so low that games end on the way
ONLY_JAX: Final = ("state.time",)  # for the time limit, which the original does not have


def trace_path(frameskip: int) -> Path:
    """Where the rollouts with a frameskip are recorded."""
    return TRACES / f"frameskip-{frameskip}.npz"


def replay(trace: Trajectory, frameskip: int) -> Report:
    """Compare every bit of state, generator, reward, flags and observation, synchronised at the reset alone."""
    params = EnvParams(max_score=MAX_SCORE[frameskip])
    ours = record_jax(Pong(frameskip), trace.steps["action"], params=params, seed=SEED)
    return compare(ours, trace, ignore=ONLY_JAX)


def record(frameskip: int) -> Trajectory:
    """The rollouts, from the unmodified C."""
    from three_way import actions_for, record_c

    actions = actions_for(False, SEED, STEPS, ENVS)
    return record_c(actions, frameskip, SEED, max_score=MAX_SCORE[frameskip])


if __name__ == "__main__":
    import sys

    sys.path[:0] = [str(Path(__file__).resolve().parents[4]), str(Path(__file__).resolve().parents[1])]
    TRACES.mkdir(exist_ok=True)
    for skip in FRAMESKIPS:
        record(skip).save(trace_path(skip))
        print(f"written to {trace_path(skip)}")
