"""L1: Showdown's input logs: what is read of them, what is refused, with the line."""

import json

import numpy as np
import pytest

from pokejax.input_log import numbers, parse
from rlenv_shared import lcg64, sodium
from rlenv_shared.errors import InvalidParamsError

pytestmark = pytest.mark.l1

PIKACHU = "|pikachu|lifeorb|static|thunderbolt|timid|,,,252,,252|{}|||88|,,,,,Electric"
SEED = "sodium,0123456789abcdef0123456789abcdef"


def lines(seed=SEED, genders=("M", "F"), formatid="gen9randombattle"):
    players = [
        f">player p{n + 1} {json.dumps({'name': 'Ash', 'team': PIKACHU.format(g)})}" for n, g in enumerate(genders)
    ]
    start = json.dumps({"formatid": formatid, "seed": seed})
    return [
        ">version 739a5e1fee",
        f">start {start}",
        *players,
        ">p1 move thunderbolt",
        ">p2 move 1 terastallize",
        ">p1 pass",
    ]


def test_seed_teams_and_choices_are_read():
    log = parse("\n".join([*lines(), ">chat hello", ">forcewin p2", ">p1 nothing after it"]))
    assert log.seed == SEED
    assert [team[0]["species"] for team in log.teams] == ["pikachu", "pikachu"]
    assert [[choice.words for choice in own] for own in log.choices] == [
        ["move thunderbolt", "pass"], ["move 1 terastallize"],
    ]  # fmt: skip
    assert [choice.line for choice in log.choices[0]] == [5, 7]
    assert (log.drawn, log.end) == (0, "forcewin p2")


def test_line_ends_and_a_byte_order_mark_do_not_matter():
    assert parse("\ufeff" + "\r\n".join([*lines(), ""])) == parse("\n".join(lines()))


def test_genders_that_are_left_out_are_drawn_from_the_battle_s_numbers():
    log = parse("\n".join(lines(genders=("", ""))))
    drawn = ["MF"[int(number) >> 31] for number in numbers([SEED], 2)[0]]
    assert [team[0]["gender"] for team in log.teams] == drawn
    assert log.drawn == 2
    assert parse("\n".join(lines(genders=("F", "")))).drawn == 1


def test_seeds_of_each_notation_draw_what_their_generators_draw():
    found = numbers(["1,2,3,65535", "gen5,000100020003ffff", SEED, "sodium,AB"], 9)
    state = lcg64.from_int(0x000100020003FFFF)
    for place in range(9):
        state = lcg64.advance(state)
        assert found[0, place] == found[1, place] == state[0]
    for row, digits in ((2, SEED.removeprefix("sodium,")), (3, "ab")):
        np.testing.assert_array_equal(found[row], sodium.stream(sodium.from_hex(digits), 9))


@pytest.mark.parametrize("seed", ["", "sodium,", "sodium,xyz", "gen5,12", "1,2,3", "1,2,3,65536", "1,2,3,-4", None, 7])
def test_what_is_no_seed_is_refused(seed):
    with pytest.raises(InvalidParamsError, match=r"seed: got .*, expected .*;"):
        parse("\n".join(lines(seed)))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda log: ["|move|p1a: Pikachu|Thunderbolt", *log], "line 1: got '|move"),
        (lambda log: log[2:], "line 1: got .*expected >start first"),
        (lambda log: log[:2] + log[3:], "line 3: got '>player p2'"),
        (lambda log: log[:3], "1 players"),
        (lambda log: [*log[:3], *log[4:]], "line 4: got .*both players first"),
        (lambda log: [*log[:4], log[1]], "line 5: got '>start'"),
        (lambda log: [*log[:4], ">player p3 {}"], "line 5: got '>player p3'"),
        (lambda log: [*log, ">eval p1.pokemon[0].hp = 1"], "line 8: got '>eval'"),
        (lambda log: [*log, ">reseed 1,2,3,4"], "line 8: got '>reseed'"),
        (lambda log: [*log, ">p1 undo", ">undo"], "line 9: got '>undo'"),
        (lambda log: [">start {", *log], "line 1: got .*JSON"),
        (lambda log: [">start []", *log], "line 1: got .*JSON object"),
        (lambda log: [log[0], log[1], ">player p1 {}", *log[3:]], "line 3: team"),
        (lambda log: lines(formatid="gen9ou"), "formatid: got 'gen9ou', expected gen9randombattle"),
        (lambda log: [*log[:3], log[3].replace("thunderbolt", "metronome")], r"line 4, Pokémon 0.*metronome"),
    ],
)
def test_what_cannot_be_followed_is_refused_with_its_line(change, told):
    with pytest.raises(InvalidParamsError, match=told):
        parse("\n".join(change(lines())))
