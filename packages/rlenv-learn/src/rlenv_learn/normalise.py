"""Running moments, kept in the training state, to normalise observations and rewards."""

from __future__ import annotations

import math
from typing import Final, Self

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Real

from rlenv_learn.collectives import count, mean, var
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

    def update(self, samples: Real[Array, "*batch *shape"], shards: str | None = None) -> Self:
        """Merge a batch, by the parallel algorithm of Chan, Golub and LeVeque (1979).

        Args:
            samples: this shard's part of the batch.
            shards: see :mod:`rlenv_learn.collectives`.
        """
        axes = tuple(range(samples.ndim - self.mean.ndim))
        batch = jnp.float32(math.prod(samples.shape[: len(axes)]) * count(shards))
        samples = samples.astype(jnp.float32)
        total = self.count + batch
        weight = batch / total
        delta = mean(samples, shards, axes) - self.mean
        rest = jnp.float32(1) - weight
        variance = rest * self.var + weight * var(samples, shards, axes) + weight * rest * delta * delta
        return self.replace(count=total, mean=self.mean + weight * delta, var=variance)

    def scale(self) -> Float[Array, "*shape"]:
        """Standard deviation, 1 where nothing has varied yet."""
        return jnp.sqrt(jnp.where(self.var > EPSILON, self.var, jnp.ones_like(self.var)))

    def normalise(self, x: Real[Array, "*batch *shape"]) -> Float[Array, "*batch *shape"]:
        """Shift and scale to mean 0 and variance 1, clipped."""
        return jnp.clip((x.astype(jnp.float32) - self.mean) / self.scale(), -CLIP, CLIP)
