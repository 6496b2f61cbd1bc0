"""What abilities and items do, each by its own name, in handlers that are called as Showdown's events are."""

from pokejax.rules.effects import abilities, items
from pokejax.rules.effects.handlers import run

__all__ = ["abilities", "items", "run"]
