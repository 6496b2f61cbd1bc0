"""Battles from Showdown and back: positions as ``Battle.toJSON()`` writes them and ``Battle.fromJSON`` reads them."""

from pokejax.showdown.incoming import Position, from_showdown
from pokejax.showdown.outgoing import to_showdown

__all__ = ["Position", "from_showdown", "to_showdown"]
