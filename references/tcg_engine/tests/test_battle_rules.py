"""Sections 6 to 11 and 13 of RULES.md: damage, attacks, Knock Outs, conditions, the end of a turn, durations."""

from __future__ import annotations

import pytest
from references.tcg_engine.tests.play import do, get, lay, situation

from tcg_engine import conditions
from tcg_engine.codes import Condition, Kind
from tcg_engine.config import LEGACY, Rules
from tcg_engine.damage import Strike, attack_damage

# --- 6 damage ---------------------------------------------------------------------------------------------------


def hit(played, base: int) -> int:
    """Damage of a base amount from player 0's Active to player 1's."""
    return attack_damage(played, Strike(played.active(0), base=base), played.active(1), base)


def test_6_1_base_of_zero_has_no_weakness_and_no_boost():
    played = do(situation(me={"active": "A1-033 R", "hand": ["A1-223"]}, foe={"active": "A3-008"}), "play A1-223")
    assert hit(played, 0) == 0
    assert hit(played, 10) == 40


def test_6_2_giovanni_adds_before_weakness():
    played = situation(me={"active": "A1-033 RRR", "hand": ["A1-223"]}, foe={"active": "A1-002"})
    do(played, "play A1-223", "attack 0")
    assert get(played, "foe.active.damage") == 30 + 10 + 20


def test_6_2_boosts_to_the_active_do_not_touch_the_bench():
    me = {"active": "A1-084 WWW", "hand": ["A1-223"]}
    played = do(situation(me=me, foe={"bench": ["A1-033"]}), "play A1-223", "attack 1")
    assert get(played, "foe.active.damage") == 90
    assert get(played, "foe.bench.1.damage") == 10  # nor Weakness, though Charmander is weak to Water


def test_6_3_weakness_adds_20_to_the_active():
    played = do(situation(me={"active": "A1-036 RRCC"}, foe={"active": "A3-008"}), "attack 0")
    assert get(played, "foe.active.damage") == 60 + 20


@pytest.mark.parametrize(("rules", "damage"), [(Rules(), 80), (LEGACY, 60)])
def test_6_4_official_example_with_the_doubling_stadium(rules, damage):
    """50 damage, Weakness doubled by Bounded Field, then −20: 80; the old order gives 60."""
    played = situation(rules, stadium="B3-155", me={"active": "A1-033"}, foe={"active": "A3-008"})
    lay(played, played.active(1), Kind.DAMAGE_IN, amount=-20)
    assert hit(played, 50) == damage


@pytest.mark.parametrize(("rules", "damage"), [(Rules(), 10), (LEGACY, 20)])
def test_6_4_one_floor_at_the_end(rules, damage):
    """10 damage, Weakness, −20: 10; the old order floors before Weakness and gives 20."""
    played = situation(rules, me={"active": "A1-033"}, foe={"active": "A3-008"})
    lay(played, played.active(1), Kind.DAMAGE_IN, amount=-20)
    assert hit(played, 10) == damage


@pytest.mark.parametrize(("base", "damage"), [(40, 0), (50, 50)])
def test_6_4_a_threshold_looks_at_the_result(base, damage):
    played = situation()
    lay(played, played.active(1), Kind.PREVENT, amount=40)
    assert hit(played, base) == damage


def test_6_5_no_weakness_on_the_bench():
    played = do(situation(me={"active": "A1-084 WWW"}, foe={"bench": ["A1-033"]}), "attack 1")
    assert get(played, "foe.bench.1.damage") == 10


def test_6_6_random_hits_on_one_target_are_one_hit():
    # Three times 20 on a Pokémon that takes 30 less: 30, not 0.
    played = situation(me={"active": "B1-085 LLL"}, foe={"bench": ["B2a-020"]})
    do(played, "attack 0")
    assert get(played, "foe.bench.1.damage") == 30


@pytest.mark.parametrize(("benched", "damage"), [("A1-182", 10), ("A1-211 tool=B1-219", 30)])
def test_6_7_own_bench_is_guarded_only_by_effects_that_name_no_opponent(benched, damage):
    played = do(situation(me={"active": "A1-103 LLLL", "bench": [benched]}), "attack 0")
    assert get(played, "me.bench.1.damage") == damage


def test_6_8_poison_is_not_reduced():
    # Pokémon that take 20 less from attacks take the whole poison.
    played = do(situation(foe={"active": "A1-182 poisoned"}), "end")
    assert get(played, "foe.active.damage") == 10


# --- 7 attacks --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("coin", "damage"), [("H", 40), ("T", 0)])
def test_7_1_confused_attackers_flip_without_hurting_themselves(coin, damage):
    played = do(situation(coins=[coin], me={"active": "A1-001 GG confused"}), "attack 0")
    assert get(played, "foe.active.damage") == damage
    assert get(played, "me.active.damage") == 0
    assert played.turn == 6


def test_7_2_tools_are_gone_before_the_damage():
    played = do(situation(me={"active": "A2-132 CC"}, foe={"active": "A1-211 tool=A2-148"}), "attack 0")
    assert get(played, "me.active.damage") == 0


