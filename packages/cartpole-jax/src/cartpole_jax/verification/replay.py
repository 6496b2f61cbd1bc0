"""Recorded episodes of Gymnasium, replayed on whatever device JAX has: Gymnasium itself is needed to record alone."""

from __future__ import annotations

from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from cartpole_jax import CartPole
from cartpole_jax.controller import balance
from cartpole_jax.verification.tolerances import NO_GENERATOR, STEP_TOLERANCES
from rlenv_shared.verification.differences import Differences
from rlenv_shared.verification.locate import reference
from rlenv_shared.verification.record import jax_step_from
from rlenv_shared.verification.teacher import teacher_forced
from rlenv_shared.verification.trajectory import Trajectory

EPISODES: Final = 40
BALANCED: Final = 8  # of them, played to the time limit
SEED: Final = 5


def replay(trace: Trajectory, dtype: str) -> Differences:
    """Compare every single step from Gymnasium's recorded state, within the tolerances of L3."""
    with jax.enable_x64(dtype == "float64"):
        step_from = jax_step_from(CartPole(dtype=getattr(jnp, dtype)), fill=NO_GENERATOR)
        return teacher_forced(trace, step_from, tolerances=STEP_TOLERANCES[dtype], ignore=("rng.*",))


def record() -> Trajectory:
    """The episodes, from Gymnasium; always the same ones."""
    coin = np.random.default_rng(SEED)

    def policy(states: Any) -> Any:
        flips = coin.integers(0, 2, len(states))
        return np.where(np.arange(len(states)) < BALANCED, balance(states), flips)

    return reference("gymnasium_classic").record_episodes(policy, EPISODES, seed=SEED)
