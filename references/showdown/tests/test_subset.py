"""Teams within an engine's reach."""

from __future__ import annotations

import numpy as np
import pytest
from references.showdown.subset import compose, usable
from references.showdown.tables import load, load_teams, packed

from rlenv_shared.errors import InvalidParamsError

pytestmark = pytest.mark.l1

ITEMS = ("leftovers", "lifeorb", "heavydutyboots", "choiceband", "assaultvest")


@pytest.fixture(scope="module")
def tables():
    return load()


@pytest.fixture(scope="module")
def teams():
    return load_teams()


@pytest.fixture(scope="module")
def chosen(tables, teams):
    moves = [
        name for name, category in zip(tables.names["move"], tables["moves.category"], strict=True) if category == 1
    ]
    return usable(tables, teams, moves=moves, abilities=tables.names["ability"][1:], items=ITEMS)


def test_usable_pokemon_have_nothing_else(tables, teams, chosen):
    assert 100 < chosen.sum() < chosen.size
    held = {tables.names["item"][number] for number in np.unique(teams["item"][chosen])}
    assert held <= {"", *ITEMS}
    physical = (tables["moves.category"][teams["moves"]] == 1) | (teams["moves"] == 0)
    expected = physical.all(-1) & np.isin(teams["item"], [0, *(tables.number("item", name) for name in ITEMS)])
    np.testing.assert_array_equal(chosen, expected)


def test_teams_have_six_species_of_the_chosen_pokemon(tables, teams, chosen):
    made = compose(tables, teams, chosen, 50, seed=3)
    assert set(made) == set(teams)
    bases = tables["species.base_species"][made["species"]]
    assert all(len(set(row)) == 6 for row in bases.tolist())
    whole = {tuple(teams[name][where].tobytes() for name in sorted(teams)) for where in map(tuple, np.argwhere(chosen))}
    for team in range(50):
        for slot in range(6):
            assert tuple(made[name][team, slot].tobytes() for name in sorted(made)) in whole
    assert len(packed(tables, made, 7).split("]")) == 6


def test_the_seed_decides(tables, teams, chosen):
    first, same, other = (compose(tables, teams, chosen, 20, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first["species"], same["species"])
    assert (first["species"] != other["species"]).any()


def test_too_little_to_choose_from_is_refused(tables, teams, chosen):
    few = chosen & (teams["species"] == teams["species"][chosen][0])
    with pytest.raises(InvalidParamsError, match="1 base species"):
        compose(tables, teams, few, 1)
    with pytest.raises(InvalidParamsError, match="for 0 teams"):
        compose(tables, teams, chosen, 0)
    with pytest.raises(InvalidParamsError, match="move: got 'tackel'"):
        usable(tables, teams, moves=["tackel"], abilities=[], items=[])
