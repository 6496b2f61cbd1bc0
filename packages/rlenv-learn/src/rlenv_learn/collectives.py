"""Weighted sums over environments that may lie on several devices.

``shards`` is the name of the mesh axis over which environments are spread, inside `jax.shard_map`; None on one device.
"""

from __future__ import annotations

from typing import Any, Final

import jax
import jax.numpy as jnp

AXIS: Final = "envs"
"""Name of the mesh axis."""


def count(shards: str | None) -> int:
    """How many shards there are."""
    return 1 if shards is None else int(jax.lax.axis_size(shards))


def average(tree: Any, shards: str | None) -> Any:
    """Mean of each leaf over the shards, which hold equally much."""
    return tree if shards is None else jax.lax.pmean(tree, shards)


def total(tree: Any, shards: str | None) -> Any:
    """Sum of each leaf over the shards."""
    return tree if shards is None else jax.lax.psum(tree, shards)


def mean(x: Any, weight: Any, shards: str | None) -> Any:
    """Mean over the leading axes, which are those of ``weight`` (float32), and over all shards."""
    axes = tuple(range(weight.ndim))
    spread = weight.reshape(*weight.shape, *[1] * (x.ndim - weight.ndim))
    return total(jnp.sum(x * spread, axes), shards) / weight_of(weight, shards)


def var(x: Any, weight: Any, shards: str | None) -> Any:
    """Variance, likewise."""
    return mean(jnp.square(x - mean(x, weight, shards)), weight, shards)


def weight_of(weight: Any, shards: str | None) -> Any:
    """Sum of the weights over all shards, at least 1, so that nothing at all has mean 0."""
    return jnp.maximum(total(jnp.sum(weight), shards), jnp.float32(1))
