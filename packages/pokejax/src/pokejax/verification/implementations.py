"""What policies are trained in."""

from __future__ import annotations

from typing import Any

import jax

from pokejax.env import RandomBattle
from pokejax.learning.curriculum import Promotion
from pokejax.learning.versus import Versus
from pokejax.verification import STAGES
from rlenv_emit import emit_env


def jax_env() -> Any:
    """One seat against the opponents of all stages: steps are native on a CPU, XLA's elsewhere."""
    env = Versus(STAGES)
    return emit_env(env) if jax.default_backend() == "cpu" else env


def curriculum() -> Promotion:
    """From the weakest opponent to the strongest."""
    return Promotion(len(STAGES))


def base_power_env() -> Any:
    """One seat against the highest base power, with the observation of the battle: what Showdown can be trained in."""
    env = Versus(("base-power",), RandomBattle())
    return emit_env(env) if jax.default_backend() == "cpu" else env


def showdown_vector_env(num_envs: int) -> Any:
    """The same battles in Showdown."""
    from pokejax.verification.host_versus import ShowdownVectorEnv

    return ShowdownVectorEnv(num_envs, base_power_env())
