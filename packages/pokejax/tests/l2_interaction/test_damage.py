"""L2: the damage calculator against Showdown's own formula, all sixteen draws, with and without a critical hit."""

import pytest

from pokejax.verification import DECLARATION
from pokejax.verification.damages import compare_damages

pytestmark = [pytest.mark.l2, pytest.mark.reference("showdown"), pytest.mark.timeout(600)]
QUICK = DECLARATION.rollout_set("damages").quick


def test_all_sixteen_damages_are_showdown_s():
    found = compare_damages(**QUICK).comparisons["damages"]
    assert found["failing"] == []
    assert found["mismatches"] == 0
    assert found["steps"] > 12 * QUICK["battles"]
    assert found["harmless"] < found["steps"] / 2
