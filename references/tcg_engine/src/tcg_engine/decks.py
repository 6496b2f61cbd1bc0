"""Decks: reading and checking (RULES.md, section 1)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tcg_engine.cards import CardTable, table
from tcg_engine.codes import DECK_TYPES, ENERGY, Stage
from tcg_engine.config import DECK_SIZE, MAX_COPIES, MAX_ENERGY_TYPES
from tcg_engine.errors import DeckError, explain


@dataclass(frozen=True)
class Deck:
    """Twenty cards and the energy types of their Energy Zone.

    Attributes:
        cards: indices of functional cards, in the order of the list.
        energy: mask of energy types.
    """

    cards: tuple[int, ...]
    energy: int


def build(entries: Iterable[tuple[str, int]], energy: str, cards: CardTable | None = None) -> Deck:
    """A checked deck.

    Args:
        entries: printing ids such as ``A1-001`` and how many of each.
        energy: letters of the energy types, for example ``"GR"``.
        cards: card table; the shipped one by default.

    Raises:
        DeckError: an unknown or unsupported card, or a deck the rules forbid.
    """
    cards = cards or table()
    indices = [cards.find(printing).index for printing, count in entries for _ in range(count)]
    for index in sorted(set(indices)):
        card = cards.cards[index]
        if card.unsupported:
            raise DeckError(
                explain(
                    f"card {card.id} {cards.name(card)}",
                    got=f"not supported: {card.unsupported}",
                    expected="a card whose effects are compiled",
                    remedy="replace it",
                )
            )
    if len(indices) != DECK_SIZE:
        raise DeckError(explain("deck", got=f"{len(indices)} cards", expected=DECK_SIZE, remedy="add or remove cards"))
    for name, count in Counter(cards.cards[i].name for i in indices).items():
        if count > MAX_COPIES:
            raise DeckError(
                explain(
                    "deck",
                    got=f"{count} cards named {cards.names[name]}",
                    expected=f"at most {MAX_COPIES} of one name",
                    remedy="remove some",
                )
            )
    if not any(cards.cards[i].is_pokemon and cards.cards[i].stage == Stage.BASIC for i in indices):
        raise DeckError(explain("deck", got="no Basic Pokémon", expected="at least one", remedy="add one"))
    letters = sorted(set(energy))
    if not 1 <= len(letters) <= MAX_ENERGY_TYPES or not set(letters) <= set(ENERGY[:DECK_TYPES]):
        raise DeckError(
            explain(
                "energy types", got=energy, expected=f"1 to 3 letters of {ENERGY[:DECK_TYPES]}", remedy="correct them"
            )
        )
    return Deck(tuple(indices), sum(1 << ENERGY.index(letter) for letter in letters))


def parse(text: str, cards: CardTable | None = None) -> Deck:
    """Read a deck file: ``Energy: Grass`` and lines ``2 Bulbasaur A1 001`` or ``2 A1-001``; # begins a comment.

    Raises:
        DeckError: with the number of the bad line, or for the reasons of `build`.
    """
    words = ("Grass", "Fire", "Water", "Lightning", "Psychic", "Fighting", "Darkness", "Metal")
    entries: list[tuple[str, int]] = []
    energy = ""
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.split("#")[0].strip()
        if not line:
            continue
        if line.lower().startswith("energy:"):
            for word in re.split(r"[,\s]+", line[7:].strip()):
                if word.capitalize() not in words:
                    raise DeckError(explain(f"line {number}", got=word, expected=words, remedy="name an energy type"))
                energy += ENERGY[words.index(word.capitalize())]
            continue
        match = re.fullmatch(r"(\d+)\s+(?:.*\s)?(P-[AB]|[A-Z]\d+[a-z]?)[\s-]+(\d+)", line)
        if match is None:
            raise DeckError(
                explain(f"line {number}", got=line, expected="'2 Bulbasaur A1 001'", remedy="correct the line")
            )
        entries.append((f"{match[2]}-{int(match[3]):03d}", int(match[1])))
    return build(entries, energy, cards)


def load(path: str | Path, cards: CardTable | None = None) -> Deck:
    """Read a deck file from disk; errors as for `parse`."""
    return parse(Path(path).read_text(encoding="utf-8"), cards)
