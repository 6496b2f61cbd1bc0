"""A kernel played by this machine, so that its bits can be compared where there is no GPU."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from rlenv_emit import build, processor
from rlenv_emit import key as keys
from rlenv_emit.errors import GateError
from rlenv_emit.gpu.source import Text, kernel, leading
from rlenv_emit.ir import NUMPY, Program
from rlenv_shared.errors import InvalidParamsError, explain

WARP: Final = 32
_HERE: Final = Path(__file__).parent


class HostKernel:
    """The text of a kernel, compiled by the system's compiler; warps are played one after another, lanes in lockstep.

    Args:
        program: of one environment and step.
        carried: as in `source.kernel`.

    Attributes:
        text: of the kernel.
        runs: how often warps ran each of its blocks, in all calls together.

    Raises:
        CompilerError: there is no compiler, or it failed.
    """

    def __init__(self, program: Program, carried: int = 0) -> None:
        self.text: Text = kernel(program, carried)
        self._program, self._carried = program, carried
        whole = f'{self.text.whole}#include "host_main.h"\n'
        key = key_of_text(whole)
        made = build.made_object(f"warp-{key}", key, processor.known("sse2"), lambda: whole, [f"-I{_HERE}"])
        self._play = build.library(made).rlenv_play
        self._play.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long, ctypes.c_int, ctypes.c_void_p]
        self.runs = np.zeros(len(self.text.blocks), np.int64)

    def __call__(self, arrays: Sequence[np.ndarray], steps: int, batch: int) -> list[np.ndarray]:
        """Play.

        Args:
            arrays: the carry as [batch, ...], what is given for each step as [steps, batch, ...], and what is shared.
            steps: of every environment.
            batch: environments.

        Returns:
            The carry, [batch, ...], and the results of every step, [steps, batch, ...].

        Raises:
            InvalidParamsError: an array has another shape or dtype.
            GateError: lanes of a warp waited at different votes.
            MemoryError: there was not enough.
        """
        given = [np.asarray(array, order="C") for array in arrays]
        for number, (array, one) in enumerate(zip(given, self._program.inputs, strict=True)):
            shape = (*(leading(number, self._carried, steps, batch) if one.varying else ()), *one.shape)
            if array.shape != shape or array.dtype != NUMPY[one.dtype]:
                got, expected = f"{array.dtype}{list(array.shape)}", f"{NUMPY[one.dtype]}{list(shape)}"
                raise InvalidParamsError(f"argument {number} of a kernel", got, expected, "give it so")
        made = [
            np.empty((*leading(number, self._carried, steps, batch), *one.shape), NUMPY[one.dtype])
            for number, one in enumerate(self._program.outputs)
        ]
        status = self._play(_pointers(given), _pointers(made), batch, steps, self.runs.ctypes.data)
        if status == 1:
            raise MemoryError("kernel on the host")
        if status:
            remedy = "decide branches by votes alone"
            raise GateError(explain("warp", got="lanes at different votes", expected="all at one", remedy=remedy))
        return made


def key_of_text(*parts: str) -> str:
    """The key of what is made of texts by this folder's headers."""
    headers = (path.read_text() for path in sorted(_HERE.glob("*.h")))
    return keys.key_of_text(*headers, *parts)


def _pointers(arrays: Sequence[np.ndarray]) -> ctypes.Array[ctypes.c_void_p]:
    return (ctypes.c_void_p * (len(arrays) + 1))(*(array.ctypes.data for array in arrays))
