"""An emitted function called on NumPy arrays, without JAX in between."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from rlenv_emit.build import Built
from rlenv_shared.errors import InvalidParamsError, explain


class Native:
    """The function of an object, for arrays of one batch size; one thread.

    Args:
        built: the object.
        closed: the jaxpr that it was made of.
        varying: for each argument, whether every environment has its own.
        batch: environments.
    """

    def __init__(self, built: Built, closed: Any, varying: Sequence[bool], batch: int) -> None:
        self._run = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long)(built.run)
        self._batch = batch
        self.arguments = [
            np.zeros((batch, *aval.shape) if own else aval.shape, aval.dtype)
            for aval, own in zip(closed.in_avals, varying, strict=True)
        ]
        """What the function reads, to be written into; never exchanged for other arrays."""
        self.results = [np.zeros((batch, *aval.shape), aval.dtype) for aval in closed.out_avals]
        """What it writes."""
        self._in = (ctypes.c_void_p * (len(self.arguments) + 1))(*(array.ctypes.data for array in self.arguments))
        self._out = (ctypes.c_void_p * (len(self.results) + 1))(*(array.ctypes.data for array in self.results))

    def __call__(self) -> list[np.ndarray]:
        """Compute the results of what is in the arguments now.

        Raises:
            MemoryError: there was not enough.
        """
        if not self._run(self._in, self._out, self._batch):
            raise MemoryError("emitted function")
        return self.results

    def fill(self, arrays: Sequence[Any]) -> None:
        """Copy arrays into the arguments.

        Raises:
            InvalidParamsError: other shapes or dtypes than the function takes.
        """
        for argument, array in zip(self.arguments, arrays, strict=True):
            given = np.asarray(array)
            if (given.shape, given.dtype) != (argument.shape, argument.dtype):
                got, expected = (f"{a.dtype}{list(a.shape)}" for a in (given, argument))
                remedy = "emit it for such arguments"
                raise InvalidParamsError(explain("emitted function", got=got, expected=expected, remedy=remedy))
            argument[...] = given