def test_7_4_other_effects_follow_even_after_lethal_damage():
    me = {"active": "A1-033 R"}
    played = do(situation(me=me, foe={"active": "A1-001 damage=60", "bench": ["A1-204"]}), "attack 0")
    assert get(played, "me.points") == 1
    assert get(played, "me.active.energy") == ""


def test_7_5_rocky_helmet_hits_back_even_when_its_holder_falls():
    foe = {"active": "A1-211 damage=120 tool=A2-148", "bench": ["A1-001"]}
    played = do(situation(me={"active": "A1-001 GG"}, foe=foe), "attack 0")
    assert get(played, "me.active.damage") == 20
    assert get(played, "me.points") == 1


def test_7_7_both_active_pokemon_fall_and_the_turn_player_promotes_first():
    me = {"active": "A1-001 GG damage=50", "bench": ["A1-033", "A1-211"]}
    foe = {"active": "A1-211 damage=120 tool=A2-148", "bench": ["A1-001", "A1-204"]}
    played = do(situation(me=me, foe=foe), "attack 0")
    assert (get(played, "me.points"), get(played, "foe.points")) == (1, 1)
    assert played.choice.actor == 0
    do(played, "choose me 1")
    assert played.choice.actor == 1


def test_7_self_damage_gives_points_to_the_opponent():
    # Arcanine's attack hurts itself by 20.
    me = {"active": "A1-040 RRC damage=110", "bench": ["A1-001"]}
    played = do(situation(me=me, foe={"active": "A1-211", "bench": ["A1-001"]}), "attack 0")
    assert get(played, "foe.points") == 1


# --- 8 Knock Outs -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("target", "points"), [("A1-211", 1), ("A1-096", 2), ("B1-052", 3)])
def test_8_1_points(target, points):
    played = do(situation(foe={"active": f"{target} poisoned=250", "bench": ["A1-001"]}), "end")
    assert get(played, "me.points") == points


def test_8_1_everything_is_discarded():
    foe = {"active": "A1-001>A1-002 GG damage=80 tool=A2-147", "bench": ["A1-033"]}
    played = do(situation(me={"active": "A1-211 CCCC"}, foe=foe), "attack 0")
    assert {"A1-001", "A1-002", "A2-147"} <= set(get(played, "foe.discard"))
    assert get(played, "foe.discard_energy") == "GG"
    assert get(played, "foe.active") == "A1-033"


def test_8_2_returning_a_pokemon_scores_nothing():
    me = {"active": "A1-176>A1-177 damage=30", "bench": ["A1-001"], "hand": ["A1-222"]}
    played = do(situation(me=me), "play A1-222")
    assert get(played, "foe.points") == 0
    assert "A1-177" in get(played, "me.hand")
    assert get(played, "me.active") == "A1-001"


@pytest.mark.parametrize(
    ("mine", "theirs", "my_bench", "their_bench", "winner"),
    [
        (0, 0, ["A1-001"], ["A1-001"], -1),
        (2, 0, ["A1-001"], ["A1-001"], 0),  # three points
        (0, 0, ["A1-001"], [], 0),  # no Pokémon left
        (2, 2, ["A1-001"], ["A1-001"], 2),  # both have three points
        (2, 2, ["A1-001"], [], 0),  # both three points, one side empty: the side with Pokémon wins
        (0, 0, [], [], 2),  # both empty
        (2, 0, [], ["A1-001"], 2),  # three points against the opponent's last Pokémon standing: a tie
    ],
)
def test_8_3_result(mine, theirs, my_bench, their_bench, winner):
    me = {"active": "A1-001 GG damage=50", "bench": my_bench, "points": mine}
    foe = {"active": "A1-211 damage=120 tool=A2-148", "bench": their_bench, "points": theirs}
    assert do(situation(me=me, foe=foe), "attack 0").winner == winner


def test_8_4_promotion_order_after_a_checkup():
    me = {"active": "A1-211 damage=140 poisoned", "bench": ["A1-001", "A1-033"]}
    foe = {"active": "A1-211 damage=140 poisoned", "bench": ["A1-001", "A1-033"]}
    played = do(situation(turn=6, me=me, foe=foe), "end")
    assert played.choice.actor == 1  # whose turn just ended
    seat = do(situation(Rules(promotion="seat"), turn=6, me=me, foe=foe), "end")
    assert seat.choice.actor == 0


def test_8_5_promotion_in_the_opponents_turn_is_no_move():
    foe = {"active": "A1-211 damage=120", "bench": ["A3-022 RC"]}
    played = do(situation(me={"active": "A1-001 GG"}, foe=foe), "attack 0")
    assert played.active(1).moved_up == 0


# --- 9 and 10 conditions and the Checkup --------------------------------------------------------------------------


def test_9_poison_10_at_each_checkup():
    played = do(situation(foe={"active": "A1-211 poisoned"}), "end")
    assert get(played, "foe.active.damage") == 10
    do(played, "end")
    assert get(played, "foe.active.damage") == 20


