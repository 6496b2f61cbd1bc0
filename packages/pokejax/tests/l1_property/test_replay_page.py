"""L1: the page of a battle: every choice is carried out in words; one player's page holds what that player knows."""

import dataclasses
import json
import re
from pathlib import Path

import numpy as np
import pytest

import pokejax
from pokejax import cli, input_log, replay_page
from pokejax.learning.versus import LearnersBattle
from pokejax.observation import places, size
from pokejax.replay_page import chances
from pokejax.replay_page.playing import known, moments
from pokejax.state import TEAM
from pokejax.tables import NAMES, titles
from pokejax.text import Seen
from pokejax.verification import DECLARATION
from rlenv_learn.interface import Interface
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.verification import commands

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]

EXAMPLE = Path(pokejax.__file__).parents[2] / "examples" / "battle.log"
PAGE_FILES = Path(replay_page.__file__).parent
HOSTILE = "</script><script>alert(1)</script> {{battle}} | Flabébé"


@pytest.fixture(scope="module")
def played():
    """The example's moments, played once."""
    return list(moments(input_log.parse(EXAMPLE.read_text())))


@pytest.fixture
def made(played, monkeypatch):
    """``(view, policy) -> (page, what its program reads)``; the player's name is one that could break the page."""
    monkeypatch.setattr(replay_page, "moments", lambda log: iter(played))
    text = EXAMPLE.read_text().replace('"name":"p1"', f'"name":{json.dumps(HOSTILE)}')

    def page(view="both", policy=None):
        found = replay_page.page(text, view, policy)
        assert found.count("<script") == 2  # or a name has become markup
        return found, json.loads(re.search(r'<script type="application/json" id="battle">(.*?)</script>', found)[1])

    return page


def lines(battle, kind):
    return [(text, side) for beat in battle["beats"] for one, text, side in beat["lines"] if one == kind]


def test_every_choice_of_the_log_is_shown_and_what_has_come_of_it(made, played):
    _, battle = made()
    log = input_log.parse(EXAMPLE.read_text())
    chosen = lines(battle, "choice")
    assert [sum(side == n for _, side in chosen) for n in (0, 1)] == [len(own) for own in log.choices]
    waiting, carried_out = [None, None], 0
    for beat in battle["beats"]:
        for kind, text, side in beat["lines"]:
            if kind == "choice":
                waiting[side] = text
            elif kind == "move":
                move = waiting[side].removeprefix("chooses ").removesuffix(" and to Terastallize")
                assert text.endswith(f" uses {move}")
                carried_out += 1
            elif kind == "switch" and (waiting[side] or "").startswith("sends in "):
                assert text.startswith(waiting[side].removeprefix("sends in "))
                carried_out += 1
    hindered = [text for text, _ in lines(battle, "failed")]
    assert hindered == ["Regirock flinches", *["Malamar is asleep"] * 4]
    lost = len(hindered) + len(lines(battle, "faint"))
    assert len(chosen) - lost <= carried_out <= len(chosen)
    assert lines(battle, "end") == [("p2 has won.", None)]
    fallen = [text for text, _ in lines(battle, "faint")]
    assert len(fallen) == sum(
        bool(Seen(played[-1].observations[n]).one(f"own.pokemon[{k}].fainted")) for n in (0, 1) for k in range(TEAM)
    )
    turns = [beat["turn"] for beat in battle["beats"]]
    assert sorted(set(turns)) == list(range(max(turns) + 1))
    assert turns == sorted(turns)


def test_boards_say_what_both_players_observe(made, played):
    _, battle = made()
    last = battle["boards"][battle["beats"][-1]["board"]]
    for n, place in enumerate(last["sides"]):
        side, seen = battle["sides"][place], Seen(played[-1].observations[n])
        for k, number in enumerate(side["team"]):
            one = battle["pokemon"][number]
            assert one["name"] == titles()["species"][seen.named("species", f"own.pokemon[{k}].species")]
            assert one["hp"] == pytest.approx(100 * float(seen.one(f"own.pokemon[{k}].hp")), abs=0.06)
            assert one["fainted"] == bool(seen.one(f"own.pokemon[{k}].fainted"))
            assert len(one["moves"]) == 4
        assert side["hidden"] == 0


@pytest.mark.parametrize("viewer", [0, 1])
def test_a_player_s_page_names_nothing_that_the_player_has_not_been_told(made, played, viewer):
    text, battle = made(str(viewer + 1))
    told, own, theirs = set(), set(), set()
    for moment in played:
        told |= _named(Seen(moment.observations[viewer]), "foe")
        own |= _named(Seen(moment.observations[viewer]), "own")
        theirs |= _named(Seen(moment.observations[1 - viewer]), "own")
    hidden = theirs - told - own
    assert len(hidden) > 3
    strings = set(_strings(battle))
    assert [name for name in hidden if any(name in one for one in strings)] == []
    assert {side for _, side in lines(battle, "choice")} == {viewer}
    assert told & strings
    shown = {len(battle["sides"][place]["team"]) for board in battle["boards"] for place in board["sides"]}
    assert min(shown) == 1  # of the other side's team, who has come out
    assert all(count == 0 or battle["viewer"] == viewer for count in shown)
    assert len(text) < len(made()[0])


