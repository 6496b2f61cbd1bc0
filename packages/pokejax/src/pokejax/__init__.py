"""Pokémon Showdown's Gen 9 random battles in JAX, bit for bit."""

from typing import Final

__version__: Final = "0.1.0"
