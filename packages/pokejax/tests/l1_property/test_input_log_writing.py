"""L1: input logs that are written: teams that are read as they were, choices as Showdown numbers them, refusals."""

import json

import numpy as np
import pytest

from pokejax import pools, rows, teamtext
from pokejax.input_log import parse
from pokejax.input_log_writing import Recorder, packed, spread
from pokejax.rules.flow.queue import PASS
from pokejax.state import ASK_MOVES, ASK_SWITCH, LAYOUT, TEAM
from pokejax.tables import FORMS, params
from rlenv_shared.errors import InvalidParamsError

pytestmark = pytest.mark.l1

WRITTEN = (
    "|pikachu|lifeorb|static|thunderbolt,surf|timid|,,4,252,,252|F|,0,,,,||88|,,,,,Electric",
    "|ditto|choicescarf|imposter|transform|jolly|248,,,,,248|N|||50|,,,,,Normal]"
    "|zacian|rustedsword|intrepidsword|ironhead,playrough|adamant|,252,,,4,252|N|||70|,,,,,Steel",
    "|palafin|leftovers|zerotohero|wavecrash,jetpunch|brave|252,252,,,4,|M|,,,,,0||77|,,,,,Water]"
    "|terapagos||terashift|terastarstorm|modest|,,,252,4,252|M|||80|,,,,,Stellar]"
    "|meloetta|lifeorb|serenegrace|relicsong,closecombat|hasty|,120,,128,,252|N|||82|,,,,,Fighting",
)


