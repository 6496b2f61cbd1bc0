"""`PyBoy.sound`: the samples of the last frame."""

from __future__ import annotations

from sys import getrefcount
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from emurust import _core
from emurust.pyboy.errors import SoundEnabledError

DEFAULT_RATE: Final = 48_000
CLOCK: Final = 4_194_304
FRAME_CYCLES: Final = 70_224


class Sound(_core.LiveSound):
    """Samples of the last frame that `tick` was asked to sample: stereo, signed 8 bits, 0 to 127. Live like `screen`.

    They are made when one of the forms is looked at, or at once while somebody holds one.

    Attributes:
        ndarray: the samples of the last frame, int8 [n, 2]: left, right.
        raw_buffer: the whole buffer, left and right in turns; `raw_buffer_head` values of it are of the last frame.
        raw_ndarray: the whole buffer, int8 [n, 2].
        sample_rate: samples a second.
        raw_buffer_format: "b".
        raw_buffer_length: length of `raw_buffer`.
        raw_buffer_dims: (0, 0): PyBoy declares it and never sets it.
    """

    def __init__(self, machine: _core.Machine, emulated: bool, sample_rate: int):
        self._machine = machine
        self.sample_rate = sample_rate
        self.raw_buffer_format, self.raw_buffer_dims = "b", (0, 0)
        self.raw_buffer_length = 2 * (-(-sample_rate * FRAME_CYCLES // CLOCK) + 1)
        self._samples: NDArray[np.int8] = np.zeros(self.raw_buffer_length, np.int8)
        self._whole: Any = self._samples.reshape(-1, 2) if emulated else SoundEnabledError()
        self._buffer = self._samples.data
        self._emulated = emulated
        self._refresh()
        self._own_holds = self._holds()

    def _holds(self) -> int:
        """References to the samples' memory: more than at first while somebody keeps a part of it."""
        return getrefcount(self._shown) + getrefcount(self._samples) + getrefcount(self._whole)

    def _changed(self) -> None:
        """The console has other samples."""
        if self._given or self._holds() > self._own_holds:
            self._refresh()
        else:
            self._stale = True

    def _refresh(self) -> None:
        head = _core.samples_into(self._machine, self._samples)
        if self._emulated and (self._shown is None or head != self._head):
            self._shown = self._whole[: head // 2]
        self._head, self._stale = head, False

    def _refuse(self) -> None:
        """Called for the samples of a console without sound; raises what any use of them does."""
        self._whole[:0]
