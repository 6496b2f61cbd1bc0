"""What players know of hidden cards, and what secret choices leave of it (RULES.md, section 12.5)."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from references.tcg_engine.tests.play import do, situation
from references.tcg_engine.tests.test_invariants import random_deck

from tcg_engine import full, new_game, observation, step
from tcg_engine.hidden import permuted
from tcg_engine.players import POLICIES

A, B, C, D = "A1-001", "A1-033", "A1-053", "A1-211"
MAINTENANCE, HAND_SCOPE, POKEDEX, MORTY = "B2b-066", "P-A-003", "P-A-004", "A4a-071"


def names(game, cards):
    return [game.table.cards[card].id if card >= 0 else "" for card in cards]


def scoped(*picks):
    """Player 0 has seen the hand, from which two cards then go back, and a card is drawn for them."""
    game = situation(me={"hand": [HAND_SCOPE]}, foe={"hand": [A, B, C, MAINTENANCE], "deck": [D] * 4})
    return do(game, f"play {HAND_SCOPE}", "end", f"play {MAINTENANCE}", *picks)


def test_cards_that_go_back_in_secret_are_some_of_those_seen():
    views = [
        observation(scoped(*picks), 0) for picks in (("pick 0", "pick 0"), ("pick 1", "pick 1"), ("pick 2", "pick 0"))
    ]
    assert views[0] == views[1] == views[2]
    game = scoped("pick 0", "pick 0")
    assert names(game, views[0]["foe_hand_seen"]) == []
    assert names(game, views[0]["foe_some"]) == [A, B, C]  # and one that was drawn, unseen
    assert views[0]["foe_some_at_least"] == [1, 0, 0]  # two went back, of which the card drawn then may be one


def test_a_known_card_that_cannot_go_back_stays_known():
    game = situation(
        me={"hand": [HAND_SCOPE]}, foe={"hand": [A, B, HAND_SCOPE, "A2-146"], "deck": [D] * 4}
    )  # a Pokémon goes for a Pokémon
    game = do(game, f"play {HAND_SCOPE}", "end", "play A2-146", "pick 0")
    view = observation(game, 0)
    assert names(game, view["foe_hand_seen"]) == [HAND_SCOPE]
    assert sorted(names(game, view["foe_some"])) == [A, B]


@pytest.mark.parametrize("order", [("pick 0", "pick 0"), ("pick 2", "pick 1"), ("pick 1", "pick 0")])
def test_an_order_made_in_secret_leaves_the_set(order):
    game = situation(
        me={"hand": [POKEDEX], "deck": [A, B, C, D]}, foe={"active": "A1-116", "bench": ["A1-116"] * 2, "hand": [MORTY]}
    )
    game = do(game, f"play {POKEDEX}", "end", f"play {MORTY}", *order)
    view = observation(game, 0)
    assert view["deck_seen"] == []
    assert (names(game, view["deck_mixed"]), view["deck_mixed_depth"]) == ([A, B, C], 3)
    game = do(game, "end")
    view = observation(game, 0)
    drawn = view["hand"][-1]
    assert (view["deck_mixed_depth"], len(view["deck_mixed"])) == (2, 2)
    assert drawn not in view["deck_mixed"]


def test_which_of_equal_cards_is_played_is_not_seen():
    """A Potion that was seen and one that was not: one is left, and it could be either."""
    hand = ["P-A-001", "P-A-001"]
    views = []
    for back in (0, 1):
        game = situation(me={"hand": ["A1-204"]}, foe={"hand": hand, "active": f"{D} damage=50"})
        game.players[1].shown.held[game.cards[game.players[1].hand[back]]] = 1
        views.append(observation(do(game, "end", "play P-A-001 on me 0"), 0)["foe_hand_seen"])
    assert views == [[], []]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_another_truth_looks_the_same_and_is_made_of_the_same_cards(seed):
    generator = random.Random(seed)
    played = new_game(random_deck(generator), random_deck(generator), seed)
    for _ in range(generator.randrange(80)):
        if played.choice is not None:
            step(played, POLICIES[generator.choice(("random", "heuristic"))](played, generator))
    for player in (0, 1):
        other = permuted(played, player, generator)
        assert observation(played, player) == observation(other, player)
        for one, two in zip(played.players, other.players, strict=True):
            assert sorted([*one.hand, *one.deck]) == sorted([*two.hand, *two.deck])
            assert len(one.hand) == len(two.hand)
        assert full(played)["shown"] == full(other)["shown"]


def test_other_truths_are_all_that_fit_and_no_others():
    game = do(scoped("pick 0", "pick 0"), "end")
    seen, places = {game.table.find(card).index for card in (A, B, C)}, set()
    for seed in range(400):
        other = permuted(game, 0, random.Random(seed))
        hand = [other.cards[card] for card in other.players[1].hand]
        assert sum(card in seen for card in hand) >= 1
        places.add(tuple(sorted(names(game, hand))))
    assert {A, B, C} <= {card for hand in places for card in hand}
    order = situation(
        me={"hand": [POKEDEX], "deck": [A, B, C, D]}, foe={"active": "A1-116", "bench": ["A1-116"] * 2, "hand": [MORTY]}
    )
    order = do(order, f"play {POKEDEX}", "end", f"play {MORTY}", "pick 2", "pick 1")
    tops = set()
    for seed in range(200):
        other = permuted(order, 0, random.Random(seed))
        tops.add(tuple(names(order, [other.cards[card] for card in other.players[0].deck[:3]])))
    assert len(tops) == 6
    assert all(sorted(top) == [A, B, C] for top in tops)
