"""Sections 1 to 5 and 12 of RULES.md: decks, setup, turns, evolution, hands."""

from __future__ import annotations

import pytest
from references.tcg_engine.tests.play import FIRE, GRASS, can, do, game, get, lay, situation

from tcg_engine import board, decks, new_game, observation, setup, step, table
from tcg_engine.actions import CHOICE
from tcg_engine.codes import CardKind, Kind, Op, Use
from tcg_engine.config import LEGACY, Rules
from tcg_engine.errors import DeckError, IllegalActionError
from tcg_engine.setup import is_basic


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"A1-001": 3, "A1-211": 2}, "21 cards"),
        ({"A1-001": 1}, "19 cards"),
        ({"A1-999": 1, "A1-001": 1}, "A1-999"),
        ({"A1-001": 3, "A1-211": 1}, "3 cards named Bulbasaur"),
    ],
)
def test_1_deck_size_and_copies(change, message):
    with pytest.raises(DeckError, match=message):
        decks.build(list({**dict(GRASS), **change}.items()), "G")


def test_1_2_needs_a_basic_pokemon():
    fossils = [("A1-216", 2), ("A1-217", 2), ("A1-218", 2), ("P-A-001", 2), ("P-A-005", 2), ("P-A-007", 2)]
    fossils += [("P-A-002", 2), ("A1-223", 2), ("A1-225", 2), ("A2-147", 2)]
    with pytest.raises(DeckError, match="no Basic"):
        decks.build(fossils, "G")


def test_1_3_ex_and_plain_are_different_names():
    deck = [("A1-035", 2), ("A1-036", 2), *FIRE[:2], *FIRE[4:]]
    assert len(decks.build(deck, "R").cards) == 20


@pytest.mark.parametrize("energy", ["", "C", "GRWL", "X"])
def test_1_4_energy_types(energy):
    with pytest.raises(DeckError, match="energy types"):
        decks.build(GRASS, energy)


def test_1_deck_files_name_the_bad_line():
    with pytest.raises(DeckError, match="line 2"):
        decks.parse("Energy: Grass\ntwo Bulbasaur\n")
    with pytest.raises(DeckError, match="line 1"):
        decks.parse("Energy: Wood\n")
    text = "# mine\nEnergy: Grass\n" + "".join(f"{n} Card {i.rsplit('-', 1)[0]} {i[-3:]}\n" for i, n in GRASS)
    assert decks.parse(text) == decks.build(GRASS, "G")


def test_2_1_the_coin_decides_who_goes_first():
    assert {game(seed).first for seed in range(20)} == {0, 1}


def test_2_2_opening_hand_has_a_basic_and_five_cards():
    for seed in range(60):
        dealt = game(seed)
        for player in (0, 1):
            hand = dealt.players[player].hand
            placed = [pokemon.cards[0] for pokemon in dealt.board(player)]
            drawn = int(dealt.turn == 1 and dealt.current == player)
            assert len(hand) + len(placed) == 5 + drawn
            assert any(is_basic(dealt, card) for card in [*hand, *placed])


def test_2_2_swap_keeps_the_odds_of_two_basics():
    """With four Basics in 20 cards: two or more among five with probability 0.25, not 0.53 as with a Basic first."""
    four = [("A1-001", 2), ("A1-033", 2), ("P-A-001", 2), ("P-A-002", 2), ("P-A-005", 2), ("P-A-006", 2)]
    four += [("P-A-007", 2), ("A1-223", 2), ("A1-225", 2), ("A2-147", 2)]
    deck = decks.build(four, "G")

    def share(rules):
        two = 0
        for seed in range(600):
            dealt = new_game(deck, deck, seed, rules)
            held = [*dealt.players[1].hand, *(c for p in dealt.board(1) for c in p.cards)]
            two += sum(is_basic(dealt, card) for card in held) >= 2
        return two / 600

    assert share(Rules()) == pytest.approx(0.25, abs=0.06)
    assert share(LEGACY) == pytest.approx(0.53, abs=0.06)


def test_2_3_placement_is_hidden_until_both_are_done():
    dealt = game(3)
    while dealt.turn == 0:
        actor = dealt.choice.actor
        view = observation(dealt, actor)
        assert view["foe"]["slots"] == [None] * 4
        assert view["foe"]["hand_size"] == 5
        step(dealt, dealt.choice.options[-1])
    assert observation(dealt, 0)["foe"]["slots"][0] is not None


def test_2_4_next_energy_is_known_before_turn_1():
    dealt = game(1)
    assert [player.current for player in dealt.players] == [-1, -1]
    assert [player.next for player in dealt.players] == [0, 1]


def test_3_tie_after_turn_30():
    played = situation(turn=30, foe={"active": "A1-211"}, me={"active": "A1-211"})
    do(played, "end")
    assert (played.winner, played.turn) == (2, 30)


