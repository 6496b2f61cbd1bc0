"""The duel of the training runs in both engines."""

from __future__ import annotations

from typing import Any

import jax

from tcgjax.verification import HEURISTIC, POINTS_WEIGHT
from tcgjax.verification.duel import COMPILED_BY_XLA, Duel


def jax_env() -> Duel:
    """Ours: steps are native on a CPU, XLA's elsewhere."""
    return Duel(
        form="native" if jax.default_backend() == "cpu" else COMPILED_BY_XLA,
        heuristic=HEURISTIC,
        points_weight=POINTS_WEIGHT,
    )


def reference_vector_env(num_envs: int) -> Any:
    """The same games in the Python reference."""
    from tcgjax.verification.host_duel import ReferenceVectorEnv

    return ReferenceVectorEnv(num_envs, jax_env())
