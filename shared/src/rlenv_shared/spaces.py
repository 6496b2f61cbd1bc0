"""Spaces: which values an action or observation can take.

Every space is immutable, hashable and comparable, holds only NumPy bounds and Python ints, and is a leafless JAX
pytree, so it can be a static argument, a constant under `jax.jit` or part of another tree.
"""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_shared import counter_rng
from rlenv_shared.errors import InvalidParamsError


class Space(abc.ABC):
    """Base of the spaces; ``shape`` and ``dtype`` are those of one element (None for `Dict`)."""

    shape: tuple[int, ...] | None
    dtype: np.dtype | None

    @abc.abstractmethod
    def sample(self, key: Any) -> Any:
        """Draw one element with a JAX key; works under `jax.jit` and `jax.vmap`."""

    @abc.abstractmethod
    def contains(self, x: Any) -> Any:
        """Whether ``x`` is one element, as a scalar bool: of JAX for a JAX array or tracer, of NumPy otherwise."""

    def to(self, library: Any) -> Any:
        """The same space of a library (a module, as `gymnasium.spaces`) that has one of this name."""
        return getattr(library, type(self).__name__)(*self._arguments(library))

    def to_gymnasium(self) -> Any:
        """The same space as a `gymnasium.spaces` object; Discrete has its own dtype there, int64, as users send it."""
        import gymnasium

        return self.to(gymnasium.spaces)

    @abc.abstractmethod
    def _arguments(self, library: Any) -> tuple:
        """What libraries make such a space of."""

    @abc.abstractmethod
    def _identity(self) -> tuple:
        """What makes two spaces of this class equal."""

    def __contains__(self, x: Any) -> bool:
        return bool(self.contains(x))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and type(self) is type(other) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._identity()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._identity()}"


def _library(x: Any) -> tuple[Any, Any]:
    """``(jnp, x)`` for JAX arrays and tracers, else ``(np, x as an array)``."""
    return (jnp, x) if isinstance(x, jax.Array) else (np, np.asarray(x))


def _fits(x: Any, shape: tuple[int, ...], dtype: np.dtype) -> bool:
    """Static part of `contains`: the shape is right and the dtype converts without changing its kind."""
    return x.shape == shape and np.can_cast(x.dtype, dtype, "same_kind")


def _short(bound: np.ndarray) -> Any:
    """The one number that a bound consists of, if it does."""
    return bound.flat[0] if bound.size and (bound == bound.flat[0]).all() else bound


def _integer_dtype(dtype: Any, name: str) -> np.dtype:
    dtype = np.dtype(dtype)
    if dtype.kind not in "iu" or dtype.itemsize > 4:
        raise InvalidParamsError(f"{name} dtype", dtype, "an integer of at most 32 bits", "use jnp.int32")
    return dtype


@jax.tree_util.register_static
class Discrete(Space):
    """Integers 0..n-1 (n at least 1) of an integer dtype.  Raises InvalidParamsError: n or dtype out of range."""

    shape: tuple[int, ...]
    dtype: np.dtype

    def __init__(self, n: int, dtype: Any = jnp.int32) -> None:
        self.dtype = _integer_dtype(dtype, "Discrete")
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 1 <= n <= np.iinfo(self.dtype).max:
            raise InvalidParamsError("Discrete n", n, f"an integer from 1 to max({self.dtype})", "pass a count")
        self.n = int(n)
        self.shape = ()

    def sample(self, key: Any) -> Any:
        """An int scalar, uniform."""
        return jax.random.randint(key, (), 0, self.n, jnp.int32).astype(self.dtype)

    def contains(self, x: Any) -> Any:
        """True for an integer scalar in 0..n-1."""
        xp, x = _library(x)
        if x.shape != () or not np.issubdtype(x.dtype, np.integer):
            return xp.bool_(False)
        return (x >= x.dtype.type(0)) & (x <= x.dtype.type(min(self.n - 1, np.iinfo(x.dtype).max)))

    def _arguments(self, library: Any) -> tuple:
        return (self.n,)

    def _identity(self) -> tuple:
        return (self.n, self.dtype.name)


@jax.tree_util.register_static
class MultiDiscrete(Space):
    """Arrays of integers, element ``i`` in 0..nvec[i]-1; ``nvec`` has any shape and is at least 1 everywhere."""

    shape: tuple[int, ...]
    dtype: np.dtype

    def __init__(self, nvec: Sequence[int] | np.ndarray, dtype: Any = jnp.int32) -> None:
        self.dtype = _integer_dtype(dtype, "MultiDiscrete")
        counts = np.asarray(nvec)
        if counts.dtype.kind not in "iu" or counts.size == 0 or not (counts >= 1).all():
            raise InvalidParamsError("MultiDiscrete nvec", nvec, "integers >= 1", "pass one count per element")
        self.nvec = counts.astype(np.int32)
        self.nvec.flags.writeable = False
        self.shape = counts.shape

    def sample(self, key: Any) -> Any:
        """Integers of shape ``shape``, uniform and independent."""
        words = jax.random.bits(key, self.shape, jnp.uint32)
        return counter_rng.mulhi(words, self.nvec.astype(np.uint32)).astype(self.dtype)

    def contains(self, x: Any) -> Any:
        """True for integers of the right shape, each in its range."""
        xp, x = _library(x)
        if x.shape != self.shape or not np.issubdtype(x.dtype, np.integer):
            return xp.bool_(False)
        highest = np.minimum(self.nvec - 1, np.iinfo(x.dtype).max).astype(x.dtype)
        return xp.all((x >= x.dtype.type(0)) & (x <= highest))

    def _arguments(self, library: Any) -> tuple:
        return (self.nvec, self.dtype.type)

    def _identity(self) -> tuple:
        return (tuple(self.nvec.ravel().tolist()), self.shape, self.dtype.name)