def test_3_a_win_in_the_last_checkup_counts():
    played = situation(turn=30, me={"active": "A1-211 damage=140 poisoned", "points": 0}, foe={"points": 2})
    do(played, "end")
    assert played.winner == 1


def test_4a_effects_at_the_beginning_come_before_the_draw():
    # Meloetta: with nine cards in hand the Psychic Pokémon takes the last place, and nothing is drawn.
    foe = {"active": "B2-070", "hand": ["P-A-001"] * 9, "deck": ["A1-033", "A1-117"], "filler": "A1-033"}
    played = do(situation(foe=foe), "end")
    assert "A1-117" in get(played, "foe.hand")
    assert "A1-033" not in get(played, "foe.hand")


def test_4b_draws_a_card_each_turn_and_none_from_an_empty_deck():
    played = situation(me={"hand": []}, foe={"deck": []})
    size = get(played, "foe.hand.size")
    do(played, "end")
    assert get(played, "foe.hand.size") == size
    assert played.winner == -1


def test_4b_no_draw_with_ten_cards():
    played = situation(foe={"hand": ["P-A-001"] * 10})
    do(played, "end")
    assert get(played, "foe.hand.size") == 10


def test_4c_the_first_player_has_no_energy_on_turn_1():
    dealt = game(2)
    while dealt.turn == 0:
        step(dealt, dealt.choice.options[-1])
    if dealt.turn == 1:
        assert dealt.players[dealt.first].current == -1
        assert len([a for a in dealt.choice.options if 91 <= a < 95]) == 0


def test_4c_next_becomes_current_and_4f_unattached_is_lost():
    played = situation(current="G", foe={"next": "W", "energy": "WL"})
    do(played, "end")
    assert get(played, "foe.current") == "W"
    assert get(played, "me.current") == ""
    assert get(played, "me.active.energy") == ""


def test_4d_bench_holds_three():
    played = situation(me={"bench": ["A1-001", "A1-001", "A1-001"], "hand": ["A1-033"]})
    assert not can(played, "play A1-033")


def test_4d_one_energy_per_turn():
    played = do(situation(current="G"), "attach 0")
    assert get(played, "me.active.energy") == "G"
    assert not can(played, "attach 0")


def test_4d_one_supporter_per_turn_and_items_without_limit():
    played = situation(me={"active": "A1-211 damage=60", "hand": ["P-A-001", "P-A-001", "P-A-007", "A1-223"]})
    do(played, "play P-A-007", "play P-A-001 on me 0", "play P-A-001 on me 0")
    assert get(played, "me.active.damage") == 20
    assert not can(played, "play A1-223")


def test_4d_one_tool_per_pokemon():
    played = do(situation(me={"hand": ["A2-147", "A2-148"]}), "play A2-147 on me 0")
    assert not can(played, "play A2-148 on me 0")


def test_4d_one_stadium_per_turn_and_not_the_same_name():
    hand = {"hand": ["B2-153", "B2-154", "B2-155"]}
    played = situation(stadium="B2-154", me=hand)
    assert not can(played, "play B2-154")
    do(played, "play B2-153")
    assert get(played, "stadium") == "B2-153"
    assert "B2-154" in get(played, "me.discard")
    assert not can(played, "play B2-155")
    free = do(situation(Rules(stadiums_per_turn="any"), stadium="B2-154", me=hand), "play B2-153")
    assert can(free, "play B2-155")


def test_4d_a_replaced_stadium_goes_to_its_owner():
    played = situation(stadium="B2-154", stadium_owner="foe", me={"hand": ["B2-153"]})
    do(played, "play B2-153")
    assert "B2-154" in get(played, "foe.discard")


def test_4d_once_per_turn_abilities_are_per_pokemon():
    butterfree = "A1-005>A1-006>A1-007"
    played = situation(me={"active": "A1-211 damage=100", "bench": [butterfree, butterfree]})
    do(played, "ability 1", "ability 2")
    assert get(played, "me.active.damage") == 60
    assert not can(played, "ability 1")


def test_4d_retreat_costs_energy_of_the_players_choice_once_a_turn():
    played = situation(me={"active": "A1-001 GR", "bench": ["A1-033 RR", "A1-211"]})
    do(played, "retreat 1", "energy R")
    assert get(played, "me.active") == "A1-033"
    assert get(played, "me.bench.1.energy") == "G"
    assert get(played, "me.discard_energy") == "R"
    assert not any(can(played, f"retreat {place}") for place in (1, 2))


@pytest.mark.parametrize("condition", ["asleep", "paralyzed"])
def test_4d_asleep_and_paralyzed_cannot_retreat_or_attack(condition):
    me = {"active": f"A1-001 GG {condition}", "bench": ["A1-033"]}
    played = situation(me=me)
    assert not can(played, "retreat 1")
    assert not can(played, "attack 0")
    legacy = situation(LEGACY, me=me)
    assert can(legacy, "retreat 1")
    assert can(legacy, "attack 0")


