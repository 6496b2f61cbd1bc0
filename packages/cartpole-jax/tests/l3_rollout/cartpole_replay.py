"""Recorded episodes of Gymnasium, replayed on whatever device JAX has: Gymnasium itself is needed to record alone.

python tests/l3_rollout/cartpole_replay.py    record traces/episodes.npz anew (the result is always the same)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from cartpole_tolerances import NO_GENERATOR, STEP_TOLERANCES

from cartpole_jax import CartPole
from cartpole_jax.controller import balance
from rlenv_shared.verification.differences import Report
from rlenv_shared.verification.record import jax_step_from
from rlenv_shared.verification.teacher import teacher_forced
from rlenv_shared.verification.trajectory import Trajectory

TRACE: Final = Path(__file__).resolve().parent / "traces" / "episodes.npz"
EPISODES: Final = 40
BALANCED: Final = 8  # of them, played to the time limit
SEED: Final = 5


def replay(trace: Trajectory, dtype: Any) -> Report:
    """Compare every single step from Gymnasium's recorded state, within the tolerances of L3."""
    with jax.enable_x64(dtype == jnp.float64):
        step_from = jax_step_from(CartPole(dtype=dtype), fill=NO_GENERATOR)
        return teacher_forced(trace, step_from, tolerances=STEP_TOLERANCES[dtype], ignore=("rng.*",))


def record() -> Trajectory:
    """The episodes, from Gymnasium."""
    from references.gymnasium_classic.adapter import record_episodes

    coin = np.random.default_rng(SEED)

    def policy(states: Any) -> Any:
        flips = coin.integers(0, 2, len(states))
        return np.where(np.arange(len(states)) < BALANCED, balance(states), flips)

    return record_episodes(policy, EPISODES, seed=SEED)


if __name__ == "__main__":
    import sys

    sys.path.insert(0, str(Path(__file__).resolve().parents[4]))  # references.<name>.adapter
    TRACE.parent.mkdir(exist_ok=True)
    record().save(TRACE)
    print(f"written to {TRACE}")
