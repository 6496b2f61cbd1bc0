"""Recorded episodes of Gymnasium, replayed on whatever device JAX has: Gymnasium itself is needed to record alone."""

from __future__ import annotations

from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from acrobot_jax import Acrobot
from acrobot_jax.controller import swing
from acrobot_jax.verification.rollouts import ENV_ID, decided
from acrobot_jax.verification.tolerances import NO_GENERATOR, NOT_COMPARED, STEP_TOLERANCES
from rlenv_shared.verification.differences import Differences
from rlenv_shared.verification.locate import reference
from rlenv_shared.verification.record import jax_step_from
from rlenv_shared.verification.teacher import teacher_forced
from rlenv_shared.verification.trajectory import Trajectory

EPISODES: Final = 40
SWUNG: Final = 36  # of them, played by the hand-written player until they are high
SEED: Final = 5


def replay(trace: Trajectory, dtype: str) -> Differences:
    """Compare every single step from Gymnasium's recorded state, within the tolerances of L3."""
    with jax.enable_x64(dtype == "float64"):
        step_from = jax_step_from(Acrobot(dtype=getattr(jnp, dtype)), fill=NO_GENERATOR)
        return teacher_forced(
            trace,
            step_from,
            tolerances=STEP_TOLERANCES[dtype],
            ignore=NOT_COMPARED[dtype],
            where=decided(trace, getattr(jnp, dtype)),
        )


def record() -> Trajectory:
    """The episodes, from Gymnasium; always the same ones."""
    die = np.random.default_rng(SEED)

    def policy(states: Any) -> Any:
        thrown = die.integers(0, 3, len(states))
        return np.where(np.arange(len(states)) < SWUNG, swing(states), thrown)

    return reference("gymnasium_classic").record_episodes(policy, EPISODES, seed=SEED, env_id=ENV_ID)