def test_4d_fossils_cannot_retreat_and_can_be_discarded():
    played = situation(me={"active": "A1-216 GG", "bench": ["A1-001"]})
    assert not can(played, "retreat 1")
    do(played, "discard 0")
    assert get(played, "me.active") == "A1-001"
    assert get(played, "foe.points") == 0


def test_4e_attack_needs_its_cost_and_ends_the_turn():
    assert not can(situation(me={"active": "A1-001 RR"}), "attack 0")
    assert not can(situation(me={"active": "A1-001 G"}), "attack 0")
    played = do(situation(me={"active": "A1-001 GR"}), "attack 0")
    assert (played.turn, get(played, "foe.active.damage")) == (6, 40)


def test_4e_the_first_player_may_attack_on_turn_1():
    assert can(situation(turn=1, me={"active": "A1-001 GG"}), "attack 0")


def test_4g_useless_cards_cannot_be_played():
    played = situation(me={"hand": ["P-A-001", "A1-225", "P-A-005"], "deck": []})
    assert not any(can(played, words) for words in ("play P-A-001 on me 0", "play A1-225", "play P-A-005"))


def test_4g_hidden_deck_contents_never_block():
    played = situation(me={"hand": ["P-A-005"], "filler": "P-A-001"})
    do(played, "play P-A-005")
    assert get(played, "me.hand") == []


@pytest.mark.parametrize(("turn", "entered", "legal"), [(2, 1, False), (3, 1, True), (5, 5, False), (5, 4, True)])
def test_5_when_evolution_is_allowed(turn, entered, legal):
    side = {"active": f"A1-001 entered={entered}", "hand": ["A1-002"]}
    played = situation(turn=turn, **{"me" if turn % 2 else "foe": side})
    if turn % 2 == 0:
        options = played.choice.options
        assert (1 + 1 in options) == legal
    else:
        assert can(played, "play A1-002 on me 0") == legal


def test_5_evolution_keeps_damage_energy_tools_and_cures():
    me = {"active": "A1-001 GG damage=30 tool=A2-147 poisoned confused", "hand": ["A1-002", "A1-003"]}
    played = do(situation(me=me), "play A1-002 on me 0")
    assert get(played, "me.active") == "A1-002"
    assert get(played, "me.active.damage") == 30
    assert get(played, "me.active.energy") == "GG"
    assert get(played, "me.active.tools") == ["A2-147"]
    assert get(played, "me.active.conditions") == ""
    assert not can(played, "play A1-003 on me 0")  # not twice in one turn


def test_4g_the_last_pokemon_in_play_cannot_be_returned():
    played = situation(me={"active": "A1-176>A1-177", "hand": ["A1-222"]})
    assert not can(played, "play A1-222")


def test_5_evolution_ends_effects_of_attacks():
    played = situation(me={"active": "A1-001 GG", "hand": ["A1-002"]})
    lay(played, played.active(0), Kind.NO_ATTACK)
    do(played, "play A1-002 on me 0")
    assert played.active(0).timed == []


def test_5_a_pokemon_that_rare_candy_brings_may_use_its_ability():
    cards, programs = table().cards, table().programs
    stage_2 = next(c for c in cards if c.use == Use.ON_EVOLVE and c.stage == 2 and programs[c.program][0].op == Op.MAY)
    middle = next(card for card in cards if card.name == stage_2.evolves_from)
    basic = next(card for card in cards if card.name == middle.evolves_from)
    played = situation(me={"active": basic.id, "hand": ["A3-144", stage_2.id]})
    do(played, "play A3-144 on me 0")
    assert get(played, "me.active") == stage_2.id
    assert played.choice.what == "use the effect?"


def test_12_1_hand_limit_on_drawing():
    played = do(situation(me={"hand": ["P-A-007"] + ["P-A-001"] * 9}), "play P-A-007")
    assert get(played, "me.hand.size") == 10


def test_12_3_the_top_card_of_a_returning_pokemon_fits_first():
    me = {"active": "A1-176>A1-177", "bench": ["A1-001"], "hand": ["A1-222"] + ["P-A-001"] * 9}
    played = do(situation(me=me), "play A1-222")
    assert "A1-177" in get(played, "me.hand")
    assert "A1-176" in get(played, "me.discard")


def test_12_4_a_shuffled_deck_is_forgotten():
    played = situation(me={"hand": ["P-A-004", "A3-145"]})
    do(played, "play P-A-004")
    assert observation(played, 0)["deck_seen"] != []
    do(played, "play A3-145", "yes")
    assert observation(played, 0)["deck_seen"] == []


