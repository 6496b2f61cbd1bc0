"""Choosing by flags instead of by index: elementwise, so that it runs in a kernel and vectorises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rlenv_shared.packing.fields import bad


def select(condition: Any, new: Any, old: Any) -> Any:
    """``new`` where the bool array ``condition`` holds, ``old`` elsewhere: one operation where the shapes agree."""
    if all(isinstance(x, (np.ndarray, np.generic)) for x in (condition, new, old)):
        return np.where(condition, new, old)
    import jax
    import jax.numpy as jnp

    same = np.shape(new) == np.shape(old) and np.shape(condition) in ((), np.shape(old))
    return (jax.lax.select if same else jnp.where)(condition, new, old)


def one_hot(index: Any, size: int) -> tuple[Any, ...]:
    """``index == i`` for each of ``size`` places: bool arrays, computed once and used often; no place for -1."""
    return tuple(index == np.int32(i) for i in range(size))


def pick(values: Sequence[Any], hot: Sequence[Any]) -> Any:
    """The value (array or pytree) at the hot place, by flags from `one_hot`; the first one if no place is hot."""
    import jax

    _same_length(values, hot)
    chosen = values[0]
    for value, is_here in zip(values[1:], hot[1:], strict=True):
        chosen = jax.tree.map(lambda new, old, here=is_here: select(here, new, old), value, chosen)
    return chosen


def put(values: Sequence[Any], hot: Sequence[Any], value: Any) -> tuple[Any, ...]:
    """The values (arrays or pytrees) with the one at the hot place, by flags from `one_hot`, replaced."""
    import jax

    _same_length(values, hot)
    return tuple(
        jax.tree.map(lambda new, old, here=is_here: select(here, new, old), value, old)
        for old, is_here in zip(values, hot, strict=True)
    )


def _same_length(values: Sequence[Any], hot: Sequence[Any]) -> None:
    if len(values) != len(hot) or not values:
        raise bad("places", f"{len(values)} values, {len(hot)} flags", "as many, at least one", "use one_hot(i, size)")
