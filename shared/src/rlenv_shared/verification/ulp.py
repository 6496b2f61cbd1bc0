"""Distance between floats in units in the last place."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

UNSIGNED: Final = {2: np.uint16, 4: np.uint32, 8: np.uint64}
FAR: Final = np.uint64(2**64 - 1)  # distance between a NaN and a number


def bit_pattern(array: NDArray[Any]) -> NDArray[Any]:
    """The IEEE 754 bits of a float array as unsigned integers of the same width; other arrays unchanged."""
    return array.view(UNSIGNED[array.itemsize]) if array.dtype.kind == "f" else array


def ulp_distance(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.uint64]:
    """How many representable floats lie between two arrays of one float dtype, counting one end; uint64.

    Signed zeros are one number (distance 0), the largest finite float and infinity are neighbours, two NaNs are at
    distance 0 whatever their payload, and a NaN is at distance 2**64 - 1 from every number.  Raises TypeError: dtypes
    differ or are not floats.
    """
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype != b.dtype or a.dtype.kind != "f":
        raise TypeError(f"ulp_distance needs one float dtype, got {a.dtype} and {b.dtype}")
    sign_a, sign_b = np.signbit(a), np.signbit(b)
    size_a, size_b = (bit_pattern(np.abs(x)).astype(np.uint64) for x in (a, b))
    same_sign = np.maximum(size_a, size_b) - np.minimum(size_a, size_b)
    distance = np.where(sign_a == sign_b, same_sign, size_a + size_b)
    nan_a, nan_b = np.isnan(a), np.isnan(b)
    return np.where(nan_a & nan_b, np.uint64(0), np.where(nan_a | nan_b, FAR, distance)).astype(np.uint64)
