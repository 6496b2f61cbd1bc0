"""Batched Game Boy (Color) emulator whose frames equal those of PyBoy 2.8.1."""

from emurust.batch import BatchEnv, Cell
from emurust.errors import (
    EmurustError,
    InvalidArgumentError,
    InvalidRomError,
    InvalidStateError,
    LockedUp,
    RewardError,
)
from emurust.game_boy import GameBoy

__version__ = "0.1.0"
__all__ = [
    "BatchEnv",
    "Cell",
    "EmurustError",
    "GameBoy",
    "InvalidArgumentError",
    "InvalidRomError",
    "InvalidStateError",
    "LockedUp",
    "RewardError",
]
