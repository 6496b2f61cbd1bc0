"""Teams for the soak: they have what they are for, and nothing that no team has."""

import collections

import pytest

from pokejax.verification.soak import KINDS, SPEEDS, battle_teams
from rlenv_shared.verification.locate import reference

pytestmark = [pytest.mark.l1, pytest.mark.reference("showdown")]


def described(kind, battles=6):
    """Both teams of some battles, as the reference describes them."""
    settings = [{"seed": "1", "teams": list(pair)} for pair in battle_teams(kind, battles, 3)]
    with reference("showdown").driver() as driver:
        return [view["constants"] for view in driver.request("open", battles=settings)]


@pytest.mark.parametrize("kind", KINDS)
def test_teams_have_what_they_are_for(kind):
    wanted = KINDS[kind]
    for number, pair in enumerate(described(kind)):
        for team in pair if wanted.both or number % 2 else pair[:1]:
            has = [p["ability"] in wanted.abilities or {m for m, _ in p["moves"]} & set(wanted.moves) for p in team]
            assert wanted.every or sum(map(bool, has)) >= wanted.members
        if not wanted.alike:
            assert all(len({p["species"] for p in team}) == 6 for team in pair)
        assert pair[0] == pair[1] or not wanted.mirrored


def test_the_rare_are_as_frequent_as_the_common():
    teams = [team for pair in described("rare", 300) for team in pair]
    abilities = collections.Counter(pokemon["ability"] for team in teams for pokemon in team)
    assert len(abilities) > 190  # of 203; a third of the members is chosen for one, six for each


def test_all_speeds_of_a_battle_are_equal():
    for pair in described("equals"):
        speeds = {pokemon["stats"][4] for team in pair for pokemon in team}
        assert len(speeds) == 1
        assert SPEEDS[0] <= speeds.pop() < SPEEDS[1]


def test_the_same_seed_makes_the_same_teams():
    assert battle_teams("items", 3, 8) == battle_teams("items", 3, 8) != battle_teams("items", 3, 9)
