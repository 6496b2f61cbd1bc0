"""Pokémon TCG Pocket in JAX: the rules, exactly those of a readable Python reference."""

from tcgjax.decks import Deck, DeckError, build

__version__ = "0.1.0"
__all__ = ["Deck", "DeckError", "__version__", "build"]
