"""Pokémon Showdown's Gen 9 random battles in JAX; the README says what of it, and how exactly."""

__version__ = "0.1.0"
