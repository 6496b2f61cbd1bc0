"""The driver: what it plays is Showdown, every time the same."""

from __future__ import annotations

import json
import subprocess

import numpy as np
import pytest
from references.showdown import adapter
from references.showdown.minimise import from_recording

from rlenv_shared import lcg64
from rlenv_shared.errors import IllegalActionError, InvalidParamsError

pytestmark = [pytest.mark.l2, pytest.mark.reference("showdown")]

TRAPPERS = "]".join(
    [
        "Gothitelle||Leftovers|ShadowTag|psychic,taunt,rest,confuseray||85,85,85,85,85,85|F|||84|,,,,,Water",
        "Dugtrio||ChoiceBand|ArenaTrap|earthquake,stoneedge,suckerpunch,rest||85,85,85,85,85,85|F|||84|,,,,,Water",
        "Magnezone||Leftovers|MagnetPull|thunderbolt,flashcannon,discharge,rest||85,85,85,85,85,85|N|||84|,,,,,Water",
    ]
)


@pytest.fixture(scope="module")
def battle(driver):
    return driver.request("play", episodes=[{"episode": "3"}], draw_log=True, messages=True)[0]


def test_the_choices_of_an_episode_play_it_again(driver, battle):
    spec = {key: battle[key] for key in ("seed", "teams", "choices")}
    assert driver.request("play", episodes=[spec], draw_log=True, messages=True)[0] == battle


def test_random_play_goes_on_where_it_was(driver, battle):
    begin = {"teams": battle["teams"], "seed": 7}
    at_once = driver.request("random", begin=begin, decisions=300)
    assert at_once >= 2
    parts = [driver.request("random", begin=begin, decisions=100)]
    parts += [driver.request("random", decisions=100) for _ in range(2)]
    assert parts[-1] == at_once
    assert parts == sorted(parts)
    assert driver.request("random", begin={**begin, "seed": 8}, decisions=0) == 0
    with pytest.raises(InvalidParamsError, match="packed teams"):
        driver.request("random", begin={"teams": [], "seed": 7}, decisions=1)


def test_step_by_step_is_the_same_as_at_once(driver, battle):
    settings = [{"seed": battle["seed"], "teams": battle["teams"]}] * 2
    opened = driver.request("open", battles=settings, draw_log=True, messages=True)
    number = opened[0]["battle"]
    views = [opened[0]]
    for choices in battle["choices"]:
        views += driver.request("step", steps=[{"battle": number, "choices": choices}])
    for view, expected in zip(views, battle["views"], strict=True):
        assert expected.items() <= view.items()
    driver.request("close", battles=[view["battle"] for view in opened])
    with pytest.raises(InvalidParamsError, match=f"battle {number}, which is not open"):
        driver.request("step", steps=[{"battle": number, "choices": ["", ""]}])


def test_switches_may_name_the_pokemon_by_its_place_in_the_team(driver, battle):
    case = from_recording(battle)
    choices = [list(pair) for pair in case.choices]
    assert choices != battle["choices"]
    again = driver.request("play", episodes=[{"seed": battle["seed"], "teams": battle["teams"], "choices": choices}])[0]
    assert [view["core"] for view in again["views"]] == [view["core"] for view in battle["views"]]


def test_an_illegal_choice_is_named_and_changes_nothing(driver, battle):
    first, second = driver.request("open", battles=[{"seed": battle["seed"], "teams": battle["teams"]}] * 2)
    good = {"battle": first["battle"], "choices": battle["choices"][0]}
    for bad in ("move 5", "switch 1", "switch #1", "", "move 1 dynamax", "default", None, 3):
        step = {"battle": second["battle"], "choices": [bad, battle["choices"][0][1]]}
        with pytest.raises(IllegalActionError, match=r"side 0, decision 0: choice .* expected move 1, "):
            driver.request("step", steps=[good, step])
    again = driver.request("step", steps=[good])[0]
    assert again["core"] == battle["views"][1]["core"]


def test_a_refusal_is_told_in_showdown_s_words_and_changes_nothing(driver):
    mirrored = {"seed": "1", "teams": [TRAPPERS, TRAPPERS]}
    opened = driver.request("open", battles=[mirrored], include=["hash", "moves"])[0]
    number = opened["battle"]
    assert opened["moves"] == [["psychic", "taunt", "rest", "confuseray"]] * 2

    def said(choice):
        return str(driver.request("refusal", battle=number, side=0, choice=choice))

    assert said("move 1") == "None"
    assert said("move psychic") == "None"
    assert said("switch #2") == "None"  # Shadow Tag does not hold who has it, too
    assert "doesn't have a move matching earthquake" in said("move earthquake")
    assert "can't switch to an active" in said("switch 1").lower()
    kept = driver.request("step", steps=[{"battle": number, "choices": ["move 1", "move 1"]}], include=["hash"])
    other = driver.request("open", battles=[mirrored])[0]["battle"]
    played = driver.request("step", steps=[{"battle": other, "choices": ["move 1", "move 1"]}], include=["hash"])
    assert {**kept[0], "battle": 0} == {**played[0], "battle": 0}