def decoded(pool):
    """Rows of a pool by team and Pokémon, each as itself and as what it may become."""
    count, words = len(pool[0]), rows.POKEMON.num_words
    for team in range(count // TEAM):
        numbers = range(team * TEAM, (team + 1) * TEAM)
        yield [
            [_row([pool[form * words + k][number] for k in range(words)]) for form in range(FORMS)]
            for number in numbers
        ]


def _row(words):
    fields = rows.POKEMON.decode(words)
    return {
        name: [int(part) for part in value] if isinstance(value, list) else int(value) for name, value in fields.items()
    }


def taken(pool, teams):
    numbers = (TEAM * np.asarray(teams)[:, None] + np.arange(TEAM)).reshape(-1)
    return tuple(column[numbers] for column in pool)


@pytest.mark.parametrize(
    "pool", [taken(pools.default(), range(0, 4096, 64)), teamtext.pool(WRITTEN)], ids=["generated", "written"]
)
def test_teams_are_read_as_they_were_written(pool):
    again = teamtext.pool([packed(team) for team in decoded(pool)])
    for name, (mine, other) in enumerate(zip(pool, again, strict=True)):
        np.testing.assert_array_equal(mine, other, err_msg=f"word {name}")


def test_everything_is_said():
    (team,) = decoded(teamtext.pool([WRITTEN[0]]))
    fields = packed(team).split("|")
    assert fields[1:6] == ["pikachu", "lifeorb", "static", "thunderbolt,surf", "timid"]
    assert (fields[7], fields[10]) == ("F", "88")
    assert all(len(fields[place].split(",")) == 6 for place in (6, 8))


def test_stats_that_no_spread_gives_are_refused():
    (team,) = decoded(teamtext.pool([WRITTEN[0]]))
    impossible = [form | {"spe": 1000} for form in team[0]]
    with pytest.raises(InvalidParamsError, match=r"stats of pikachu: got .*'spe': 1000.*expected what a nature"):
        spread(impossible)


# --- the recorder ----------------------------------------------------------------------------------------------------


def state(time, *, request=ASK_MOVES, asked=(True, True), **fields):
    """A state of which nothing but these fields is set."""
    view = LAYOUT.view(tuple(np.uint32(0) for _ in range(LAYOUT.num_words)))
    view.time, view.request = np.uint32(time), np.uint32(request)
    view.high, view.low = np.uint32(0x01234567), np.uint32(0x89ABCDEF)
    for name, value in fields.items():
        setattr(view, name, np.bool_(value) if isinstance(value, bool) else np.uint32(value))
    for side, is_asked in zip(view.side, asked, strict=True):
        side.asked = np.bool_(is_asked)
        for place, member in enumerate(order := (2, 0, 1, 3, 4, 5)):
            side.order[place] = np.uint32(member)
        for member in range(len(order)):
            side.member[member].row = np.uint32(member)
    return tuple(np.asarray(word) for word in view.words())


POOL = params(teamtext.pool(WRITTEN))
BEGINNING = state(0, request=0, asked=(False, False), queued_start=True)
NOTED = (
    (BEGINNING, (PASS, PASS)),
    (state(1), (1, 4)),
    (state(2, request=ASK_SWITCH, asked=(True, False)), (13, PASS)),
    (state(3), (8, 0)),
    (state(4, over=True), (0, 0)),
)


def test_choices_are_written_as_showdown_numbers_them():
    recorder = Recorder(POOL, BEGINNING, names=("Ash", "Flabébé |"))
    for one, actions in NOTED:
        recorder.note(one, np.array(actions))
    lines = recorder.text().splitlines()
    assert json.loads(lines[0].removeprefix(">start ")) == {
        "formatid": "gen9randombattle", "seed": "gen5,0123456789abcdef",
    }  # fmt: skip
    assert lines[3:] == [">p1 move 2", ">p2 move 1 terastallize", ">p1 switch 6", ">p1 switch 2", ">p2 move 1"]
    log = parse(recorder.text())
    assert log.names == ("Ash", "Flabébé |")
    assert (log.seed, log.drawn) == ("gen5,0123456789abcdef", 0)
    assert [member["species"] for member in log.teams[0]] == ["pikachu"]
    assert [[choice.words for choice in own] for own in log.choices] == [
        ["move 2", "switch 6", "switch 2"], ["move 1 terastallize", "move 1"],
    ]  # fmt: skip


def test_one_battle_of_a_batch_is_written_as_it_is_alone():
    alone, beside = Recorder(POOL, BEGINNING), Recorder(POOL, _batch(BEGINNING), battle=1)
    for one, actions in NOTED:
        alone.note(one, np.array(actions))
        beside.note(_batch(one), np.array([[7, 7], actions, [7, 7]]))
    assert alone.text() == beside.text()


def _batch(one):
    zeros = [np.zeros_like(word) for word in one]
    return tuple(np.stack(words) for words in zip(zeros, one, zeros, strict=True))


@pytest.mark.parametrize(
    ("number", "change", "told"),
    [
        (1, {"state": state(2)}, "state: got step 2, expected step 1; note every step"),
        (1, {"state": BEGINNING}, "state: got step 0, expected step 1; .*a new recorder"),
        (1, {"state": _batch(state(1))}, r"state: got a batch \(3,\), expected one battle"),
        (1, {"actions": np.array([1.0, 2.0])}, r"actions: got float64 \(2,\), expected integers"),
        (1, {"actions": np.array([[1, 2]])}, r"actions: got int64 \(1, 2\)"),
        (1, {"actions": np.array([PASS, 0])}, "action of player 1: got 14, expected 0 to 13"),
        (1, {"actions": np.array([0, 10])}, "action of player 2: got 10, .*out already"),
        (2, {"actions": np.array([0, PASS])}, "action of player 1: got 0, expected 8 to 13"),
        (1, {"actions": np.array([0, -1])}, "action of player 2: got -1"),
    ],
)
def test_what_no_log_could_tell_is_refused(number, change, told):
    recorder = Recorder(POOL, BEGINNING)
    for one, actions in NOTED[:number]:
        recorder.note(one, np.array(actions))
    given = dict(zip(("state", "actions"), NOTED[number], strict=True)) | change
    before = recorder.text()
    with pytest.raises(InvalidParamsError, match=told):
        recorder.note(given["state"], np.asarray(given["actions"]))
    assert recorder.text() == before


@pytest.mark.parametrize("names", [("Ash", "Ash"), ("Ash", ""), ("Ash",)])
def test_names_that_do_not_tell_players_apart_are_refused(names):
    with pytest.raises(InvalidParamsError, match=r"names: got .*, expected two different ones"):
        Recorder(POOL, BEGINNING, names=names)


@pytest.mark.parametrize(
    ("tables", "begun", "told"),
    [
        (POOL, state(1, turn=1), "state: got turn 1, expected a battle before its first step"),
        (POOL, state(0, queued_start=True, draws=3), "state: got turn 0"),
        (POOL.replace(numbers=np.zeros(4, np.uint32)), BEGINNING, "params.numbers: got a list of numbers"),
    ],
)
def test_a_battle_whose_beginning_is_not_known_is_refused(tables, begun, told):
    with pytest.raises(InvalidParamsError, match=told):
        Recorder(tables, begun)
