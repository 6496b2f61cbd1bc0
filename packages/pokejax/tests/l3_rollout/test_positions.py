"""L3: positions brought over from Showdown and to it, which go on alike; what cannot be brought over is refused."""

import copy
import json
import random

import numpy as np
import pytest

from pokejax.input_log import numbers
from pokejax.showdown import determinize, from_showdown, to_showdown
from pokejax.showdown.incoming import drawn, read, words
from pokejax.showdown.viewpoint import REQUEST
from pokejax.verification import DECLARATION
from pokejax.verification.battles import play
from pokejax.verification.cases import described, record
from pokejax.verification.positions import SERIALISED
from pokejax.verification.rollouts import compare_positions, compare_viewpoints
from pokejax.verification.viewpoints import looked_at
from rlenv_shared.errors import InvalidParamsError
from rlenv_testing import deadlines

pytestmark = [pytest.mark.l3, pytest.mark.reference("showdown"), pytest.mark.timeout(600)]

QUICK = DECLARATION.rollout_set("positions").quick
CORRUPTIONS = 400


@deadlines.once
def documents():
    settings = [{"episode": "9800100", "policy": "uniform"}, {"episode": "9800101", "policy": "attack"}]
    settings[1]["seed"] = "sodium,abc"
    return [[view["json"] for view in one["views"]] for one in play(settings, include=SERIALISED)]


def test_battles_go_on_alike_from_positions_that_were_brought_over():
    for name, found in compare_positions(**QUICK).comparisons.items():
        assert found["failing"] == [], name
        assert (found["battles"], found["unfinished"]) == (QUICK["battles"], 0)
        assert found["steps"] > 5 * found["battles"]


def test_the_numbers_of_a_position_are_those_of_its_seed():
    assert np.array_equal(drawn("abc")[:50], numbers(["sodium,abc"], 50)[0])


TOLD = (
    "appeared", "percent", "ability_shown", "item_shown", "moves_shown", "rested", "gone",
    "uses", "confused_for", "bound_for",
)  # fmt: skip
"""Fields that come from the log, which is the other battle's."""


def test_what_goes_over_and_comes_back_is_the_same_position():
    for battle in documents():
        for document in battle[1:-1:7]:
            there = to_showdown(from_showdown(document), battle[0])
            found = [
                {path: int(value) for path, value in read(one).values.items() if not path.endswith(TOLD)}
                for one in (document, there)
            ]
            assert found[0] == found[1]


def test_documents_that_cannot_be_brought_over_are_refused():
    document, other = documents()[0][2], documents()[1][0]
    for change, match in (
        ({"formatid": "gen9ou"}, "formatid: got 'gen9ou', expected gen9randombattle"),
        ({"requestState": "teampreview"}, "requestState: got 'teampreview', expected move or switch"),
        ({"sides": document["sides"][:1]}, "sides: got 1, expected two"),
        ({"prng": "gen5,xyz"}, "seed"),
        ({"field": {**document["field"], "weather": "deltastream"}}, "field.weather: got 'deltastream'"),
        ({"field": {**document["field"], "pseudoWeather": {"gravity": {}}}}, "pseudoWeather: got 'gravity'"),
    ):
        with pytest.raises(InvalidParamsError, match=match):
            from_showdown({**document, **change})
    with pytest.raises(InvalidParamsError, match="a JSON object"):
        from_showdown("[]")
    with pytest.raises(InvalidParamsError, match="expected JSON"):
        from_showdown("{")
    with pytest.raises(InvalidParamsError, match="other Pokémon', expected the position's own"):
        to_showdown(from_showdown(document), other)
    chosen = copy.deepcopy(document)
    chosen["sides"][0]["choice"]["actions"] = [{"choice": "move"}]
    with pytest.raises(InvalidParamsError, match=r"sides\[0\].choice: .*expected none"):
        from_showdown(chosen)
    with pytest.raises(InvalidParamsError, match="nobody is asked"):
        to_showdown(from_showdown(documents()[0][-1]), document)
    with pytest.raises(InvalidParamsError, match=r"side\[0\]\.hp: got 5000, expected 0 to 1023"):
        words({"side[0].hp": 5000})


