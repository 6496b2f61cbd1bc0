"""Decks that are refused, and the tables they are made of."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import tcg_engine.codes
from tcg_engine import table
from tcgjax import DeckError, build, codes, decks, kinds, triggers
from tcgjax.tables import Cards, Tables, arrays, words
from tcgjax.verification.starters import DECKS, SHARED, starters

pytestmark = pytest.mark.l1
CARDS = [(card, 2) for card in (*DECKS["G"], *SHARED)]


@pytest.mark.parametrize(
    ("entries", "energy", "message"),
    [
        ([*CARDS[1:], ("X9-001", 2)], "G", "card X9-001: got no such id"),
        (CARDS[1:], "G", "got 18 cards"),
        ([*CARDS[2:], ("A1-033", 4)], "G", "got 4 cards named Charmander"),
        (CARDS, "", "energy types"),
        (CARDS, "GRWL", "energy types"),
        (CARDS, "C", "energy types"),
    ],
)
def test_bad_decks_are_refused(entries, energy, message):
    with pytest.raises(DeckError, match=message):
        build(entries, energy)


def test_a_card_with_an_unknown_op_is_refused_by_name(monkeypatch):
    card = words()["printings"]["A1-001"]
    monkeypatch.setattr(decks, "unknown_ops", lambda: {card: "no body for DANCE"})
    with pytest.raises(DeckError, match="card A1-001 Bulbasaur: got no body for DANCE"):
        build(CARDS, "G")


def test_every_card_of_the_table_is_supported():
    assert not decks.unknown_ops()
    assert not words()["unsupported"]


def test_no_modifier_asks_for_cards_in_hands():
    columns = [codes.ModifierColumn.STATE, codes.ModifierColumn.NEED_STATE]
    assert not (arrays()["modifier"][:, columns] == codes.State.HAS_CANDY_TARGET).any()


def test_nobody_reads_the_last_row_of_a_table():
    cards, nobody, tables = Cards(Tables()), np.int32(-1), arrays()
    assert cards.sizes == (len(tables["card"]), len(tables["modifier"]))
    for number in (0, 1, len(tables["card"]) - 1, -1):
        columns = [int(cards.card(np.int32(number), column)) for column in codes.CardColumn]
        assert columns == tables["card"][number].tolist()
    assert int(cards.attack(nobody, np.int32(1), codes.AttackColumn.DAMAGE)) == tables["attack"][-1, 1, 1]
    assert cards.row(nobody, np.int32(2)).tolist() == tables["row"][-1, 2].tolist()
    kind = tables["modifier"][-1, codes.ModifierColumn.KIND]
    assert int(cards.kind_bits(nobody)) == kinds.bits_of_kinds(kind)
    passes = tables["passes"]
    for number, card in ((0, -1), (3, -1), (5, 7)):
        before = passes.ravel()[number * passes.shape[1] + card]
        assert bool(cards.prints(np.int32(number), np.int32(card))) == bool(before & 2)


def test_every_kind_of_modifier_is_looked_at_somewhere_and_triggers_by_their_event():
    everywhere = kinds.ALWAYS | kinds.OF_DAMAGE | kinds.TRIGGERS | kinds.TAKES_ABILITIES | kinds.GIVES_TYPE
    for kind in codes.Kind:
        bits = int(kinds.bits_of_kinds(kind))
        assert bits & everywhere
        assert bool(bits & kinds.TRIGGERS) == (kind >= kinds.FIRST_TRIGGER)
        events = [event for event in triggers.KINDS if triggers.mask_of(event) & bits]
        by_event = kind >= kinds.FIRST_TRIGGER and kind != codes.Kind.ON_ZONE_ENERGY
        assert len(events) == (2 if kind == codes.Kind.END_ANY_TURN else by_event)  # either player's end of turn
    assert kinds.bits_of_kinds(0) == 0


def test_starters_are_six_decks():
    assert len(starters()) == 6
    assert all(max(Counter(deck.cards).values()) == 2 for deck in starters())


def test_codes_are_the_reference_s():
    for name in ("Op", "Kind", "State", "Who", "Fact", "Scope", "Duration", "Zone", "Use", "CardKind"):
        ours, theirs = getattr(codes, name), getattr(tcg_engine.codes, name)
        assert {item.name: int(item) for item in ours} == {item.name: int(item) for item in theirs}


def test_rows_are_the_reference_s():
    for number, rows in enumerate(table().programs):
        assert arrays()["row"][number, : len(rows)].tolist() == [list(row) for row in rows]
    assert words()["printings"] == table().printings