@jax.tree_util.register_static
class Box(Space):
    """Arrays of float32, float64, bool or integers of at most 32 bits within bounds, both inclusive.

    ``low`` and ``high`` are numbers, or arrays that broadcast to ``shape`` (theirs when None); infinite for none.
    Raises InvalidParamsError: low above high, NaN, bounds outside the dtype's range or of a wrong shape.
    """

    shape: tuple[int, ...]
    dtype: np.dtype

    def __init__(self, low: Any, high: Any, shape: Sequence[int] | None = None, dtype: Any = jnp.float32) -> None:
        self.dtype = np.dtype(dtype)
        if self.dtype.kind not in "fb":
            _integer_dtype(dtype, "Box")
        low, high = np.asarray(low), np.asarray(high)
        try:
            self.shape = np.broadcast_shapes(low.shape, high.shape) if shape is None else tuple(shape)
            with np.errstate(invalid="ignore", over="ignore"):  # judged below
                self.low = np.broadcast_to(low, self.shape).astype(self.dtype)
                self.high = np.broadcast_to(high, self.shape).astype(self.dtype)
        except ValueError:
            expected, remedy = f"shapes that broadcast to {shape}", "pass numbers, or arrays of the element's shape"
            raise InvalidParamsError("Box bounds", (low.shape, high.shape), expected, remedy) from None
        exact = self.dtype.kind == "f" or ((self.low == low).all() and (self.high == high).all())
        if not exact or not (self.low <= self.high).all():
            raise InvalidParamsError("Box bounds", (low, high), f"low <= high in {self.dtype}", "correct them")
        self.low.flags.writeable = self.high.flags.writeable = False

    def sample(self, key: Any) -> Any:
        """Uniform between finite bounds; exponential beyond a single one, normal where there is none (as Gymnasium)."""
        if self.dtype.kind == "f":
            return self._sample_float(key)
        low, high = self.low.astype(np.int64), self.high.astype(np.int64)
        count = ((high - low + 1) & 0xFFFFFFFF).astype(np.uint32)  # 0 stands for all 2**32 values
        words = jax.random.bits(key, self.shape, jnp.uint32)
        offset = jnp.where(count == 0, words, counter_rng.mulhi(words, count))
        value = (low & 0xFFFFFFFF).astype(np.uint32) + offset
        signed = jax.lax.bitcast_convert_type(value, jnp.int32)
        return (value if self.dtype.kind == "u" else signed).astype(self.dtype)

    def _sample_float(self, key: Any) -> Any:
        below, above = np.isfinite(self.low), np.isfinite(self.high)
        low, high = np.where(below, self.low, self.dtype.type(0)), np.where(above, self.high, self.dtype.type(0))
        key_uniform, key_normal, key_exponential = jax.random.split(key, 3)
        fraction = jax.random.uniform(key_uniform, self.shape, self.dtype)
        # high - low may overflow, and rounding may leave the interval
        bounded = jnp.clip(low * (self.dtype.type(1) - fraction) + high * fraction, low, high)
        tail = jax.random.exponential(key_exponential, self.shape, self.dtype)
        one_sided = jnp.where(below, low + tail, high - tail)
        unbounded = jax.random.normal(key_normal, self.shape, self.dtype)
        return jnp.where(below & above, bounded, jnp.where(below | above, one_sided, unbounded))

    def contains(self, x: Any) -> Any:
        """True for an array of the right shape and kind with every value within the bounds; NaN is outside."""
        xp, x = _library(x)
        if not _fits(x, self.shape, self.dtype):
            return xp.bool_(False)
        x = x.astype(self.dtype)
        return xp.all((x >= self.low) & (x <= self.high))

    def _arguments(self, library: Any) -> tuple:
        return (self.low, self.high, self.shape, self.dtype.type)

    def _identity(self) -> tuple:
        return (self.low.tobytes(), self.high.tobytes(), self.shape, self.dtype.name)

    def __repr__(self) -> str:
        return f"Box({_short(self.low)}, {_short(self.high)}, {self.shape}, {self.dtype.name})"


@jax.tree_util.register_static
class Dict(Space):
    """Dictionaries with one space per key."""

    shape: None = None
    dtype: None = None

    def __init__(self, spaces: Mapping[str, Space]) -> None:
        if not spaces or not all(isinstance(k, str) and isinstance(v, Space) for k, v in spaces.items()):
            raise InvalidParamsError("Dict spaces", spaces, "names with spaces", "pass {'name': Box(…), …}")
        self.spaces = dict(sorted(spaces.items()))

    def sample(self, key: Any) -> dict[str, Any]:
        """A dictionary of samples."""
        keys = jax.random.split(key, len(self.spaces))
        return {name: space.sample(keys[i]) for i, (name, space) in enumerate(self.spaces.items())}

    def contains(self, x: Any) -> Any:
        """True for a mapping with the same keys, each value in its space."""
        if not isinstance(x, Mapping) or x.keys() != self.spaces.keys():
            return np.bool_(False)
        inside: Any = np.bool_(True)
        for name, space in self.spaces.items():
            inside = inside & space.contains(x[name])
        return inside

    def _arguments(self, library: Any) -> tuple:
        return ({name: space.to(library) for name, space in self.spaces.items()},)

    def _identity(self) -> tuple:
        return tuple(self.spaces.items())
