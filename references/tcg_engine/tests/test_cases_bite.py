"""Every effect has a case that fails without it: the effect is taken off the card and its cases are run again."""

from __future__ import annotations

import dataclasses
from collections import defaultdict

import pytest
from references.tcg_engine import ledger
from references.tcg_engine.tests.test_cases import CASES, META

from tcg_engine import position, table
from tcg_engine.cards import CardTable
from tcg_engine.errors import EngineError
from tcg_engine.game import step

CASES_OF: dict[tuple, list] = defaultdict(list)
for _case in CASES:
    _card, _, _part = _case["verifies"].partition(" ")
    CASES_OF[ledger.parts(table().find(_card))[_part]].append(_case)


def without(case) -> CardTable:
    """The card table in which the part that the case verifies does nothing."""
    name, _, part = case["verifies"].partition(" ")
    card = table().find(name)
    if part == "effect":
        plain = dataclasses.replace(card, program=0, modifiers=())
    else:
        number = int(part.split()[1])
        attacks = list(card.attacks)
        attacks[number] = dataclasses.replace(attacks[number], program=ledger.PLAIN_ATTACK)
        plain = dataclasses.replace(card, attacks=tuple(attacks))
    cards = (*table().cards[: card.index], plain, *table().cards[card.index + 1 :])
    return dataclasses.replace(table(), cards=cards, sha256=f"{table().sha256} without {case['verifies']}")


def passes(case, cards: CardTable) -> bool:
    """Whether a case comes out as it should with another table."""
    try:
        played = position.load({key: value for key, value in case.items() if key not in META}, cards=cards)
        for words in case["do"]:
            step(played, position.action(played, words))
        options = played.choice.options if played.choice else []
        return (
            {path: position.read(played, path) for path in case["expect"]} == case["expect"]
            and all(position.action(played, words) in options for words in case.get("can", []))
            and not any(position.action(played, words) in options for words in case.get("cannot", []))
        )
    except EngineError:
        return False


@pytest.mark.parametrize("part", list(CASES_OF), ids=[cases[0]["verifies"] for cases in CASES_OF.values()])
def test_some_case_fails_without_the_effect(part):
    tables = {}
    for case in CASES_OF[part]:
        cards = tables.setdefault(case["verifies"], without(case))
        if not passes(case, cards):
            return
    pytest.fail(f"no case of {CASES_OF[part][0]['verifies']} needs its effect")
