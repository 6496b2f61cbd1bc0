"""Results compared bit for bit."""

from __future__ import annotations

import numpy as np


def equal(expected: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Where two arrays have equal bits; any NaN equals any other, whose bits nobody promises."""
    if expected.dtype != found.dtype or expected.shape != found.shape:
        return np.zeros(np.broadcast_shapes(expected.shape, found.shape), np.bool_)
    same = expected == found
    if expected.dtype.kind == "f":
        same = (same & (np.signbit(expected) == np.signbit(found))) | (np.isnan(expected) & np.isnan(found))
    return same
