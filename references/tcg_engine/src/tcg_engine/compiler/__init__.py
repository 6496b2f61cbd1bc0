"""Compiles card texts to effect programs: ``python -m tcg_engine.compiler CARDS.json`` (README.md)."""
