"""A curriculum of opponents, the weakest first: who wins often enough meets the next one."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax.numpy as jnp
import numpy as np

from pokejax.learning.versus import VersusParams
from rlenv_shared.errors import InvalidParamsError


@dataclasses.dataclass(frozen=True)
class Promotion:
    """The curriculum of a training run, as `rlenv_learn.train` takes it; stage ``n`` is that of opponent ``n``.

    Args:
        opponents: how many there are.
        points: share of the points (a win 1, a tie a half) from which on the next stage begins.
        battles: over how many the share is taken: the mean of those of a rollout, weighed by how many they are.
        review: share of the battles of a stage against opponents of earlier ones.

    Raises:
        InvalidParamsError: a share outside of 0 to 1, or a number below 1.
    """

    opponents: int
    points: float = 0.7
    battles: int = 4000
    review: float = 0.2

    def __post_init__(self) -> None:
        for name in ("points", "review"):
            if not 0 <= getattr(self, name) <= 1:
                raise InvalidParamsError(f"Promotion.{name}", getattr(self, name), "a share, 0 to 1", "correct it")
        for name in ("opponents", "battles"):
            if getattr(self, name) < 1:
                raise InvalidParamsError(f"Promotion.{name}", getattr(self, name), "an integer >= 1", "raise it")

    def shares(self, stage: Any) -> Any:
        """Shares of the opponents in a stage, float32 ``[opponents]``."""
        number = np.arange(self.opponents, dtype=np.int32)
        earlier = jnp.where(stage > 0, np.float32(self.review) / jnp.maximum(stage, 1), np.float32(0))
        now = jnp.where(stage > 0, np.float32(1 - self.review), np.float32(1))
        return jnp.where(number == stage, now, jnp.where(number < stage, earlier, np.float32(0))).astype(jnp.float32)

    def __call__(self, params: VersusParams, sums: Any) -> tuple[VersusParams, dict[str, Any]]:
        """Parameters of the next rollout, and what the record tells: the stage and the share of the points in it."""
        count = sums["episodes"].astype(jnp.float32)
        won = (sums["return_sum"] / jnp.maximum(count, 1) + 1) / 2
        points = params.points + (won - params.points) * jnp.minimum(count / np.float32(self.battles), 1)
        rises = (points >= np.float32(self.points)) & (params.stage < self.opponents - 1)
        stage = params.stage + rises.astype(jnp.int32)
        told = {"stage": stage, "points": points}
        points = jnp.where(rises, np.float32(0), points)
        return params.replace(stage=stage, points=points, shares=self.shares(stage)), told