def test_a_part_that_no_view_has_is_refused(driver):
    with pytest.raises(InvalidParamsError, match="include: legl, expected some of core, aux, legal, moves, hash"):
        driver.request("open", battles=[{"seed": "1", "teams": [TRAPPERS, TRAPPERS]}], include=["legl"])


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({}, "an episode needs its integer"),
        ({"episode": "-1"}, "expected a decimal integer >= 0"),
        (
            {"episode": "1", "policy": "clever"},
            "expected one of uniform, attack, stall, least-pp, status, ping-pong, marathon",
        ),
        ({"episode": "1", "teams": ["", ""]}, "is no packed team"),
        ({"episode": "1", "format": "gen9nothing"}, "format gen9nothing"),
        ({"seed": "xyz", "teams": [TRAPPERS, TRAPPERS]}, "expected a string of up to 16 hexadecimal digits"),
    ],
)
def test_bad_episodes_are_refused(driver, spec, message):
    with pytest.raises(InvalidParamsError, match=message):
        driver.request("play", episodes=[spec])


def test_the_draw_log_holds_every_draw_with_its_call_site(battle):
    entries = [entry for view in battle["views"] for entry in view["draw_log"]]
    assert [entry["n"] for entry in entries] == list(range(1, battle["views"][-1]["draws"] + 1))
    state = lcg64.from_int(int(battle["seed"], 16))
    for entry in entries:
        state = lcg64.advance(state)
        assert entry["value"] == int(state[0])
    generators = [int(view["generator"], 16) for view in battle["views"]]
    assert generators[-1] == (int(state[0]) << 32) + int(state[1])
    sites = {entry["frames"][0] for entry in entries}
    assert all(site.startswith(("sim/", "data/")) for site in sites)
    damage = [entry for entry in entries if any("randomizer" in frame for frame in entry["frames"][:2])]
    assert damage
    assert {tuple(entry["range"]) for entry in damage} == {(16,)}


def test_each_player_is_told_what_he_may_know(battle):
    for view in battle["views"]:
        told = view["messages"]
        assert len(told["p1"]) == len(told["p2"])
    everything = [line for view in battle["views"] for line in view["messages"]["p1"]]
    own = [line for line in everything if line.startswith("|switch|p1a")]
    others = [line for line in everything if line.startswith("|switch|p2a")]
    assert others
    assert all("/100" in line for line in others)
    assert not all("/100" in line for line in own)


@pytest.mark.parametrize(
    ("last", "policy", "team"), [(2, "attack", None), (2, "uniform", TRAPPERS)], ids=["any", "trappers"]
)
def test_exactly_the_accepted_choices_are_accepted(last, policy, team):
    arguments = ["0", str(last), policy, *([team] if team else [])]
    done = subprocess.run(
        adapter.command("tests/legality.mjs", *arguments), capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert not seen["wrong"]
    assert seen["refused"] > 500
    assert (seen["hidden"] > 50) == (team is not None)  # traps that the request does not show


def test_a_secret_trap_is_found_out_by_trying_and_costs_nothing():
    """So what is accepted tells a player no more than the player could find out before choosing."""
    done = subprocess.run(
        adapter.command("tests/traps.mjs", "0", "3", TRAPPERS), capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["hidden"] > 50
    assert seen["refused"] == seen["told_trapped"] == seen["goes_on"] == seen["hidden"]
    assert seen["told_others"] == seen["changed"] == 0


def test_canonical_steps_follow_the_views(driver):
    specs = [{"episode": "4"}, {"episode": "5", "policy": "attack"}]
    recording = driver.run_episodes(specs)
    played = driver.request("play", episodes=specs, include=["hash"])
    for column, episode in enumerate(played):
        views = episode["views"]
        steps = len(views) - 1
        assert recording.valid[:, column].sum() == steps
        for name in ("core", "aux", "legal"):
            expected = [[int(view[f"{name}_hash"][:8], 16), int(view[f"{name}_hash"][8:], 16)] for view in views]
            assert recording.initial[f"state.{name}"][column].tolist() == expected[0]
            assert recording.steps[f"state.{name}"][:steps, column].tolist() == expected[1:]
        assert recording.steps["rng"][:steps, column].tolist() == [int(view["generator"], 16) for view in views[1:]]
        np.testing.assert_array_equal(recording.steps["terminated"][:steps, column], [v["ended"] for v in views[1:]])
        reward = {0: [0, 0], 1: [1, -1], 2: [-1, 1]}[views[-1]["winner"]]
        assert recording.steps["reward"][steps - 1, column].tolist() == reward
        assert not recording.steps["reward"][: steps - 1, column].any()


def test_generated_teams_are_of_the_format(driver):
    teams = driver.request("teams", seeds=[f"{seed:x}" for seed in range(20)])
    assert len(set(teams)) == 20
    assert all(len(team.split("]")) == 6 for team in teams)
    assert driver.request("teams", seeds=["7"]) == [teams[7]]
