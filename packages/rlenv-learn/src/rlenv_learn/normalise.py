"""Running moments, kept in the training state, to normalise observations and rewards."""

from __future__ import annotations

from typing import Any, Final, Self

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Real

from rlenv_learn.collectives import mean, total, var
from rlenv_shared.struct import Replaceable, pytree_dataclass

EPSILON: Final = np.float32(1e-8)  # variance below which a component counts as constant
CLIP: Final = np.float32(10.0)  # normalised observations are clipped to ± this many standard deviations


@pytree_dataclass
class Moments(Replaceable):
    """Count, mean and variance of everything seen (float32)."""

    count: Float[Array, ""]
    mean: Float[Array, "*shape"]
    var: Float[Array, "*shape"]

    @classmethod
    def create(cls, shape: tuple[int, ...] = ()) -> Self:
        """Moments of nothing; they leave what they normalise unchanged, but for the clipping."""
        return cls(jnp.zeros((), jnp.float32), jnp.zeros(shape, jnp.float32), jnp.zeros(shape, jnp.float32))

    def update(
        self, samples: Real[Array, "*batch *shape"], weight: Float[Array, "*batch"], shards: str | None = None
    ) -> Self:
        """Merge this shard's part of a batch, weighted 0 or 1, by the algorithm of Chan, Golub and LeVeque (1979)."""
        batch = total(jnp.sum(weight), shards)
        samples = samples.astype(jnp.float32)
        everything = jnp.maximum(self.count + batch, jnp.float32(1))
        share = batch / everything
        delta = mean(samples, weight, shards) - self.mean
        rest = jnp.float32(1) - share
        variance = rest * self.var + share * var(samples, weight, shards) + share * rest * delta * delta
        return self.replace(count=self.count + batch, mean=self.mean + share * delta, var=variance)

    def scale(self) -> Float[Array, "*shape"]:
        """Standard deviation, 1 where nothing has varied yet."""
        return jnp.sqrt(jnp.where(self.var > EPSILON, self.var, jnp.ones_like(self.var)))

    def normalise(self, x: Real[Array, "*batch *shape"]) -> Any:
        """Shift and scale to mean 0 and variance 1, clipped."""
        return jnp.clip((x.astype(jnp.float32) - self.mean) / self.scale(), -CLIP, CLIP)
