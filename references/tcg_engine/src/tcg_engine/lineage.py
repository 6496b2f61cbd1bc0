"""Who evolves into whom, from the print alone (RULES.md, section 5)."""

from __future__ import annotations

import functools

from tcg_engine.cards import Card, CardTable


@functools.lru_cache(maxsize=8)
def _basics(table: CardTable) -> dict[int, frozenset[int]]:
    """For the name of each Stage 1: the names of the Basics beneath."""
    found: dict[int, set[int]] = {}
    for card in table.cards:
        if card.evolves_from:
            found.setdefault(card.name, set()).add(card.evolves_from)
    return {name: frozenset(names) for name, names in found.items()}


def evolves(card: Card, name: int) -> bool:
    """Whether a card evolves from a Pokémon of this name."""
    return card.is_pokemon and bool(card.evolves_from) and card.evolves_from == name


def skips_to(table: CardTable, card: Card, name: int) -> bool:
    """Whether a Stage 2 card can be put on a Basic of this name, leaving out the Stage 1."""
    return card.is_pokemon and card.stage == 2 and name in _basics(table).get(card.evolves_from, ())
