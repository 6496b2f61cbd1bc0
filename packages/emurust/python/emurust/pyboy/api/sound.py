"""`PyBoy.sound`: the samples of the last frame."""

from __future__ import annotations

from array import array
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from emurust.pyboy.errors import SoundEnabledError

DEFAULT_RATE: Final = 48_000
CLOCK: Final = 4_194_304
FRAME_CYCLES: Final = 70_224


class Sound:
    """Samples of the last frame that `tick` was asked to sample: stereo, signed 8 bits, 0 to 127. Live like `screen`.

    Attributes:
        sample_rate: samples a second.
        raw_buffer: the whole buffer, left and right in turns; `raw_buffer_head` values of it are of the last frame.
        raw_buffer_format: "b".
        raw_buffer_length: its length.
        raw_buffer_dims: (0, 0): PyBoy declares it and never sets it.
        raw_ndarray: the whole buffer, int8 [n, 2].
    """

    def __init__(self, emulated: bool, sample_rate: int):
        self.sample_rate = sample_rate
        self.raw_buffer_format, self.raw_buffer_dims = "b", (0, 0)
        self.raw_buffer_length = 2 * (-(-sample_rate * FRAME_CYCLES // CLOCK) + 1)
        self._memory = array("b", bytes(self.raw_buffer_length))
        self._samples: NDArray[np.int8] = np.asarray(memoryview(self._memory))
        self.raw_buffer = memoryview(self._memory)
        self.raw_ndarray: Any = self._samples.reshape(-1, 2) if emulated else SoundEnabledError()
        self._head = 0
        self._views: dict[int, NDArray[np.int8]] = {}

    @property
    def raw_buffer_head(self) -> int:
        """How many values of `raw_buffer` are of the last frame."""
        return self._head

    @property
    def ndarray(self) -> NDArray[np.int8]:
        """The samples of the last frame, int8 [n, 2]: left, right.

        Raises:
            PyBoyFeatureDisabledError: The console was made without sound.
        """
        found = self._views.get(self._head)
        if found is None:
            found = self._views[self._head] = self.raw_ndarray[: self._head // 2]
        return found
