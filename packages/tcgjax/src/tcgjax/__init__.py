"""Pokémon TCG Pocket in JAX: two players, hidden hands, exactly the rules of a readable Python reference.

>>> import tcgjax
>>> tcgjax.make().name
'tcgjax/Tcg-v0'
"""

import importlib.util
from typing import Any

from rlenv_shared import backends, registry
from tcgjax.decks import Deck, DeckError, build, pool
from tcgjax.env import Tcg, TcgParams

__version__ = "0.1.0"
__all__ = ["Deck", "DeckError", "Tcg", "TcgParams", "__version__", "build", "make", "pool", "register"]

registry.register(Tcg.name, Tcg)


def make(**kwargs: Any) -> Tcg:
    """Construct a `Tcg`; it takes no keyword arguments but ``backend``.

    Where JAX's default device is a CPU and no backend is named, the steps are those of ``bytecode``
    (`rlenv_emit.bytecode`), which need no C++ compiler; ``backend="emit"`` is the fastest, and needs one once.

    Raises:
        InvalidParamsError: an unknown keyword.
    """
    found: Tcg = registry.make(Tcg.name, **{**backends.default(), **kwargs})
    return found


def register() -> None:
    """Register ``tcgjax/Tcg-v0`` with Gymnasium, single and vector: one seat against an opponent; safe to repeat.

    Importing this package does it where Gymnasium is installed, so ``gymnasium.register_envs(tcgjax)`` suffices.
    """
    from tcgjax import gym_env

    gym_env.register()


if importlib.util.find_spec("gymnasium"):
    register()
