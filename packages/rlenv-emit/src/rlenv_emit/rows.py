"""A tree of one environment as one row of words: a batch of rows is read and written in pieces, not word by word."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp


def as_row(tree: Any) -> Any:
    """All numbers of one environment, of 32 bits and less, in one array uint32 ``[n]``."""
    leaves = [leaf.reshape(-1) for leaf in jax.tree.leaves(tree)]
    return jnp.concatenate([_recoded(leaf, jnp.dtype(jnp.uint32)) for leaf in leaves])


def of_row(row: Any, like: Any) -> Any:
    """The tree of which `as_row` made a row; ``like`` has its shapes and dtypes."""
    leaves, structure, begin = [], jax.tree.structure(like), 0
    for leaf in jax.tree.leaves(like):
        part = row[begin : begin + leaf.size].reshape(leaf.shape)
        leaves.append(_recoded(part, leaf.dtype))
        begin += leaf.size
    return jax.tree.unflatten(structure, leaves)


def _recoded(words: Any, dtype: Any) -> Any:
    """The same bits; flags and small integers, which fill no word, by their values."""
    alike = words.dtype.itemsize == dtype.itemsize
    return jax.lax.bitcast_convert_type(words, dtype) if alike else words.astype(dtype)