@pytest.mark.parametrize(("coin", "conditions"), [("H", ""), ("T", "burned")])
def test_9_burn_20_and_heads_cures(coin, conditions):
    played = do(situation(coins=[coin], foe={"active": "A1-211 burned"}), "end")
    assert get(played, "foe.active.damage") == 20
    assert get(played, "foe.active.conditions") == conditions


@pytest.mark.parametrize(("coin", "conditions"), [("H", ""), ("T", "asleep")])
def test_9_heads_wakes(coin, conditions):
    played = do(situation(coins=[coin], foe={"active": "A1-211 asleep"}), "end")
    assert get(played, "foe.active.conditions") == conditions


def test_9_paralysis_lasts_through_the_owners_next_turn():
    played = situation(foe={"active": "A1-001 GG paralyzed"})
    played.active(1).paralyzed_turn = 5
    do(played, "end")
    assert get(played, "foe.active.conditions") == "paralyzed"
    do(played, "end")
    assert get(played, "foe.active.conditions") == ""


def test_9_the_three_replace_one_another_and_poison_stays():
    played = situation(foe={"active": "A1-211 asleep poisoned"})
    conditions.afflict(played, played.active(1), Condition.CONFUSED)
    assert get(played, "foe.active.conditions") == "poisoned confused"


def test_9_the_bench_cures():
    played = situation(me={"active": "A1-001 G poisoned confused", "bench": ["A1-211"]})
    do(played, "retreat 1")
    assert get(played, "me.bench.1.conditions") == ""


def test_9_healing_does_not_cure():
    played = situation(me={"active": "A1-001 damage=30 poisoned", "hand": ["P-A-001"]})
    do(played, "play P-A-001 on me 0")
    assert get(played, "me.active.conditions") == "poisoned"


def test_10_3_knock_outs_of_a_checkup_are_taken_together():
    me = {"active": "A1-211 damage=140 poisoned", "points": 2, "bench": ["A1-001"]}
    foe = {"active": "A1-211 damage=140 poisoned", "points": 2, "bench": ["A1-001"]}
    assert do(situation(me=me, foe=foe), "end").winner == 2
    assert do(situation(Rules(checkup_ko="immediate"), me=me, foe=foe), "end").winner == 1


def test_10_2_poison_comes_before_checkup_healing():
    # Garganacl heals 10 from each of its Pokémon during the Checkup, after the poison and before the Knock Outs.
    foe = {"active": "A1-211 damage=140 poisoned", "bench": ["B3a-033"]}
    played = do(situation(foe=foe), "end")
    assert get(played, "foe.active.damage") == 140
    assert get(played, "me.points") == 0


# --- 11 and 13 --------------------------------------------------------------------------------------------------


def test_11_this_turn_ends():
    played = situation(me={"active": "A1-001 GG", "hand": ["A1-223"]})
    do(played, "play A1-223", "end", "end")
    do(played, "attack 0")
    assert get(played, "foe.active.damage") == 40


def test_11_effects_on_a_pokemon_end_on_the_bench():
    played = situation(me={"active": "A1-001 G", "bench": ["A1-204"]})
    lay(played, played.active(0), Kind.NO_ATTACK)
    do(played, "retreat 1")
    assert played.players[0].slots[1].timed == []


def test_11_effects_on_a_player_stay():
    me = {"active": "A1-001 G", "bench": ["A1-204 CC"], "hand": ["A1-223"]}
    played = do(situation(me=me), "play A1-223", "retreat 1", "attack 0")
    assert get(played, "foe.active.damage") == 60


def test_11_tools_go_with_their_holder():
    me = {"active": "A1-176>A1-177 tool=A2-147", "bench": ["A1-001"], "hand": ["A1-222"]}
    played = do(situation(me=me), "play A1-222")
    assert "A2-147" in get(played, "me.discard")


def test_11_losing_an_hp_bonus_can_knock_out():
    me = {"hand": ["B2-153"]}
    foe = {"active": "A1-211 damage=160", "bench": ["A1-001"]}
    played = do(situation(stadium="B2-154", me=me, foe=foe), "play B2-153")
    assert get(played, "me.points") == 1
    assert played.turn == 5  # the turn goes on


def test_13_until_tails():
    played = situation(coins=["HHT"], me={"active": "A1-211", "bench": ["A1-053"], "hand": ["A1-220"]})
    do(played, "play A1-220 on me 1")
    assert get(played, "me.bench.1.energy") == "WW"


def test_14_no_copy_of_a_copy():
    played = do(situation(me={"active": "A1a-032 PPPP"}, foe={"active": "A1-205", "bench": ["A1-211"]}), "attack 1")
    assert (get(played, "foe.active.damage"), get(played, "me.points")) == (0, 0)
    assert played.turn == 6


def test_14_copied_attacks_cost_what_the_copier_pays():
    played = do(situation(me={"active": "A1a-032 PPP"}, foe={"active": "A1-211"}), "attack 1")
    assert get(played, "foe.active.damage") == 70
