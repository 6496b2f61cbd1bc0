"""Array functions for JAX and NumPy alike: with NumPy arrays the rules run without a compiler, one game at a time.

Every function works on NumPy where all its arguments are NumPy arrays or numbers, and on JAX elsewhere, with the same
results; integers are int32, as JAX has them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

int32: Final = np.int32
uint32: Final = np.uint32
bool_: Final = np.bool_
zeros, ones, full = np.zeros, np.ones, np.full


def on_host(*values: Any) -> bool:
    """Whether all values are NumPy's or Python's."""
    return all(isinstance(value, (np.ndarray, np.generic, bool, int, tuple)) for value in values)


def asarray(value: Any, dtype: Any = None) -> Any:
    """An array; Python's and NumPy's wide integers become int32."""
    if not on_host(value):
        return jnp.asarray(value, dtype)
    array = np.asarray(value, dtype)
    return array.astype(np.int32) if array.dtype == np.int64 else array


def take(values: Any, index: Any) -> Any:
    """Entries of the first axis; the index is not negative."""
    if on_host(values, index):
        return np.asarray(values)[index]
    return jnp.asarray(values).at[index].get(mode="promise_in_bounds", wrap_negative_indices=False)


def where(condition: Any, new: Any, old: Any) -> Any:
    """Choose by flags; a Python number takes the dtype of the other value."""
    numbers = [value for value in (new, old) if not isinstance(value, (bool, int))]
    if not numbers:
        numbers = [np.bool_(False) if isinstance(new, bool) else np.int32(0)]
    dtype = np.result_type(*(np.int32 if n.dtype == np.int64 else n.dtype for n in numbers))
    if dtype == np.bool_ and not all(isinstance(value, bool) or not isinstance(value, int) for value in (new, old)):
        dtype = np.dtype(np.int32)
    if on_host(condition, new, old):
        return np.where(condition, np.asarray(new, dtype), np.asarray(old, dtype))
    new, old = (value.astype(dtype) if hasattr(value, "astype") else dtype.type(value) for value in (new, old))
    shape = np.broadcast_shapes(np.shape(condition), np.shape(new), np.shape(old))
    condition, new, old = (jnp.broadcast_to(value, shape) for value in (condition, new, old))
    return jax.lax.select(condition, new, old)


def _either(name: str) -> Callable[..., Any]:
    of_numpy, of_jax = getattr(np, name), getattr(jnp, name)

    def function(*values: Any, **settings: Any) -> Any:
        if on_host(*values):
            found = of_numpy(*values, **settings)
            return found.astype(np.int32) if found.dtype == np.int64 else found
        return of_jax(*values, **settings)

    return function


maximum, minimum, clip = _either("maximum"), _either("minimum"), _either("clip")
sum = _either("sum")
repeat, roll, broadcast_to, zeros_like = (
    _either("repeat"),
    _either("roll"),
    _either("broadcast_to"),
    _either("zeros_like"),
)


def stack(values: Sequence[Any], axis: int = 0) -> Any:
    """Arrays beside one another along a new axis."""
    return np.stack([asarray(value) for value in values], axis) if on_host(*values) else jnp.stack(values, axis)


def concatenate(values: Sequence[Any], axis: int = 0) -> Any:
    """Arrays one after the other."""
    return np.concatenate(list(values), axis) if on_host(*values) else jnp.concatenate(values, axis)


def argmax(flags: Any) -> Any:
    """Index of the first true flag of the last axis, 0 where there is none; int32."""
    return np.int32(np.argmax(flags, -1)) if on_host(flags) else jax.lax.argmax(flags, flags.ndim - 1, np.int32)


def count_bits(word: Any) -> Any:
    """How many bits are set."""
    if on_host(word):
        return np.bitwise_count(np.asarray(word)).astype(np.int32)
    return jax.lax.population_count(word).astype(np.int32)


def leading_zeros(word: Any) -> Any:
    """How many bits above the highest that is set, for a scalar; int32."""
    return np.int32(32 - int(np.uint32(word)).bit_length()) if on_host(word) else jax.lax.clz(word).astype(np.int32)
