"""Bodies of the micro-ops, one module per family; importing this package registers them all."""

from tcg_engine.ops import cards, choices, counting, energy, hits, position, special, timed

__all__ = ["cards", "choices", "counting", "energy", "hits", "position", "special", "timed"]
