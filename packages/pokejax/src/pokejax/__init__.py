"""Pokémon Showdown's Gen 9 random battles in JAX; the README says what of it, and how exactly.

>>> import pokejax
>>> env = pokejax.make(micro_steps=4)
>>> env.name
'pokejax/Gen9RandomBattle-v0'
"""

import importlib.util
from typing import Any

from pokejax.env import RandomBattle
from pokejax.tables import Params
from rlenv_shared import backends, registry

__version__ = "0.1.0"
__all__ = ["Params", "RandomBattle", "__version__", "make", "register"]

registry.register(RandomBattle.name, RandomBattle)


def make(**kwargs: Any) -> RandomBattle:
    """Construct a `RandomBattle`; keyword arguments are its own, and ``backend``.

    Where JAX's default device is a CPU and no backend is named, the steps are those of ``bytecode``
    (`rlenv_emit.bytecode`), which need no C++ compiler; ``backend="emit"`` is the fastest, and needs one once.

    Raises:
        InvalidParamsError: an unknown keyword, or a value the constructor refuses.
    """
    found: RandomBattle = registry.make(RandomBattle.name, **{**backends.default(), **kwargs})
    return found


def register() -> None:
    """Register ``pokejax/Gen9RandomBattle-v0`` with Gymnasium: one seat against an opponent; safe to repeat.

    Importing this package does it where Gymnasium is installed, so ``gymnasium.register_envs(pokejax)`` suffices.
    """
    from pokejax import gym_env

    gym_env.register()


if importlib.util.find_spec("gymnasium"):
    register()
