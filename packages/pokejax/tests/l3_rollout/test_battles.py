"""L3: whole battles of composed teams against live Showdown, compared at every decision; native steps."""

import pytest

from pokejax.verification import DECLARATION
from pokejax.verification.battles import episodes, play, verify

pytestmark = [pytest.mark.l3, pytest.mark.reference("showdown")]

QUICK = DECLARATION.rollout_set("battles").quick


@pytest.mark.timeout(600)
@pytest.mark.parametrize("policy", QUICK["battles"])
def test_every_decision_agrees(policy):
    recordings = list(play(episodes(QUICK["battles"][policy], QUICK["seed"], policy)))
    assert all(recording["views"][-1]["ended"] for recording in recordings)
    outcome = verify(recordings)
    assert not outcome.mismatches
    assert outcome.decisions == sum(len(recording["views"]) for recording in recordings)