def _named(seen, side):
    found = set()
    for k in range(TEAM):
        for kind, name in (("species", "species"), ("ability", "ability")):
            found.add(titles()[kind].get(seen.named(kind, f"{side}.pokemon[{k}].{name}"), ""))
        item = int(seen.one(f"{side}.pokemon[{k}].item"))
        found.add(titles()["item"].get(NAMES["item"][item - 1], "") if item else "")
        found |= {titles()["move"].get(NAMES["move"][int(n)], "") for n in seen.all(f"{side}.pokemon[{k}].moves")}
    return found - {""}


def _strings(value):
    if isinstance(value, str):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _strings(part)


def test_names_become_no_markup_and_nothing_is_fetched(made):
    text, battle = made()
    assert battle["names"] == [HOSTILE, "p2"]
    assert "alert(1)</script>" not in text
    asks = re.findall(r"https?://[^'\"\s]+|@import|url\(|\bfetch\b|\bimport\b|\bsrc=|<link|XMLHttp|innerHTML", text)
    assert asks == ["http://www.w3.org/2000/svg"]


def test_the_program_finds_every_element_that_it_asks_for():
    page, script = ((PAGE_FILES / name).read_text("utf-8") for name in ("page.html", "page.js"))
    assert set(re.findall(r"find\('([\w-]+)'\)", script)) <= set(re.findall(r'id="([\w-]+)"', page))
    assert set(re.findall(r'data-go="([\w-]+)"', page)) == {"turn-back", "back", "play", "on", "turn-on"}


class Hopeful:
    """Stands for a policy: its value is how often it was asked, in fiftieths; only the first time is a beginning."""

    returns = None

    def __init__(self, interface):
        self.interface, self.asked = interface, 0

    def initial_carry(self, batch):
        return np.zeros((batch, 1))

    def forward(self, carry, obs, resets, legal, asked):
        assert obs.shape == (1, self.interface.observation_size)
        assert bool(resets[0]) == (carry[0, 0] == 0)
        self.asked += 1
        return carry + 1, None, carry[:, 0] / 50


def test_a_policy_s_chance_is_drawn_at_each_decision_of_its_player(made, played, monkeypatch):
    env = LearnersBattle()
    interface = Interface.from_spaces(env.observation_space(None), env.action_space(None))
    blank = {part.path[0]: np.zeros((1, *part.shape)) for part in interface.parts}
    monkeypatch.setattr(chances, "_observed", lambda: lambda words, player, params: blank)
    policy = Hopeful(interface)
    _, battle = made("2", policy)
    decisions = sum(moment.asked(1) for moment in played)
    drawn = [beat["chance"] for beat in battle["beats"] if "chance" in beat]
    assert len(drawn) == policy.asked == decisions
    assert drawn[:3] == [50.0, 51.0, 52.0]
    assert drawn[-1] == min(100.0, 50.0 + decisions - 1)
    _, battle = made("both", Hopeful(interface))
    assert {beat["chance"] for beat in battle["beats"] if len(beat["lines"]) and "chance" in beat} >= {50.0}


def test_a_policy_of_another_game_is_refused():
    other = Hopeful(Interface((4,), num_actions=2))
    with pytest.raises(InvalidParamsError, match="observations of the policy: got another shape"):
        chances.Judge(other, 0)


def test_bad_input_is_refused(tmp_path, capsys):
    with pytest.raises(InvalidParamsError, match="view: got 'three', expected one of both, 1, 2"):
        replay_page.page(EXAMPLE.read_text(), "three")
    arguments = ["page", "--log", str(tmp_path / "none.log"), "--out", str(tmp_path / "page.html")]
    assert commands.main(DECLARATION, {"page": cli.page}, arguments) == 2
    assert "a file that can be read" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_log_that_is_cut_off_ends_where_it_does(monkeypatch, played):
    decisions = [number for number, moment in enumerate(played) if moment.chosen is not None]
    last = dataclasses.replace(played[decisions[3]], chosen=None)
    monkeypatch.setattr(replay_page, "moments", lambda log: iter([*played[: decisions[3]], last]))
    text = replay_page.page(EXAMPLE.read_text() + ">forcewin p1\n")
    assert '["end","The log ends here: forcewin p1.",null]' in text


def test_a_move_is_named_once_the_player_has_been_told_of_it():
    def observed(*moves, transformed=0):
        arrays = {"ids": np.zeros(size("ids"), np.int32), "numbers": np.zeros(size("numbers"), np.float32)}
        for name, values in (
            ("foe.pokemon[1].active", [1]), ("foe.pokemon[1].seen", [1]), ("foe.transformed", [transformed]),
            ("foe.pokemon[1].moves", [NAMES["move"].index(move) for move in moves]),
        ):  # fmt: skip
            array, where = places()[name]
            arrays[array][where][: len(values)] = values
        return arrays

    assert known("scald", observed("earthquake", "scald"))
    assert not known("scald", observed("earthquake"))
    assert known("struggle", observed())
    assert known("transform", observed(transformed=1))
    assert not known("transform", observed("scald"))
