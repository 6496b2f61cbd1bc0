"""Comparisons of a narrow float with a number that it cannot represent.

A reference in C or Python compares a float32 with the double 0.01; JAX without x64 has no doubles to do so.  But no
float32 lies between the double and its float32 neighbours, so comparing with the right neighbour decides alike:

- ``x < bound`` and ``x >= bound`` for every float32 x as with `round_up` of the bound;
- ``x > bound`` and ``x <= bound`` as with `round_down`.

Rounding to the nearest, as ``jnp.float32(bound)`` does, is wrong for one value of x half of the time.
"""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np


def round_up(bound: Any, dtype: Any) -> Any:
    """The least float of a dtype (float32, float64) not less than ``bound``; arrays are converted to the nearest."""
    return _towards(bound, dtype, np.inf)


def round_down(bound: Any, dtype: Any) -> Any:
    """The greatest float of a dtype that is not greater than ``bound``; see `round_up`."""
    return _towards(bound, dtype, -np.inf)


def _towards(bound: Any, dtype: Any, side: float) -> Any:
    if not isinstance(bound, numbers.Real):
        import jax.numpy as jnp

        return jnp.asarray(bound, dtype)
    kind: Any = np.dtype(dtype).type
    nearest, wanted = kind(bound), float(bound)
    short = nearest.item() < wanted if side > 0 else nearest.item() > wanted
    return np.nextafter(nearest, kind(side)) if short else nearest
