"""Players whose battles last: what they choose, and how long that takes."""

from __future__ import annotations

import pytest
from references.showdown import tables

pytestmark = [pytest.mark.l1, pytest.mark.reference("showdown"), pytest.mark.timeout(300)]

LASTING = ("stall", "least-pp", "status", "ping-pong", "marathon")
TABLES, STATUS_CATEGORY = tables.load(), 3
STATUS = {
    name
    for name in TABLES.names["move"]
    if name and TABLES["moves.category"][TABLES.number("move", name)] == STATUS_CATEGORY
}
INCLUDE = ["core", "legal", "moves"]


@pytest.fixture(scope="module")
def played(driver):
    """The first 120 decisions of a battle of each player."""
    specs = [{"episode": "7", "policy": policy, "max_decisions": 120} for policy in LASTING]
    return dict(zip(LASTING, driver.request("play", episodes=specs, include=INCLUDE), strict=True))


def chosen(recording):
    """View, side and choice of each choice of a turn."""
    for view, choices in zip(recording["views"], recording["choices"], strict=False):
        for side, choice in enumerate(choices):
            if choice and view["kinds"][side] == "move":
                yield view, side, choice


def test_they_choose_what_they_are_named_for(played):
    for view, side, choice in chosen(played["ping-pong"]):
        could = any(option.startswith("switch") for option in view["legal"][side]["accepted"])
        assert choice.startswith("switch") == could
    for view, side, choice in chosen(played["least-pp"]):
        assert choice.startswith("move")
        one = view["core"]["sides"][side]
        left = dict(map(tuple, one["pokemon"][one["order"][0]]["moves"]))
        moves = [named(view, side, one) for one in view["legal"][side]["accepted"] if one.startswith("move")]
        assert left.get(named(view, side, choice), 0) == min(left.get(move, 0) for move in moves)
    for policy in ("stall", "status"):
        usable = [
            (named(view, side, choice), {named(view, side, one) for one in view["legal"][side]["accepted"]})
            for view, side, choice in chosen(played[policy])
        ]
        wanted = [move in STATUS for move, others in usable if others & STATUS]
        assert len(wanted) > 50
        assert sum(wanted) > 0.75 * len(wanted)


def named(view, side, choice):
    """The move of a choice; none for a switch."""
    word, number = choice.split()[:2]
    return view["moves"][side][int(number) - 1] if word == "move" else None


def test_a_marathon_comes_to_the_turn_limit(driver):
    recording = driver.request("play", episodes=[{"episode": "7", "policy": "marathon"}], include=["hash"])[0]
    assert recording["views"][-1]["turn"] == 1001
    assert recording["views"][-1]["winner"] == 0


def test_who_is_attacked_does_not_last(played, driver):
    attacked = driver.request("play", episodes=[{"episode": "7", "policy": "attack"}], include=["hash"])[0]
    assert all(len(recording["views"]) > len(attacked["views"]) for recording in played.values())
