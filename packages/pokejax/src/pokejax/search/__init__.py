"""Search: what a position is worth, and a player that looks one or two of its decisions ahead."""

from pokejax.search.expectimax import Expectimax

__all__ = ["Expectimax"]
