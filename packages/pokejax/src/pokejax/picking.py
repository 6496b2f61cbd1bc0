"""Choices between numbers, one operation each: `jax.numpy.where` is a function, whose call is traced each time."""

from __future__ import annotations

from typing import Any

import numpy as np

from rlenv_shared.packing.select import select


def pick(condition: Any, one: Any, other: Any) -> Any:
    """``one`` where the condition holds, else ``other``; numbers are int32, and all may be arrays.

    Args:
        condition: bool.
        one: int32, bool or another dtype, or a number, which has the other one's dtype.
        other: likewise.
    """
    dtype = next((value.dtype for value in (one, other) if hasattr(value, "dtype")), None)
    dtype = dtype or np.dtype(np.bool_ if isinstance(one, bool) else np.int32)
    one, other = (value if hasattr(value, "dtype") else dtype.type(value) for value in (one, other))
    return select(condition, one, other)
