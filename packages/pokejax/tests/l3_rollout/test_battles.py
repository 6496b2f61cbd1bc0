"""L3: whole battles against live Showdown, compared at every decision; native steps."""

import pytest

from pokejax.verification import DECLARATION
from pokejax.verification.battles import play, verify
from pokejax.verification.rollouts import compare_any, compare_lasting, compare_soaked, numbered

pytestmark = [pytest.mark.l3, pytest.mark.reference("showdown")]

QUICK = DECLARATION.rollout_set("battles").quick["seeds"]
SOAKED = DECLARATION.rollout_set("soak").quick
ANY = DECLARATION.rollout_set("any").quick
LASTING = DECLARATION.rollout_set("lasting").quick


@pytest.mark.timeout(600)
@pytest.mark.parametrize("policy", QUICK)
def test_every_decision_agrees(policy):
    recordings = list(play(numbered(QUICK[policy], policy)))
    assert all(recording["views"][-1]["ended"] for recording in recordings)
    outcome = verify(recordings)
    assert not outcome.mismatches
    assert outcome.decisions == sum(len(recording["views"]) for recording in recordings)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", SOAKED["kinds"])
def test_teams_that_do_one_thing_all_the_time_agree(kind):
    found = compare_soaked([kind], SOAKED["battles"], SOAKED["seed"]).comparisons[kind]
    assert found["failing"] == []
    assert (found["battles"], found["unfinished"]) == (SOAKED["battles"], 0)
    assert found["steps"] > 10 * SOAKED["battles"]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", ANY["kinds"])
def test_teams_of_any_parts_agree(kind):
    battles = ANY["kinds"][kind]
    findings = compare_any({kind: battles}, ANY["seed"])
    found = findings.comparisons[kind]
    assert found["failing"] == []
    assert (found["battles"], found["unfinished"]) == (battles, 0)
    assert found["steps"] > 10 * battles
    reasons = {"species", "ability", "item", "Transform", "tera type", "Illusion"}
    assert set(findings.measured["refused"][kind]) <= reasons


@pytest.mark.timeout(600)
@pytest.mark.parametrize("policy", LASTING["policies"])
def test_battles_that_last_agree(policy):
    battles = LASTING["policies"][policy]
    found = compare_lasting({policy: battles}, LASTING["kinds"], LASTING["seed"]).comparisons[policy]
    assert found["failing"] == []
    assert (found["battles"], found["unfinished"]) == (battles, 0)
    assert found["steps"] > (800 if policy in ("ping-pong", "marathon") else 50) * battles
