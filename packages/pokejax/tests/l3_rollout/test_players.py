"""L3: what opponents on the device decide, and poke-env's players of the same rules, at every decision of battles."""

import pytest

from pokejax.verification import DECLARATION
from pokejax.verification.battles import play
from pokejax.verification.poke_env_players import EQUAL, FAINTED_TERA, FORME, JUDGES, MISCOUNTED, verify_players
from pokejax.verification.rollouts import numbered

pytestmark = [pytest.mark.l3, pytest.mark.reference("showdown"), pytest.mark.timeout(600)]

QUICK = DECLARATION.rollout_set("players").quick


def test_opponents_decide_as_poke_env_s_players_do():
    first, half = 1_000_000 * QUICK["seed"], QUICK["battles"] // 2
    settings = numbered(f"{first}:{first + half}", "uniform") + numbered(f"{first + half}:{first + 2 * half}", "attack")
    recordings = list(play(settings, messages=True))
    outcome = verify_players(recordings, form="bytecode")
    assert not outcome.mismatches
    asked = sum(bool(side["accepted"]) for one in recordings for view in one["views"] for side in view["legal"])
    assert outcome.decisions == sum(not view["ended"] for one in recordings for view in one["views"]) > 200
    assert outcome.declared.total() < len(JUDGES) * asked / 200
    assert all(reason.endswith((EQUAL, FAINTED_TERA, FORME, MISCOUNTED)) for reason in outcome.declared)
