"""L1: the command line: a battle in words, the damage calculator, what is refused."""

import numpy as np
import pytest

from pokejax import cli, damage
from pokejax.teamtext import member
from pokejax.verification import DECLARATION
from pokejax.verification.rollouts import compare_numbered
from pokejax.verification.watching import battle_lines
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.verification import commands

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]
PIKACHU = "|pikachu|lifeorb|static|thunderbolt|timid|,,,252,,252||||88|,,,,,Electric"
ZOROARK = "|zoroark|lifeorb|illusion|darkpulse||,,,252,,252||||84|,,,,,Poison"
GYARADOS = "|gyarados|leftovers|intimidate|waterfall||85,85,85,85,85,85||||80|,,,,,Water"


def test_a_battle_is_told_in_words():
    lines = list(battle_lines(seed=1, decisions=6))
    assert sum(line.startswith("turn ") for line in lines) == 6
    assert any(" uses " in line or " sends in " in line for line in lines)
    assert "  0: " in lines[1]
    assert "behind it" in lines[1]


def test_damage_is_printed_for_all_sixteen_draws(capsys):
    cli.damage(PIKACHU, GYARADOS, "thunderbolt")
    out = capsys.readouterr().out
    assert out.startswith("pikachu uses thunderbolt on gyarados: ")
    rolls = [int(number) for number in out.rsplit(": ", 1)[1].split(", ")]
    assert len(rolls) == 16
    assert rolls == sorted(rolls, reverse=True)
    assert rolls[0] > rolls[-1] > 0
    cli.damage(PIKACHU, GYARADOS, "earthquake")
    assert ": 0-0 of" in capsys.readouterr().out  # it flies


def test_damage_of_a_pokemon_with_illusion_is_known(capsys):
    cli.damage(ZOROARK, GYARADOS, "darkpulse")
    assert capsys.readouterr().out.startswith("zoroark uses darkpulse on gyarados: ")


@pytest.mark.parametrize(
    "text", ["|terapagos||terashift|earthpower||||||80|,,,,,Stellar", "|ditto||imposter|transform||||||87|,,,,,Normal"]
)
def test_damage_of_who_is_bound_to_its_ability_is_known(capsys, text):
    cli.damage(PIKACHU, text, "thunderbolt")
    assert "pikachu uses thunderbolt on " in capsys.readouterr().out


def test_a_screen_halves_what_is_no_critical_hit():
    def most(critical, *screens):
        words, tables = damage.situation(member(PIKACHU), member(GYARADOS), screens=((), screens))
        return int(np.max(damage.rolls(words, damage.move_number("thunderbolt"), np.bool_(critical), tables)))

    assert abs(most(False, "lightscreen") - most(False) / 2) <= 1
    assert most(False, "reflect") == most(False)
    assert most(True, "lightscreen") == most(True)


def test_a_move_that_the_format_does_not_have_is_refused(capsys):
    own = {"damage": cli.damage}
    arguments = ["damage", "--attacker", PIKACHU, "--defender", GYARADOS, "--move", "metronome"]
    assert commands.main(DECLARATION, own, arguments) == 2
    assert "move: got 'metronome'" in capsys.readouterr().err


@pytest.mark.parametrize("seeds", ["5", "5:5", "a:b"])
def test_no_range_of_battles_is_refused(seeds):
    with pytest.raises(InvalidParamsError, match="seeds: got"):
        compare_numbered(seeds, "uniform", observations=False)


def test_a_condition_that_is_no_screen_is_refused():
    with pytest.raises(InvalidParamsError, match=r"screen: got 'spikes', expected one of \['reflect'"):
        damage.situation(member(PIKACHU), member(GYARADOS), screens=(("spikes",), ()))


def test_a_species_that_does_not_change_is_refused():
    with pytest.raises(InvalidParamsError, match=r"changed species.*'pikachu'.*palafin"):
        damage.situation({"species": "palafin"}, {"species": "pikachu"}, changed=(True, True))
