"""L1: the counted coverage agrees with the pool that was exported."""

import json

import pytest

from pokejax.data import DATA, MANIFEST
from pokejax.verification.coverage import coverage

pytestmark = [pytest.mark.l1, pytest.mark.reference("showdown")]


def test_everything_that_the_generator_makes_is_in_the_pool():
    found, counts = coverage(), json.loads((DATA / MANIFEST).read_text())["counts"]
    assert not found.missing
    assert found.playable_pokemon == found.pokemon == counts["pokemon"]
    assert found.playable_teams == found.teams == counts["teams"] >= 10_000
