"""Six decks of the first set, one for each of six energy types, that tests and comparisons play."""

from __future__ import annotations

from typing import Final

from tcgjax.decks import Deck, build

SHARED: Final = ("P-A-001", "P-A-002", "P-A-005", "P-A-007")
"""Potion, X Speed, Poké Ball, Professor's Research."""
DECKS: Final = {
    "G": ("A1-001", "A1-002", "A1-004", "A1-021", "A1-023", "A1-219"),
    "R": ("A1-033", "A1-034", "A1-036", "A1-044", "A1-045", "A1-223"),
    "W": ("A1-053", "A1-054", "A1-056", "A1-074", "A1-075", "A1-220"),
    "L": ("A1-094", "A1-095", "A1-097", "A1-098", "A1-101", "A1-225"),
    "P": ("A1-115", "A1-116", "A1-117", "A1-120", "A1-121", "A1-225"),
    "F": ("A1-137", "A1-138", "A1-143", "A1-144", "A1-145", "A1-223"),
}


def starters() -> list[Deck]:
    """The decks in the order of `DECKS`."""
    return [build([(card, 2) for card in (*cards, *SHARED)], energy) for energy, cards in DECKS.items()]
