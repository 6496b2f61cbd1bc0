"""Borders inside the compiled program.

XLA's fusion on a CPU copies the computation of a value into every kernel that reads it, and the copies multiply from
joint to joint: left alone, one step takes most of a minute to compile.  A *phase* is compiled as a function of its own,
so that what it returns is computed once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import jax
from jax.experimental.xla_metadata import set_xla_metadata

P = ParamSpec("P")
R = TypeVar("R")


def phase(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function apart from its caller.

    Args:
        function: of trees of arrays and Python numbers, to arrays.  The numbers become constants of its program.
    """

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        leaves, tree = jax.tree.flatten((args, kwargs))
        arrays = [leaf for leaf in leaves if isinstance(leaf, jax.Array)]
        numbers = tuple(None if isinstance(leaf, jax.Array) else leaf for leaf in leaves)
        with set_xla_metadata(inlineable="false"):
            return _compiled(function, tree, numbers)(*arrays)

    return call


@functools.cache
def _compiled(function: Callable, tree: Any, numbers: tuple) -> Callable:
    """The function of the arrays alone."""

    def of_arrays(*arrays: Any) -> Any:
        given = iter(arrays)
        args, kwargs = jax.tree.unflatten(tree, [next(given) if number is None else number for number in numbers])
        return function(*args, **kwargs)

    of_arrays.__name__ = function.__name__.lstrip("_")
    return jax.jit(of_arrays)