def test_12_4_seen_cards_stay_known_until_shuffled():
    played = situation(me={"hand": ["P-A-003"]}, foe={"hand": ["A1-225", "P-A-001"]})
    assert observation(played, 0)["foe_hand_seen"] == []
    do(played, "play P-A-003")
    assert len(observation(played, 0)["foe_hand_seen"]) == 2


def test_illegal_actions_are_refused():
    with pytest.raises(IllegalActionError, match="action"):
        step(situation(), 91)


def test_a_choice_among_shown_cards_says_which_they_are():
    played = situation(me={"active": "A2-140 CCC"}, foe={"hand": ["A1-223", "A1-225"]})
    do(played, "attack 0")
    view = observation(played, 0)
    assert [played.table.cards[index].id for index in view["option_cards"]] == ["A1-223", "A1-225"]
    assert observation(played, 1)["option_cards"] == []


def test_coins_that_may_be_flipped_again_are_shown():
    played = situation(coins=["HTT"], me={"active": "B3a-005 RC", "bench": ["B3-025"]})
    do(played, "attack 0")
    assert observation(played, 0)["option_number"] == 1


FEW_BASICS = [("A1-001", 1), ("A1-211", 1), ("A1-002", 2), ("A1-003", 2), ("P-A-001", 2), ("P-A-002", 2)]
FEW_BASICS += [("P-A-005", 2), ("P-A-006", 2), ("P-A-007", 2), ("A1-223", 2), ("A1-225", 2)]


def test_2_2_the_swap_is_at_random_and_the_deck_is_shuffled_again():
    """Any of the five may go, any Basic may come, and what went back can lie anywhere."""
    deck, gone, came, places = decks.build(FEW_BASICS, "G"), set(), set(), set()
    dealt = new_game(deck, deck, 0)
    side = dealt.players[1]
    for _ in range(200):
        side.hand, side.deck = [], list(range(20, 40))
        board.shuffle(dealt, 1)
        drawn = side.deck[:5]
        setup.draw_opening(dealt, 1)
        swapped = set(drawn) - set(side.hand)
        assert bool(swapped) != any(is_basic(dealt, card) for card in drawn)
        gone |= {drawn.index(card) for card in swapped}
        came |= set(side.hand) - set(drawn)
        places |= {side.deck.index(card) for card in swapped}
    assert gone == set(range(5))
    assert len(came) == 2
    assert len(places) > 10


def test_2_3_a_bench_of_three_and_no_fossils_at_the_setup():
    deck = [("A1-001", 2), ("A1-033", 2), ("A1-211", 2), ("A1-202", 2), ("A1-204", 2), ("A1-129", 2), ("A1-216", 2)]
    deck += [("A1-217", 2), ("A1-218", 2), ("P-A-001", 2)]
    most, fossils = 0, 0
    for seed in range(60):
        dealt = new_game(decks.build(deck, "G"), decks.build(deck, "G"), seed)
        while dealt.turn == 0:
            hand = dealt.players[dealt.choice.actor].hand
            offered = [hand[option - CHOICE] for option in dealt.choice.options if option >= CHOICE]
            assert all(is_basic(dealt, card) for card in offered)
            fossils += any(dealt.card(card).kind == CardKind.FOSSIL for card in hand)
            step(dealt, dealt.choice.options[-1])
        most = max(most, *(len(dealt.board(player)) for player in (0, 1)))
    assert most == 4
    assert fossils > 20


def test_4c_the_second_player_has_energy_on_turn_2():
    dealt = game(1)
    while dealt.turn < 2:
        step(dealt, 0 if dealt.turn else dealt.choice.options[-1])
    assert dealt.players[dealt.current].current >= 0


def test_4d_what_is_done_once_a_turn_can_be_done_in_the_next():
    me = {"active": "A1-001 G", "bench": ["A1-033 R"], "hand": ["P-A-007", "P-A-007", "B2-153", "B2-155"]}
    played = do(situation(me=me, foe={"active": "A1-001"}), "play P-A-007", "play B2-153", "retreat 1")
    assert not any(can(played, words) for words in ("play P-A-007", "play B2-155", "retreat 1"))
    do(played, "end", "end")
    assert all(can(played, words) for words in ("play P-A-007", "play B2-155", "retreat 1"))


def test_4d_a_stadium_is_used_once_in_each_turn_of_each_player():
    played = do(situation(stadium="B2a-093", me={"active": "A1-001"}), "stadium")
    assert not can(played, "stadium")
    do(played, "end")
    assert can(played, "stadium")
    do(played, "end")
    assert can(played, "stadium")


def test_13_a_sure_heads_is_gone_with_the_turn():
    played = situation(coins=["T"], me={"active": "A1-021>A1-022 G", "hand": ["A4-156"]})
    do(played, "play A4-156", "end", "end", "attack 0")
    assert get(played, "foe.active.damage") == 30
