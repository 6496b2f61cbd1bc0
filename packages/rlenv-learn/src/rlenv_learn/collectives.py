"""Sums over environments that may lie on several devices.

``shards`` is the name of the mesh axis over which environments are spread, inside `jax.shard_map`; None on one device,
where these are the functions of `jax.numpy`.
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


def mean(x: Any, shards: str | None, axes: tuple[int, ...] | None = None) -> Any:
    """Mean over ``axes`` (all, where None) and all shards."""
    return average(jnp.mean(x, axes), shards)


def var(x: Any, shards: str | None, axes: tuple[int, ...] | None = None) -> Any:
    """Variance over ``axes`` (all, where None) and all shards."""
    if shards is None:
        return jnp.var(x, axes)
    return mean(jnp.square(x - mean(x, shards, axes)), shards, axes)
