"""Situations: what is asked for is there, and it is played by Showdown's rules."""

from __future__ import annotations

import pytest

from rlenv_shared.errors import InvalidParamsError

pytestmark = [pytest.mark.l2, pytest.mark.reference("showdown")]


def mon(species, ability, *moves):
    return f"{species}|||{ability}|{','.join(moves)}||85,85,85,85,85,85|M|||80|,,,,,Water"


TEAMS = [
    "]".join([mon("Snorlax", "thickfat", "bodyslam", "rest"), mon("Gengar", "cursedbody", "shadowball")]),
    "]".join([mon("Slowbro", "owntempo", "surf", "slackoff"), mon("Pinsir", "moxie", "xscissor")]),
]
SETUP = [
    ["hp", 0, 0, 100],
    ["hp", 1, 1, 1],
    ["status", 0, 1, "par"],
    ["boosts", 1, [0, 0, 2, 0, -1, 0, 1]],
    ["pp", 0, 0, 1, 1],
    ["side_condition", 0, "spikes"],
    ["side_condition", 0, "spikes"],
    ["side_condition", 1, "reflect"],
    ["weather", "raindance"],
    ["terrain", "grassyterrain"],
    ["pseudo_weather", "trickroom"],
]


def opened(driver, setup, **options):
    battle = {"seed": "00000000deadbeef", "teams": TEAMS, "setup": setup}
    return driver.request("open", battles=[battle], **options)[0]


def test_the_situation_is_there(driver):
    view = opened(driver, SETUP)
    (ours, theirs), core = view["core"]["sides"], view["core"]
    assert (ours["pokemon"][0]["hp"], theirs["pokemon"][1]["hp"]) == (100, 1)
    assert ours["pokemon"][1]["status"] == "par"
    assert theirs["pokemon"][0]["boosts"] == [0, 0, 2, 0, -1, 0, 1]
    assert [pp for _, pp in ours["pokemon"][0]["moves"]] == [24, 1]
    assert ours["conditions"]["spikes"]["layers"] == 2
    assert theirs["conditions"]["reflect"]["duration"] == 5
    assert (core["weather"], core["terrain"]) == (["raindance", 5], ["grassyterrain", 5])
    assert core["pseudo_weather"]["trickroom"]["duration"] == 5
    assert (view["generator"], view["draws"]) == ("00000000deadbeef", 0)


def test_it_is_played_by_the_rules(driver):
    damage = {}
    for weather in ("raindance", "sunnyday", None):
        view = opened(driver, [["weather", weather]] if weather else [], draw_log=True)
        after = driver.request("step", steps=[{"battle": view["battle"], "choices": ["move 2", "move 1"]}])[0]
        hit, full = (v["core"]["sides"][0]["pokemon"][0] for v in (after, view))
        damage[weather] = full["hp"] - hit["hp"]
        assert after["draw_log"][0]["n"] == 1
    # the same generator: the same roll, and Surf half as strong again in rain, half in sun
    assert abs(2 * damage["raindance"] - 3 * damage[None]) <= 3
    assert abs(2 * damage["sunnyday"] - damage[None]) <= 2


@pytest.mark.parametrize(
    "change",
    [
        ["hp", 0, 0, 0], ["hp", 0, 0, 9999], ["hp", 0, 5, 1], ["hp", 2, 0, 1], ["status", 0, 0, "sick"],
        ["boosts", 0, [7, 0, 0, 0, 0, 0, 0]], ["boosts", 0, [1]], ["pp", 0, 0, 4, 1], ["side_condition", 0, "nothing"],
        ["weather", "fog of war"], ["volatile", 0, "taunt"], "hp", [], None,
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(driver, change):
    with pytest.raises(InvalidParamsError, match="expected one of hp, status, boosts"):
        opened(driver, [change])
