"""L3: battles that differ only in what a player cannot know give that player the same; native steps."""

import pytest

from pokejax.verification import DECLARATION
from pokejax.verification.pairs import KINDS, compare_pairs

pytestmark = [pytest.mark.l3, pytest.mark.reference("showdown")]

QUICK = DECLARATION.rollout_set("pairs").quick


@pytest.mark.timeout(600)
def test_a_player_sees_the_same_until_it_is_told_what_differs():
    found = compare_pairs(**QUICK).comparisons
    assert set(found) == set(KINDS)
    for kind, counts in found.items():
        assert counts["failing"] == [], kind
        assert counts["pairs"] > 0, kind
        assert counts["told_apart"] <= QUICK["pairs"] // len(KINDS) + 1, kind
    assert found["trap"]["refused"] > 0
