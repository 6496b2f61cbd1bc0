"""The duel of the training runs in both engines."""

from __future__ import annotations

from typing import Any

from tcgjax.verification import HEURISTIC, POINTS_WEIGHT
from tcgjax.verification.duel import Duel, form_here


def jax_env() -> Duel:
    """Ours: steps are native on a CPU, XLA's elsewhere."""
    return Duel(form=form_here(), heuristic=HEURISTIC, points_weight=POINTS_WEIGHT)


def reference_vector_env(num_envs: int) -> Any:
    """The same games in the Python reference."""
    from tcgjax.verification.host_duel import ReferenceVectorEnv

    return ReferenceVectorEnv(num_envs, jax_env())
