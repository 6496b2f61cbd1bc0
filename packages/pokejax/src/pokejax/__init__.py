"""Pokémon Showdown's Gen 9 random battles in JAX, bit for bit."""

__version__ = "0.1.0"
