"""Batched Game Boy (Color) emulator whose frames equal those of PyBoy 2.8.1.

| what                              | where                                  | needs         |
|-----------------------------------|----------------------------------------|---------------|
| one console, PyBoy's interface    | `GameBoy`                              |               |
| many consoles                     | `BatchEnv`                             |               |
| rewards compiled from memory      | `emurust.expressions`                  |               |
| games                             | `emurust.games`                        |               |
| Gymnasium environments            | `EmurustVectorEnv`, `EmurustEnv`       | `[gymnasium]` |
| command line                      | ``emurust --help``                     |               |

>>> from emurust.games import windfall
>>> env = windfall.game().batch(4)
>>> env.reset(seed=0).shape
(4, 11)
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

from emurust.batch import BatchEnv
from emurust.errors import (
    ClosedError,
    EmurustError,
    InvalidActionError,
    InvalidArgumentError,
    InvalidRomError,
    InvalidStateError,
    LockedUp,
    RewardError,
)
from emurust.expressions import Cell
from emurust.game_boy import GameBoy

if TYPE_CHECKING:
    from emurust.vector_env import EmurustEnv, EmurustVectorEnv

__version__ = "0.1.0"
__all__ = [
    "BatchEnv",
    "Cell",
    "ClosedError",
    "EmurustEnv",
    "EmurustError",
    "EmurustVectorEnv",
    "GameBoy",
    "InvalidActionError",
    "InvalidArgumentError",
    "InvalidRomError",
    "InvalidStateError",
    "LockedUp",
    "RewardError",
    "__version__",
    "make",
    "register_envs",
]


def __getattr__(name: str) -> Any:
    if name not in ("EmurustEnv", "EmurustVectorEnv"):  # imported when first used: they need an extra
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module("emurust.vector_env"), name)


def make(env_id: str = "emurust/Windfall-v0", **options: Any) -> Any:
    """Constructs one of this package's environments; pass ``num_envs`` and options of `BatchEnv`.

    Raises:
        UnknownEnvError: no such id.
    """
    from emurust import ids  # noqa: F401 (registers them)
    from rlenv_shared import registry

    return registry.make(env_id, **options)


def register_envs() -> None:
    """Registers the ids with Gymnasium; may be called again.

    Importing this package does it where Gymnasium is installed, so ``gymnasium.register_envs(emurust)`` suffices.
    """
    from emurust import ids

    ids.register_with_gymnasium()


if importlib.util.find_spec("gymnasium"):
    register_envs()
