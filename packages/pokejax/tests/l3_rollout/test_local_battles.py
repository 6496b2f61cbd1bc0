"""L3: poke-env's battles as pokejax fills them and as Showdown's messages do, at every decision, in both seats."""

import pytest

from pokejax.verification import DECLARATION
from pokejax.verification.battles import play
from pokejax.verification.local_battles import verify_local_battles
from pokejax.verification.rollouts import numbered

pytestmark = [pytest.mark.l3, pytest.mark.reference("showdown"), pytest.mark.timeout(600)]

QUICK = DECLARATION.rollout_set("local-battles").quick


def test_battles_are_filled_as_messages_fill_them():
    first, half = 1_000_000 * QUICK["seed"], QUICK["battles"] // 2
    settings = numbered(f"{first}:{first + half}", "uniform") + numbered(f"{first + half}:{first + 2 * half}", "attack")
    recordings = list(play(settings, messages=True))
    outcome = verify_local_battles(recordings, form="bytecode")
    assert outcome.mismatches == []
    assert outcome.decisions == sum(not view["ended"] for one in recordings for view in one["views"]) > 200
