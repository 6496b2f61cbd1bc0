"""Emitted functions called on NumPy arrays, without JAX in between: what one step of one environment costs most."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from rlenv_emit.build import build
from rlenv_emit.collection import uncollected
from rlenv_emit.processor import Form
from rlenv_shared.errors import InvalidParamsError, explain

_Spec = tuple[tuple[int, ...], np.dtype[Any]]


class _Buffers(threading.local):
    """What one thread's calls read and write.

    To look up an address takes as long as a small step, so it is done once.
    """

    def __init__(self, takes: Sequence[_Spec], places: Sequence[int], size: int) -> None:
        self.arguments = [np.empty(shape, dtype) for shape, dtype in takes]
        self.results = np.empty(size, np.uint8)
        base = _address(self.results)
        self.into = (ctypes.c_void_p * (len(takes) + 1))(*map(_address, self.arguments))
        self.out = (ctypes.c_void_p * (len(places) + 1))(*(base + place for place in places))


class Native:
    """The function of a jaxpr for arrays of one batch size, on the thread that calls it.

    Args:
        closed: the jaxpr of one environment.
        varying: for each argument, whether every environment has its own.
        batch: environments.
        form: of the processor.
    """

    def __init__(self, closed: Any, varying: Sequence[bool], batch: int, form: Form) -> None:
        run = build(closed, varying, form).run
        self._run = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long)(run)
        self._batch = batch
        self._takes: list[_Spec] = [
            ((batch, *aval.shape) if own else tuple(aval.shape), np.dtype(aval.dtype))
            for aval, own in zip(closed.in_avals, varying, strict=True)
        ]
        self._gives: list[tuple[tuple[int, ...], np.dtype[Any], int]] = []
        size = 0
        for aval in closed.out_avals:
            shape, dtype = (batch, *aval.shape), np.dtype(aval.dtype)
            self._gives.append((shape, dtype, size))
            size += -(-int(np.prod(shape, dtype=np.int64)) * dtype.itemsize // 64) * 64
        self._buffers = _Buffers(self._takes, [place for _, _, place in self._gives], size)

    def __call__(self, arrays: Sequence[Any]) -> list[np.ndarray]:
        """The results, arrays that the caller owns.

        Raises:
            InvalidParamsError: other shapes or dtypes than the function takes.
            MemoryError: there was not enough.
        """
        own = self._buffers
        for array, (shape, dtype), buffer in zip(arrays, self._takes, own.arguments, strict=True):
            given = array if type(array) is np.ndarray else np.asarray(array)
            if given.shape != shape or given.dtype != dtype:
                got, expected = f"{given.dtype}{list(given.shape)}", f"{dtype}{list(shape)}"
                remedy = "emit it for such arguments"
                raise InvalidParamsError(explain("emitted function", got=got, expected=expected, remedy=remedy))
            buffer[...] = given
        if not self._run(own.into, own.out, self._batch):
            raise MemoryError("emitted function")
        memory = own.results.copy()
        return [np.ndarray(shape, dtype, memory, place) for shape, dtype, place in self._gives]


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def on_host(function: Callable[..., Any], axes: Sequence[int | None] | None, form: Form) -> Callable[..., Any]:
    """A function of pytrees of NumPy arrays, compiled at its first call with each tree, shape and dtype.

    Args:
        function: of one environment, traceable.
        axes: for each argument 0 where every environment has its own rows, None where all share it; None for a
            function of a single environment.
        form: of the processor.
    """
    made: dict[Any, tuple[Native, Any]] = {}

    @uncollected()
    def made_for(arguments: tuple[Any, ...], leaves: list[Any]) -> tuple[Native, Any]:
        owns = [True] * len(arguments) if axes is None else [axis is not None for axis in axes]
        owned = [own for own, argument in zip(owns, arguments, strict=True) for _ in jax.tree.leaves(argument)]
        batched = axes is not None
        example = [
            jax.ShapeDtypeStruct(np.shape(leaf)[1:] if own and batched else np.shape(leaf), leaf.dtype)
            for own, leaf in zip(owned, leaves, strict=True)
        ]
        batch = next(np.shape(leaf)[0] for own, leaf in zip(owned, leaves, strict=True) if own) if batched else 1
        structure = jax.tree.structure(arguments)
        closed, shape = jax.make_jaxpr(function, return_shape=True)(*jax.tree.unflatten(structure, example))
        varying = [own and batched for own in owned]
        return Native(closed, varying, batch, form), jax.tree.structure(shape)

    def called(*arguments: Any) -> Any:
        leaves, structure = jax.tree.flatten(arguments)
        key = structure, tuple([(leaf.shape, leaf.dtype) for leaf in leaves])
        found = made.get(key)
        if found is None:
            found = made[key] = made_for(arguments, leaves)
        results = found[0](leaves)
        return found[1].unflatten(results if axes is not None else [array[0] for array in results])

    return called
