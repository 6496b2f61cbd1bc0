"""Emitted functions called on NumPy arrays, without JAX in between: what one step of one environment costs most."""

from __future__ import annotations

import ctypes
import dataclasses
import threading
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from rlenv_emit import warm
from rlenv_emit.build import Built, build, built, kept_object
from rlenv_emit.collection import uncollected
from rlenv_emit.identity import identity_of
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
    """A loaded function for arrays of one batch size, on the thread that calls it.

    Args:
        made: the object.
        in_avals: shapes and dtypes of one environment's arguments.
        out_avals: of its results.
        varying: for each argument, whether every environment has its own.
        batch: environments.
    """

    def __init__(
        self, made: Built, in_avals: Sequence[Any], out_avals: Sequence[Any], varying: Sequence[bool], batch: int
    ) -> None:
        self._run = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long)(made.run)
        self._batch = batch
        self._takes: list[_Spec] = [
            ((batch, *aval.shape) if own else tuple(aval.shape), np.dtype(aval.dtype))
            for aval, own in zip(in_avals, varying, strict=True)
        ]
        self._gives: list[tuple[tuple[int, ...], np.dtype[Any], int]] = []
        size = 0
        for aval in out_avals:
            shape, dtype = (batch, *aval.shape), np.dtype(aval.dtype)
            self._gives.append((shape, dtype, size))
            size += -(-int(np.prod(shape, dtype=np.int64)) * dtype.itemsize // 64) * 64
        self._buffers = _Buffers(self._takes, [place for _, _, place in self._gives], size)

    @classmethod
    def of(cls, closed: Any, varying: Sequence[bool], batch: int, form: Form) -> Native:
        """The function of a jaxpr of one environment, compiled if it was not before."""
        return cls(build(closed, varying, form), closed.in_avals, closed.out_avals, varying, batch)

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


def _loaded(
    function: Callable[..., Any], example: Sequence[Any], varying: Sequence[bool], form: Form
) -> tuple[Built, list[Any], Any]:
    """The object of a function, kept or made of its trace; shapes and dtypes of its results, and their tree."""
    identity = identity_of("on host", function, example, varying, dataclasses.astuple(form))
    if identity and (known := warm.results(identity)):
        results, outs, key = known
        if found := kept_object(f"{form.name}-{key}", key):
            return built(found, key), outs, results
    closed, shape = jax.make_jaxpr(function, return_shape=True)(*example)
    made, results = build(closed, varying, form), jax.tree.structure(shape)
    if identity:
        warm.keep_results(identity, results, closed.out_avals, made.key)
    return made, closed.out_avals, results


def on_host(function: Callable[..., Any], axes: Sequence[int | None] | None, form: Form) -> Callable[..., Any]:
    """A function of pytrees of NumPy arrays, compiled at its first call with each tree, shape and dtype.

    What a process has compiled the next one loads without a trace.

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
        varying = [own and batched for own in owned]
        one = jax.tree.unflatten(jax.tree.structure(arguments), example)
        loaded, outs, results = _loaded(function, one, varying, form)
        return Native(loaded, example, outs, varying, batch), results

    def called(*arguments: Any) -> Any:
        leaves, structure = jax.tree.flatten(arguments)
        key = structure, tuple([(leaf.shape, leaf.dtype) for leaf in leaves])
        found = made.get(key)
        if found is None:
            found = made[key] = made_for(arguments, leaves)
        results = found[0](leaves)
        return found[1].unflatten(results if axes is not None else [array[0] for array in results])

    return called
