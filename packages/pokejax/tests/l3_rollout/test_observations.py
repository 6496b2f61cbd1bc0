"""L3: what players see, and what Showdown tells each of them, at every decision of whole battles; native steps."""

import pytest

from pokejax.verification import DECLARATION
from pokejax.verification.battles import play
from pokejax.verification.observations import verify_observations
from pokejax.verification.rollouts import numbered

pytestmark = [pytest.mark.l3, pytest.mark.reference("showdown")]

QUICK = DECLARATION.rollout_set("observations").quick["seeds"]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("policy", QUICK)
def test_players_see_what_showdown_tells_them(policy):
    recordings = list(play(numbered(QUICK[policy], policy), messages=True))
    outcome = verify_observations(recordings)
    assert not outcome.mismatches
    assert outcome.decisions == sum(not view["ended"] for recording in recordings for view in recording["views"])
