"""Pokémon TCG Pocket in JAX: two players, hidden hands, exactly the rules of a readable Python reference.

>>> import tcgjax
>>> tcgjax.make().name
'tcgjax/Tcg-v0'
"""

from typing import Any

from rlenv_shared import registry
from tcgjax.decks import Deck, DeckError, build, pool
from tcgjax.env import Tcg, TcgParams

__version__ = "0.1.0"
__all__ = ["Deck", "DeckError", "Tcg", "TcgParams", "__version__", "build", "make", "pool"]

registry.register(Tcg.name, Tcg)


def make(**kwargs: Any) -> Tcg:
    """Construct a `Tcg`; it takes no keyword arguments.

    Raises:
        InvalidParamsError: an unknown keyword.
    """
    return registry.make(Tcg.name, **kwargs)
