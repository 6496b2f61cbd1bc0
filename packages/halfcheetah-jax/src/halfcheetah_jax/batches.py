"""One environment and a batch of them through the same program, and its derivatives."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, TypeVar

import jax
import jax.numpy as jnp

T = TypeVar("T")
LANES: Final = 8  # of a vector register, which costs no more than the one number it would hold otherwise


def on_batches(run: Callable[..., T], smooth: Callable[..., T]) -> Callable[..., T]:
    """Let a function of batches serve single environments, and `jax.vmap` of single environments a batch.

    A solver's loop under `jax.vmap` would choose, number by number and iteration by iteration, between going on and
    staying; a function that sees the whole batch need not.  And as one environment is computed in a batch too, it is
    rounded the same alone as among others: in float32 a compiler is free to round the two unlike.

    Args:
        run: ``(*state, params, *numbers)`` with state arrays ``[B]``; arrays in ``params`` are ``[B]`` or scalar.
        smooth: the same of arrays of any shape, made of what JAX can differentiate in both directions.  It runs in
            place of ``run`` where derivatives are asked for, and only there.

    Returns:
        The same function of scalar arrays.
    """

    @functools.wraps(run)
    def call(*args: Any) -> T:
        leaves, tree = jax.tree.flatten(args)
        first_param = len(jax.tree.leaves(args[:4]))
        where = [i for i, leaf in enumerate(leaves) if isinstance(leaf, jax.Array)]

        def whole(arrays: Any, is_batched: Any, size: int) -> T:
            filled = list(leaves)
            for i, array, batched in zip(where, arrays, is_batched, strict=True):
                filled[i] = array if batched or i >= first_param else jnp.broadcast_to(array, (size,))
            return run(*jax.tree.unflatten(tree, filled))

        @jax.custom_batching.custom_vmap
        def one(*arrays: Any) -> T:
            return jax.tree.map(lambda leaf: leaf[0], whole(arrays, [False] * len(arrays), LANES))

        @one.def_vmap
        def batch(size: int, is_batched: Any, *arrays: Any) -> tuple[T, Any]:
            result = whole(arrays, is_batched, size)
            return result, jax.tree.map(lambda _: True, result)

        @jax.custom_jvp
        def differentiable(*arrays: Any) -> T:
            return one(*arrays)

        @differentiable.defjvp
        def derivative(arrays: Any, tangents: Any) -> tuple[T, T]:
            def of_arrays(*arrays: Any) -> T:
                filled = list(leaves)
                for i, array in zip(where, arrays, strict=True):
                    filled[i] = array
                return smooth(*jax.tree.unflatten(tree, filled))

            return jax.jvp(of_arrays, arrays, tangents)

        return differentiable(*(leaves[i] for i in where))

    return call
