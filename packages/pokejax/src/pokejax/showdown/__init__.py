"""Battles from Showdown and back: positions as ``Battle.toJSON()`` writes them, and from one player's own view."""

from pokejax.showdown.incoming import Position, from_showdown
from pokejax.showdown.outgoing import to_showdown
from pokejax.showdown.viewpoint import determinize

__all__ = ["Position", "determinize", "from_showdown", "to_showdown"]