def test_documents_that_were_damaged_are_read_or_refused():
    rng, refused, raw = random.Random(7), 0, []
    for _ in range(CORRUPTIONS):
        document = copy.deepcopy(rng.choice(documents()[0][:-1]))
        _damage(document, rng)
        try:
            from_showdown(document)
        except InvalidParamsError:
            refused += 1
        except Exception as error:
            raw.append(repr(error))
    assert raw == []
    assert CORRUPTIONS // 20 < refused < CORRUPTIONS


def _damage(document, rng):
    """Change, take away or double one value somewhere."""
    place = document
    while True:
        keys = list(place) if isinstance(place, dict) else range(len(place))
        key = rng.choice(keys)
        if isinstance(place[key], (dict, list)) and place[key] and rng.random() < 0.9:
            place = place[key]
            continue
        if isinstance(place, dict) and rng.random() < 0.4:
            del place[key]
        else:
            place[key] = rng.choice([None, -1, 10**9, 1.5, "", "x", [], {}, True, "[Pokemon:p9z]", [0], {"a": 1}])
        return


def test_positions_from_one_player_s_view_look_the_same_to_it():
    quick = DECLARATION.rollout_set("viewpoints").quick
    for name, found in compare_viewpoints(**quick).comparisons.items():
        assert found["failing"] == [], name
        assert found["steps"] == quick["battles"] // 2


@deadlines.once
def told():
    """Everything that player 0 was told up to a decision in the middle of a battle."""
    (recording,) = play([{"episode": "9800100", "policy": "uniform"}], messages=True)
    lines = []
    for view in recording["views"][:20]:
        told = view["messages"]
        lines += [*told["p1"], REQUEST + json.dumps(told["requests"][0])]
        if told["requests"][0].get("wait"):
            del lines[-1]
    return lines


def test_what_is_not_told_is_drawn_from_a_seed():
    one, same, other = (determinize(told(), seed) for seed in (1, 1, 2))
    assert [own["stats"] for own in one.teams[0]] == [own["stats"] for own in other.teams[0]]
    assert one.teams == same.teams
    assert one.teams[1] != other.teams[1]
    with pytest.raises(InvalidParamsError, match="a request behind the last message"):
        determinize([*told(), "|move|p1a: Nobody|Splash|"], 0)
    with pytest.raises(InvalidParamsError, match="the last one to ask this player"):
        determinize([line for line in told() if not line.startswith(REQUEST)], 0)
    with pytest.raises(InvalidParamsError, match="one that the spectator knows"):
        determinize(["|-newmessage|p1a", *told()], 0)
    with pytest.raises(InvalidParamsError, match="messages and requests of one battle"):
        determinize(told()[40:], 0)


def test_who_has_transformed_has_the_ability_of_what_the_other_one_has_become():
    entry = {
        "of": "rule imposter-of-a-terapagos",
        "own": "snorlax @  / thickfat / rest + ditto @ choicescarf / imposter / transform",
        "foe": "terapagos level 77 tera Stellar @  / terashift / calmmind, rapidspin",
        "turns": ["rest : calmmind", "s2 : calmmind", "calmmind : rapidspin"],
    }
    recording = record(described([entry]), messages=True)[0][0]
    asked = [n for n, view in enumerate(recording["views"]) if view["kinds"][0] == "move"]
    found = [looked_at(recording, 0, at) for at in asked]
    assert any(spectator.sides[0].transformed for _, spectator, _ in found)
    assert [difference for *_, difference in found] == [None] * len(asked)


def test_what_was_told_of_others_by_one_who_has_fallen_stays_told():
    """Whether it came in as itself, who has an Illusion behind it, is asked of its hit points, which are gone."""
    entry = {
        "of": "rule the-fallen-touched-a-rocky-helmet",
        "own": "lucario level 1 @  / innerfocus / closecombat + snorlax @  / thickfat / rest "
        "+ zoroark @ lifeorb / illusion / darkpulse",
        "foe": "garganacl @ rockyhelmet / purifyingsalt / recover",
        "turns": [*["closecombat : recover"] * 6, "rest : recover"],
    }
    recording = record(described([entry]), messages=True)[0][0]
    asked = [n for n, view in enumerate(recording["views"]) if view["kinds"][0] in ("move", "switch")]
    found = [looked_at(recording, 0, at) for at in asked]
    assert found[-1][1].sides[1].team["1"].item == "rockyhelmet"
    assert [difference for *_, difference in found] == [None] * len(asked)
