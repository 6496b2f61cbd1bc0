"""L1: version 0 of observations: its table, and what the leads show."""

from pathlib import Path

import numpy as np
import pytest

from pokejax import player_view
from pokejax.observation import ENTRIES, IDS, NUMBERS, places, size, space
from pokejax.rules.mechanics.revealed import percent
from pokejax.verification.layout import document

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]
DOCS = Path(__file__).parents[2] / "docs"
PLACES = places()


def entry(seen, name):
    array, where = PLACES[name]
    return np.asarray(seen[array])[..., where]


def test_the_table_in_the_documentation_is_the_encoder_s():
    assert (DOCS / "observation.md").read_text() == document()


def test_every_name_stands_once_and_the_space_has_all():
    assert len(PLACES) == len(ENTRIES)
    spaces = space().spaces
    assert spaces[IDS].shape == (size(IDS),)
    assert spaces[NUMBERS].shape == (size(NUMBERS),)


def test_observations_lie_in_their_space(played):
    limits = np.concatenate([[e.limit] * e.count for e in ENTRIES if e.array == IDS])
    for words in played.words[::8]:
        seen = played.run.observe(words, played.params)
        assert (np.asarray(seen[IDS]) >= 0).all()
        assert (np.asarray(seen[IDS]) < limits).all()
        assert (np.abs(np.asarray(seen[NUMBERS])) <= 1).all()


def test_before_the_leads_come_in_a_player_knows_its_own_team_alone(played):
    seen = played.run.observe(played.words[0], played.params)
    assert (entry(seen, "own.pokemon[3].species") > 0).all()
    assert (entry(seen, "own.pokemon[3].hp") == 1).all()
    for place in ENTRIES:
        if place.name.startswith("foe.pokemon"):
            assert (entry(seen, place.name) == 0).all(), place.name


def test_the_leads_are_seen_and_what_they_hold_is_not(played):
    seen = played.run.observe(played.words[1], played.params)
    assert (entry(seen, "foe.pokemon[0].species") > 0).all()
    assert (entry(seen, "foe.pokemon[0].active") == 1).all()
    assert (entry(seen, "foe.pokemon[1].species") == 0).all()
    assert (entry(seen, "foe.pokemon[0].moves") == 0).all()
    assert (entry(seen, "foe.pokemon[0].item") == 0).mean() > 0.5
    own = entry(seen, "own.pokemon[0].species")
    np.testing.assert_array_equal(own, entry(seen, "foe.pokemon[0].species")[:, ::-1])


@pytest.mark.parametrize(("hp", "shown"), [(300, 100), (299, 99), (1, 1), (3, 1), (4, 2)])
def test_hit_points_are_shown_rounded_up(hp, shown):
    assert int(percent(np.int32(hp), np.int32(300))) == shown


def test_moves_are_sorted_by_number():
    moves = player_view.by_number([np.int32(x) for x in (7, 0, 3, 0)])
    assert [int(move) for move in moves] == [3, 7, 0, 0]
