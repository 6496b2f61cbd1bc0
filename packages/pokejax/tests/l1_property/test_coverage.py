"""L1: the counted coverage agrees with the pool that was exported."""

import json

import pytest

from pokejax.data import DATA, MANIFEST
from pokejax.verification.coverage import coverage

pytestmark = [pytest.mark.l1, pytest.mark.reference("showdown")]


def test_every_playable_pokemon_is_in_the_pool():
    found = coverage()
    assert found.playable_pokemon == json.loads((DATA / MANIFEST).read_text())["counts"]["pokemon"]
    assert found.teams >= 1000
    assert 0 < found.playable_teams < found.teams
    assert all(found.alone[name] <= count for name, count in found.missing.items())
