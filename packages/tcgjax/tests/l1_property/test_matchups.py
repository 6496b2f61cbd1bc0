"""What a duel's learner is told of the Pokémon in play, beside the reference's cards and its view."""

from __future__ import annotations

import numpy as np
import pytest

from tcgjax.verification import advice, matchups
from tcgjax.verification.duel import Duel
from tcgjax.verification.host_duel import ReferenceDuel

pytestmark = pytest.mark.l1
A, P = len(matchups.OF_ATTACK), len(matchups.OF_PLACE)


def lack(cost, energy):
    """How much energy an attack lacks: of each type by itself, then of any."""
    typed = sum(max(wanted - there, 0) for wanted, there in zip(cost[:8], energy[:8], strict=True))
    return max(typed, sum(cost) - sum(energy))


def hits_weakness(card, other):
    """Whether one card's type is the Weakness of another."""
    return other.weakness >= 0 and bool(card.types >> other.weakness & 1)


def row_of(slot, foe, table):
    """The numbers of a place, in their units; its foe is in the opponent's Active Spot or None."""
    if not slot:
        return [0] * matchups.WIDTH
    card, row = table[slot["cards"][-1]], []
    against = table[foe["cards"][-1]] if foe else None
    for number in range(2):
        if number >= len(card.attacks):
            row += [0] * A
            continue
        attack = card.attacks[number]
        lacks = lack(attack.cost, slot["energy"])
        bonus = 20 if attack.damage and against and hits_weakness(card, against) else 0
        damage = attack.damage + bonus
        row += [damage, min(lacks, 4), lacks == 0, bool(foe) and damage >= foe["max_hp"] - foe["damage"]]
    weak = against is not None and hits_weakness(against, card)
    return [*row, slot["max_hp"] - slot["damage"], card.points, card.retreat, weak]


def test_places_are_compared_as_their_cards_are_printed():
    duel, units = (
        ReferenceDuel(Duel().default_params),
        [*matchups.OF_ATTACK.values()] * 2 + [*matchups.OF_PLACE.values()],
    )
    rng, seen = np.random.default_rng(0), np.zeros((matchups.WIDTH,), np.int64)
    table = duel.reference.table().cards
    for number in range(24):
        duel.deal(number, 11)
        while not duel.over:
            view = duel.reference.observation(duel.game, duel.seat)
            found = advice.compared(duel.observe(), duel.cards) * units
            mine, foes = view["me"]["slots"], view["foe"]["slots"]
            expected = [row_of(slot, foes[0], table) for slot in mine] + [row_of(slot, mine[0], table) for slot in foes]
            assert found.tolist() == expected
            seen += (found != 0).sum(axis=0)
            word = rng.integers(2**32, dtype=np.uint32)
            duel.step((duel.players.heuristic if rng.random() < 0.8 else duel.players.random)(duel.game, word))
    assert (seen > 20).all()


def test_an_attack_is_told_what_it_would_do_and_a_card_what_is_printed_on_it():
    duel, attacks = ReferenceDuel(Duel().default_params), 0
    table, units = duel.reference.table().cards, [*matchups.OF_CARD.values(), *matchups.OF_ATTACK.values()]
    for number in range(8):
        duel.deal(number, 13)
        while not duel.over:
            seen, actions = duel.observe(), duel.listed()
            facts, shown = advice.compared(seen, duel.cards), advice.listed(seen, actions, duel.cards)
            for entry, said in zip(shown["action_ids"], shown["actions"][:, -len(units) :] * units, strict=True):
                card, which = table[entry[0] // 3 - 1], entry[0] % 3
                if entry[0] < 3:
                    assert not said.any()
                    continue
                damage, costs = [0, 0], [0, 0]
                for place, attack in enumerate(card.attacks):
                    damage[place], costs[place] = attack.damage, sum(attack.cost)
                assert said[:7].tolist() == [card.hp, card.points, card.stage, *damage, *costs]
                wanted = facts[0, A * (which - 1) : A * which] * units[7:] if which else np.zeros(A)
                assert said[7:].tolist() == wanted.tolist()
                attacks += which > 0
            duel.step(duel.players.heuristic(duel.game, np.uint32(number)))
    assert attacks > 20
