"""The same function of several rows: one by one, or side by side."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import jax
import jax.numpy as jnp

T = TypeVar("T")
Evaluate = Callable[..., tuple[Any, ...]]
"""`one_by_one` or `side_by_side`."""


def one_by_one(function: Callable[..., T], rows: Sequence[Any], *shared: Any) -> tuple[T, ...]:
    """``function(*row, *shared)`` of each row: the fastest program where there are many environments."""
    return tuple(function(*row, *shared) for row in rows)


def side_by_side(function: Callable[..., T], rows: Sequence[Any], *shared: Any) -> tuple[T, ...]:
    """The same by one call on arrays with an axis more in front: the shortest program.

    What is differentiated is compiled two times more, and the derivative of a copy is as long as that of all.

    Args:
        function: of scalars, element by element.
        rows: trees of one structure, of scalars of any batch shape and of numbers.
        *shared: what follows them.
    """
    parts, tree = [jax.tree.leaves(row) for row in rows], jax.tree.structure(rows[0])
    leaves = [leaf for leaf in itertools.chain(*parts) if isinstance(leaf, jax.Array)]
    shape, dtype = jnp.broadcast_shapes(*map(jnp.shape, leaves)), leaves[0].dtype

    def column(values: tuple[Any, ...]) -> Any:
        arrays = (jnp.asarray(v, dtype if isinstance(v, float | int) else None) for v in values)
        return jnp.stack([jnp.broadcast_to(array, shape) for array in arrays])

    columns = jax.tree.unflatten(tree, [column(values) for values in zip(*parts, strict=True)])
    results, form = jax.tree.flatten(function(*columns, *shared))
    split = [jax.lax.split(result, (1,) * len(rows)) for result in results]  # whose derivative is one array
    return tuple(jax.tree.unflatten(form, [jnp.squeeze(one, 0) for one in row]) for row in zip(*split, strict=True))
