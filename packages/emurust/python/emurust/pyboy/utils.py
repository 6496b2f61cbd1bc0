"""PyBoy's `pyboy.utils`: events, exceptions, binary-coded decimals."""

from __future__ import annotations

from typing import Literal

from emurust.pyboy.errors import (
    AccessError,
    PillowImportError,
    PyBoyAssertException,
    PyBoyDependencyError,
    PyBoyException,
    PyBoyFeatureDisabledError,
    PyBoyInternalError,
    PyBoyInvalidInputException,
    PyBoyInvalidOperationException,
    PyBoyNotImplementedException,
    PyBoyOutOfBoundsException,
    SoundEnabledError,
    refused,
)
from emurust.pyboy.events import WindowEvent

__all__ = [
    "STATE_VERSION",
    "AccessError",
    "PillowImportError",
    "PyBoyAssertException",
    "PyBoyDependencyError",
    "PyBoyException",
    "PyBoyFeatureDisabledError",
    "PyBoyInternalError",
    "PyBoyInvalidInputException",
    "PyBoyInvalidOperationException",
    "PyBoyNotImplementedException",
    "PyBoyOutOfBoundsException",
    "SoundEnabledError",
    "WindowEvent",
    "bcd_to_dec",
    "cython_compiled",
    "dec_to_bcd",
]

STATE_VERSION = 29
cython_compiled = True  # scripts ask this to know whether the emulator is fast


def dec_to_bcd(value: int, byte_width: int = 1, byteorder: str = "little") -> int:
    """The binary-coded decimal of a number: two digits a byte; what does not fit is cut off.

    >>> f"{dec_to_bcd(32):08b}"
    '00110010'
    """
    pairs = [value // 100**place % 100 for place in range(byte_width)]
    return int.from_bytes([pair // 10 << 4 | pair % 10 for pair in pairs], _order(byteorder))


def bcd_to_dec(value: int, byte_width: int = 1, byteorder: str = "little") -> int:
    """The number that a binary-coded decimal stands for.

    >>> bcd_to_dec(0b00110010)
    32
    """
    data = value.to_bytes(byte_width, _order(byteorder))
    return sum(((byte >> 4) * 10 + (byte & 15)) * 100**place for place, byte in enumerate(data))


def _order(byteorder: str) -> Literal["little", "big"]:
    if byteorder == "little":
        return "little"
    if byteorder == "big":
        return "big"
    raise refused(PyBoyInvalidInputException, "byteorder", repr(byteorder), "'little' or 'big'")
