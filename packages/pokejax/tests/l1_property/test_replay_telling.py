"""L1: what the page says of a step, from the boards before and after it."""

import copy

import pytest

from pokejax.replay_page.telling import Action, ending, told
from pokejax.state import NOBODY

pytestmark = pytest.mark.l1


def pokemon(name, **changes):
    found = {
        "name": name, "level": 80, "types": ["Water"], "hp": 100.0, "points": "", "fainted": False, "active": False,
        "status": "", "ability": None, "item": None, "tera": None, "terastallized": False, "moves": [],
    }  # fmt: skip
    return found | changes


def board():
    def side(*team):
        return {
            "team": [one | {"active": k == 0} for k, one in enumerate(team)],
            "active": 0, "boosts": [], "conditions": [], "ground": [], "hidden": 0, "tera": True,
        }  # fmt: skip

    own = side(pokemon("Milotic", ability="Marvel Scale", item="Leftovers"), pokemon("Great Tusk", item=""))
    return {"turn": 3, "field": [], "sides": [own, side(pokemon("Ogerpon"), pokemon("Snorlax"))]}


def words(before, after, action=None, turn_ends=False):
    return [line.text for line in told(before, after, action, turn_ends)]


def changed(*changes):
    """The board with values set at paths such as "0.team.0.hp", of a side first, or "field"."""
    after = copy.deepcopy(board())
    for path, value in changes:
        target = after if path == "field" else after["sides"]
        *way, last = path.split(".")
        for key in way:
            target = target[int(key) if key.isdigit() else key]
        target[int(last) if last.isdigit() else last] = value
    return after


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ([("1.team.0.hp", 57.0)], ["Ogerpon loses 43 %"]),
        ([("1.team.0.hp", 99.7)], ["Ogerpon loses less than 1 %"]),
        ([("1.team.0.hp", 0.0), ("1.team.0.fainted", True)], ["Ogerpon loses 100 %", "Ogerpon faints"]),
        ([("0.team.1.hp", 130.0)], ["Great Tusk regains 30 %"]),
        ([("1.team.0.status", "brn")], ["Ogerpon is burned"]),
        ([("0.boosts", [["Attack", 2], ["Speed", -1]])], ["Milotic: Attack +2, Speed −1"]),
        ([("0.conditions", ["confused"])], ["Milotic is confused"]),
        ([("0.conditions", ["one move disabled"])], ["Milotic has a move disabled"]),
        ([("0.conditions", ["Speed heightened"])], ["Milotic has its Speed heightened"]),
        ([("0.conditions", ["transformed into Ogerpon"])], ["Milotic is transformed into Ogerpon"]),
        ([("0.team.0.item", "")], ["Milotic no longer has its Leftovers"]),
        ([("0.team.1.item", "Leftovers")], ["Great Tusk now holds Leftovers"]),
        ([("1.team.0.item", "Leftovers")], ["Ogerpon holds Leftovers"]),
        ([("1.team.0.item", "")], ["Ogerpon holds nothing"]),
        ([("1.team.0.ability", "Defiant")], ["Ogerpon's ability is Defiant"]),
        ([("0.team.0.ability", "Drizzle")], ["Milotic's ability is now Drizzle"]),
        ([("0.team.0.terastallized", True), ("0.team.0.tera", "Fire")], ["Milotic Terastallizes: Fire"]),
        ([("1.team.0.name", "Ogerpon-Teal-Tera")], ["Ogerpon becomes Ogerpon-Teal-Tera"]),
        ([("1.ground", [{"name": "Spikes", "layers": 2, "turns": None}])], ["On this side now: Spikes, 2 layers"]),
        ([("field", [["Rain", 5]])], ["Rain begins"]),
    ],
)
def test_every_change_is_told(changes, said):
    assert words(board(), changed(*changes)) == said
    assert words(board(), board()) == []


def test_what_ends_is_told():
    before = changed(
        ("0.team.0.status", "slp"), ("0.conditions", ["behind a substitute"]), ("field", [["Sun", 2]]),
        ("1.ground", [{"name": "Reflect", "layers": 1, "turns": 1}]), ("0.boosts", [["Speed", -1]]),
    )  # fmt: skip
    assert words(before, board()) == [
        "Milotic wakes up", "Milotic: Speed +1", "Milotic is no longer behind a substitute",
        "No longer on this side: Reflect", "Sun ends",
    ]  # fmt: skip


def test_who_comes_in_brings_no_stages_and_leaves_none():
    before = changed(("0.boosts", [["Attack", 2]]), ("0.conditions", ["confused"]))
    after = changed(("0.active", 1), ("0.team.1.hp", 40.0), ("0.team.0.active", False), ("0.team.1.active", True))
    before["sides"][0]["team"][1]["hp"] = 40.0
    assert words(before, after) == ["Great Tusk comes in for Milotic, with 40 % of its hit points"]
    before["sides"][0]["team"][0]["fainted"] = after["sides"][0]["team"][0]["fainted"] = True
    assert words(before, after) == ["Great Tusk comes in, with 40 % of its hit points"]
    after["sides"][0]["team"].append(pokemon("Snorlax", active=True))  # seen for the first time
    after["sides"][0]["active"] = 2
    assert words(before, after) == ["Snorlax comes in"]


def test_a_move_is_told_before_what_it_does():
    after = changed(("0.team.0.hp", 90.0), ("1.team.0.hp", 57.0), ("1.team.0.status", "par"))
    assert words(board(), after, Action(0, move="bravebird")) == [
        "Milotic uses Brave Bird", "Ogerpon loses 43 %", "Ogerpon is paralysed", "Milotic loses 10 %",
    ]  # fmt: skip
    assert words(board(), board(), Action(1, move="wish")) == ["Ogerpon uses Wish"]
    missed = Action(1, move="scald", result="It misses")
    assert words(board(), board(), missed) == ["Ogerpon uses Scald", "It misses"]
    assert "It misses" not in words(board(), after, missed)
    assert words(board(), after, Action(1))[0] == "Ogerpon uses a move"
    assert words(board(), board(), Action(0, reason="flinches")) == ["Milotic flinches"]
    asleep = changed(("0.team.0.status", "slp"))
    assert words(asleep, board(), Action(0, move="scald"))[:2] == ["Milotic wakes up", "Milotic uses Scald"]


def test_what_hurts_at_the_end_of_a_turn_is_named_as_far_as_it_is_known():
    before = changed(("0.team.0.hp", 50.0), ("0.team.0.status", "brn"), ("0.conditions", ["seeded"]))
    before["field"] = [["Sandstorm", 3]]
    for side, hp, said in (
        (0, 30.0, "Milotic loses 20 % (burn, Leech Seed, sandstorm)"),
        (0, 56.0, "Milotic regains 6 % (Leftovers)"),
        (1, 94.0, "Ogerpon loses 6 % (sandstorm)"),
    ):
        after = copy.deepcopy(before)
        after["sides"][side]["team"][0]["hp"] = hp
        assert words(before, after, turn_ends=True) == [said]
        assert words(before, after) == [said.split(" (")[0]]
    after["sides"][1]["team"][0] |= {"types": ["Rock"]}
    assert words(before, after, turn_ends=True) == ["Ogerpon loses 6 %"]


def test_the_end_is_told():
    assert ending(1, ("Ash", "Misty")).text == "Misty has won."
    assert ending(NOBODY, ("Ash", "Misty")).text == "The battle ends in a tie."
