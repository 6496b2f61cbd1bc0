"""What a variable of the traced function is here: an array of values, of known numbers, or a table in memory."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_emit.builder import Builder
from rlenv_emit.errors import Missing, UnsupportedError
from rlenv_emit.ir import DTYPES, Array, Value

MOST_ELEMENTS: Final = 8192
"""Of an array whose every element is a value of its own."""


@dataclasses.dataclass(frozen=True)
class Table:
    """An argument that all lanes share, in memory."""

    argument: int
    shape: tuple[int, ...]
    dtype: str


Held = Any
"""A `Table`, a NumPy array of numbers, or one of dtype object that holds a `Value` per element."""


class Context:
    """What the rules of the primitives work on."""

    def __init__(self) -> None:
        self.build = Builder()
        self.tables: list[np.ndarray] = []
        self._table_numbers: dict[tuple[str, bytes], int] = {}
        self.primitive = ""
        self.path: list[int] = []  # the equations at work, from the outermost
        self.accounted: dict[int, Any] = {}  # what rules see of equations, by id, once nothing of them was left unread
        self.loops: dict[tuple[int, ...], tuple[list[bool], list[bool], list[int]]] = {}
        """By path of a loop: which values of its carry turned out to be uniform, and which to be fixed."""

    @property
    def source(self) -> object:
        """Where the equation at work comes from."""
        return self.build.source

    @source.setter
    def source(self, source: object) -> None:
        self.build.source = source

    def unsupported(self, got: object, expected: object, remedy: str) -> UnsupportedError:
        """An error that names the primitive and the source line at work."""
        return UnsupportedError.of(Missing(self.primitive, str(self.source), str(got), str(expected), remedy))

    def check(self, aval: Any) -> None:
        """Raises UnsupportedError: values of this type cannot be emitted."""
        if is_held(aval):
            return
        kind = getattr(aval, "dtype", type(aval).__name__)
        remedy = "draw random bits outside, or from rlenv_shared.counter_rng" if is_key(aval) else "convert it"
        expected = "booleans, integers of 8 to 64 bits, float32 and float64"
        raise self.unsupported(f"a value of type {kind}{list(getattr(aval, 'shape', ()))}", expected, remedy)

    def known(self, const: Any) -> Held:
        """A number or table that the function brings along."""
        if isinstance(const, Table):
            return const
        outer, self.primitive = self.primitive, "constant"
        self.check(const)
        self.primitive = outer
        return const if isinstance(const, np.ndarray) else np.asarray(const)

    def attempt(self, equation: Any, held: list[Held], emit: Callable[[Any, list[Held]], list[Held]]) -> list[Held]:
        """What ``emit(equation, held)`` gives; `missing.Collecting` goes on where this is refused."""
        return emit(equation, held)

    def argument(self, number: int, array: Array) -> Held:
        """An argument of the function."""
        if not array.varying and array.shape:
            return Table(number, array.shape, array.dtype)
        return self._loaded(number, array.shape, array.dtype, uniform=not array.varying)

    def _loaded(self, number: int, shape: tuple[int, ...], dtype: str, uniform: bool) -> np.ndarray:
        loaded = [
            self.build.op("input", dtype=dtype, uniform=uniform, attr=(number, element))
            for element in range(math.prod(shape))
        ]
        return objects(loaded, shape)

    def elements(self, held: Held) -> np.ndarray:
        """The array of values that something held is."""
        if isinstance(held, np.ndarray) and held.dtype.kind == "O":
            return held
        if math.prod(held.shape) > MOST_ELEMENTS:
            raise self.unsupported(
                f"an array of shape {held.shape}",
                f"at most {MOST_ELEMENTS} elements in a lane",
                "read it by `rlenv_shared.control.take`",
            )
        if isinstance(held, Table):
            return self._loaded(held.argument, held.shape, held.dtype, uniform=True)
        dtype = name_of(held.dtype)
        flat = held.reshape(-1)
        numbers = flat if dtype[0] == "f" else flat.tolist()  # of which Python's numbers are found sooner
        return objects([self.build.constant(number, dtype) for number in numbers], held.shape)

    def scalar(self, held: Held) -> Value:
        """The value of something of shape ()."""
        return self.elements(held).item()

    def each(self, function: Callable[..., Value], *operands: Held) -> np.ndarray:
        """A function of values applied to every element; operands broadcast."""
        arrays = [self.elements(held) for held in operands]
        if not any([array.ndim for array in arrays]):
            return objects([function(*[array.item() for array in arrays])], ())
        shapes = {array.shape for array in arrays}
        shape = np.broadcast_shapes(*shapes) if len(shapes) > 1 else arrays[0].shape
        rows = [(np.broadcast_to(array, shape) if array.shape != shape else array).ravel().tolist() for array in arrays]
        return objects([function(*row) for row in zip(*rows, strict=True)], shape)

    def read(self, held: Held, index: Value) -> Value:
        """The element at a flat index, int32, that is in range."""
        known = self.build.constant_of(index)
        if isinstance(held, np.ndarray) and held.dtype == object:
            flat = held.reshape(-1)
            if known is not None:
                return flat[int(known)]
            found = flat[-1]
            for number in range(len(flat) - 2, -1, -1):
                here = self.build.op("eq", index, self.build.constant(number, "i32"))
                found = self.build.op("select", here, flat[number], found)
            return found
        if isinstance(held, Table):
            if known is not None:
                return self.build.op("input", dtype=held.dtype, uniform=True, attr=(held.argument, int(known)))
            return self.build.op("table", index, dtype=held.dtype, attr=("argument", held.argument))
        if known is not None:
            return self.build.constant(held.reshape(-1)[int(known)], name_of(held.dtype))
        return self.build.op("table", index, dtype=name_of(held.dtype), attr=("constant", self._number(held)))

    def _number(self, table: np.ndarray) -> int:
        key = (table.dtype.name, table.tobytes())
        if key not in self._table_numbers:
            self._table_numbers[key] = len(self.tables)
            self.tables.append(np.ascontiguousarray(table).reshape(-1))
        return self._table_numbers[key]


def objects(values: list[Value], shape: tuple[int, ...]) -> np.ndarray:
    """Values in row-major order as an array."""
    array = np.empty(len(values), object)
    array[:] = values
    return array.reshape(shape)


@functools.cache  # NumPy makes a name anew each time that it is asked for, which a large step does a million times
def name_of(dtype: Any) -> str:
    """Our name of a dtype; empty if values of it cannot be emitted."""
    try:
        return DTYPES.get(np.dtype(dtype).name, "")
    except TypeError:  # JAX's keys
        return ""


def dtype_of(aval: Any) -> str:
    """Our name of a dtype that `is_held`."""
    return name_of(aval.dtype)


def is_held(aval: Any) -> bool:
    """Whether values of this type can be emitted."""
    return hasattr(aval, "dtype") and name_of(aval.dtype) != ""


def is_key(aval: Any) -> bool:
    """Whether it is of JAX's typed keys."""
    dtype = getattr(aval, "dtype", None)
    return dtype is not None and jnp.issubdtype(dtype, jax.dtypes.prng_key)


def held_shape(held: Held) -> tuple[int, ...]:
    """Shape of something held."""
    return tuple(held.shape)


def held_dtype(held: Held) -> str:
    """Our name of the dtype of something held that has elements."""
    if isinstance(held, Table):
        return held.dtype
    return held.reshape(-1)[0].dtype if held.dtype == object else name_of(held.dtype)
