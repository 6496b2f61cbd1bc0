"""Recorded rollouts of the original C, replayed on whatever device JAX has: the C is needed to record alone."""

from __future__ import annotations

from typing import Final

from puffer_pong.jax import EnvParams, Pong
from rlenv_shared.verification.compare import compare
from rlenv_shared.verification.differences import Differences
from rlenv_shared.verification.record import record_jax
from rlenv_shared.verification.trajectory import Trajectory

ENVS: Final = 16
STEPS: Final = 600
SEED: Final = 21
MAX_SCORE: Final = {1: 1, 8: 3}  # by frameskip, so low that games end on the way
ONLY_JAX: Final = ("state.time",)  # for the time limit, which the original does not have


def replay(trace: Trajectory, frameskip: int) -> Differences:
    """Compare every bit of state, generator, reward, flags and observation, synchronised at the reset alone."""
    params = EnvParams(max_score=MAX_SCORE[frameskip])
    ours = record_jax(Pong(frameskip), trace.steps["action"], params=params, seed=SEED)
    return compare(ours, trace, ignore=ONLY_JAX)


def record(frameskip: int) -> Trajectory:
    """The rollouts, from the unmodified C; always the same ones."""
    from puffer_pong.verification.rollouts import actions_for, record_c

    actions = actions_for(False, SEED, STEPS, ENVS)
    return record_c(actions, frameskip, SEED, max_score=MAX_SCORE[frameskip])
