"""Decks: twenty cards and the energy types of their Energy Zone, checked (RULES.md, section 1)."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from rlenv_shared.errors import EnvError, explain
from tcgjax.codes import DECK_TYPES, ENERGY, AttackColumn, CardColumn, CardKind, Op, Stage
from tcgjax.counting import PURE
from tcgjax.layout import DECK_SIZE
from tcgjax.operations import ACTS
from tcgjax.tables import Tables, arrays, copies_in, listed_decks, ranks_in, words

MAX_COPIES = 2
MAX_ENERGY_TYPES = 3


class DeckError(EnvError, ValueError):
    """A deck that the rules, or this engine, do not allow."""


@dataclass(frozen=True)
class Deck:
    """A checked deck.

    Attributes:
        cards: functional cards, in the order of the list.
        energy: mask of energy types.
    """

    cards: tuple[int, ...]
    energy: int


@functools.cache
def unknown_ops() -> dict[int, str]:
    """Cards with a program that holds an op without a body here, by what they lack."""
    known = {int(op) for ops, _ in ACTS for op in ops} | {int(op) for op in PURE}
    tables, found = arrays(), {}
    lacking = [sorted({int(op) for op in rows[:, 0]} - known - {0}) for rows in tables["row"]]
    for card, row in enumerate(tables["card"]):
        programs = [row[CardColumn.PROGRAM], *(attack[AttackColumn.PROGRAM] for attack in tables["attack"][card])]
        names = [Op(op).name for program in programs for op in lacking[program]]
        if names:
            found[card] = f"no body for {', '.join(names)}"
    return found


def build(entries: Iterable[tuple[str, int]], energy: str) -> Deck:
    """A checked deck.

    Args:
        entries: printing ids such as ``A1-001`` and how many of each.
        energy: letters of the energy types, for example ``"GR"``.

    Raises:
        DeckError: an unknown or unsupported card, or a deck the rules forbid.
    """
    known, cards = words(), arrays()["card"]
    found: list[int] = []
    for printing, count in entries:
        if printing not in known["printings"]:
            raise _bad(f"card {printing}", "no such id", "an id such as A1-001", "look it up in the card table")
        found += [known["printings"][printing]] * count
    for card in sorted(set(found)):
        why = known["unsupported"].get(known["cards"][card]) or unknown_ops().get(card)
        if why:
            raise _bad(
                f"card {known['cards'][card]} {known['names'][card]}", why, "a card that is supported", "replace it"
            )
    if len(found) != DECK_SIZE:
        raise _bad("deck", f"{len(found)} cards", DECK_SIZE, "add or remove cards")
    for name, count in Counter(known["names"][card] for card in found).items():
        if count > MAX_COPIES:
            raise _bad("deck", f"{count} cards named {name}", f"at most {MAX_COPIES} of one name", "remove some")
    columns = cards[found]
    pokemon = columns[:, CardColumn.KIND] == CardKind.POKEMON
    if not (pokemon & (columns[:, CardColumn.STAGE] == Stage.BASIC)).any():
        raise _bad("deck", "no Basic Pokémon", "at least one", "add one")
    letters = sorted(set(energy))
    if not 1 <= len(letters) <= MAX_ENERGY_TYPES or not set(letters) <= set(ENERGY[:DECK_TYPES]):
        raise _bad("energy types", energy, f"1 to 3 letters of {ENERGY[:DECK_TYPES]}", "correct them")
    return Deck(tuple(found), sum(1 << ENERGY.index(letter) for letter in letters))


@functools.cache
def pool() -> dict[str, Deck]:
    """The decks that come with the package, by id."""
    return {
        name: build([(card, count) for card, count in deck["cards"]], deck["energy"])
        for name, deck in listed_decks().items()
    }


def tables_of(decks: Iterable[Deck]) -> Tables:
    """The tables with another pool of decks."""
    chosen = list(decks)
    cards = np.array([card for deck in chosen for card in deck.cards], np.int32)
    energy = np.array([deck.energy for deck in chosen], np.int32)
    return Tables(deck=cards, deck_rank=ranks_in(cards), copies=copies_in(cards), deck_energy=energy)


def _bad(what: str, got: object, expected: object, remedy: str) -> DeckError:
    return DeckError(explain(what, got=got, expected=expected, remedy=remedy))
