"""Errors of the reference; each says what, got, expected and the remedy."""

from __future__ import annotations


class EngineError(Exception):
    """Base of every error this package raises on purpose."""


class DeckError(EngineError, ValueError):
    """A deck that the rules or this card table do not allow."""


class IllegalActionError(EngineError, ValueError):
    """An action that is not legal now."""


class TableError(EngineError, ValueError):
    """A card table that is damaged, of another version, or a text that the compiler does not know."""


def explain(what: str, *, got: object, expected: object, remedy: str) -> str:
    """Format an error message: ``what: got …, expected …; remedy``."""
    return f"{what}: got {got}, expected {expected}; {remedy}"
