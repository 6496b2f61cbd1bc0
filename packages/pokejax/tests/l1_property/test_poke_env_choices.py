"""L1: poke-env's orders, Showdown's choices and the numbers of actions."""

import json
from pathlib import Path

import numpy as np
import pytest
from poke_env.battle import Move, Pokemon
from poke_env.player.battle_order import DefaultBattleOrder, ForfeitBattleOrder, SingleBattleOrder

from pokejax.poke_env.choices import Choices, names_of
from pokejax.rules.flow.queue import NUM_ACTIONS, PASS
from rlenv_shared.errors import IllegalActionError

pytestmark = pytest.mark.l1

VIEW = (Path(__file__).parents[2] / "examples" / "view.txt").read_text().splitlines()
REQUESTS = [json.loads(line.removeprefix("|request|")) for line in VIEW if line.startswith("|request|{")]
TEAM = names_of(REQUESTS[0])


def choices(request, **active):
    if active:
        request = request | {"active": [request["active"][0] | active]}
    return Choices.of_request(request, TEAM)


@pytest.mark.parametrize("number", range(len(REQUESTS)))
def test_orders_and_actions_are_each_other_s_inverse(number):
    found = choices(REQUESTS[number])
    for action in np.flatnonzero(found.legal):
        assert found.legal_action_of(found.order_of(int(action))) == action


def test_a_request_for_a_move():
    found = choices(REQUESTS[0])
    assert np.flatnonzero(found.legal).tolist() == [*range(8), *range(9, 14)]
    assert choices(REQUESTS[0], trapped=True).legal.sum() == 8
    assert choices(REQUESTS[0], canTerastallize=None).legal[4:8].sum() == 0
    moves = [move | {"disabled": move["id"] == "facade"} for move in REQUESTS[0]["active"][0]["moves"]]
    assert np.flatnonzero(choices(REQUESTS[0], moves=moves).legal)[:7].tolist() == [0, 1, 3, 4, 5, 7, 9]


def test_a_request_to_wait_and_one_to_come_in():
    assert np.flatnonzero(choices(REQUESTS[1]).legal).tolist() == [PASS]
    request = json.loads(json.dumps(REQUESTS[-1]))
    request["side"]["pokemon"][3]["condition"] = "0 fnt"
    behind = [8 + TEAM.index(names_of(request)[place]) for place in (1, 2, 4, 5)]
    assert np.flatnonzero(choices(request).legal).tolist() == sorted(behind)


def test_revival_is_of_who_has_fallen():
    request = json.loads(json.dumps(REQUESTS[-1]))
    request["side"]["pokemon"][0] |= {"reviving": True, "condition": "1/335"}
    request["side"]["pokemon"][2]["condition"] = "0 fnt"
    legal = Choices.of_request(request, TEAM).legal
    assert np.flatnonzero(legal).tolist() == [8 + TEAM.index(names_of(request)[2])]


def test_orders_of_poke_env():
    found = choices(REQUESTS[0])
    slot = found.moves.index("facade")
    assert found.action_of(SingleBattleOrder(Move("facade", 9))) == slot
    assert found.action_of(SingleBattleOrder(Move("facade", 9), terastallize=True)) == 4 + slot
    assert found.action_of(SingleBattleOrder(Pokemon(9, species="glaceon", name="Glaceon"))) == 8 + TEAM.index(
        "Glaceon"
    )
    assert found.action_of(DefaultBattleOrder()) == 0
    texts = {"/choose move facade terastallize": 4 + slot, "/choose switch Glaceon": 8 + TEAM.index("Glaceon")}
    assert all(found.action_of(SingleBattleOrder(text)) == action for text, action in texts.items())
    alone = choices(REQUESTS[0], moves=[{"id": "outrage", "move": "Outrage"}], trapped=True)
    assert alone.action_of(SingleBattleOrder(Move("outrage", 9))) == 0


@pytest.mark.parametrize(
    "order",
    [
        SingleBattleOrder(Move("splash", 9)), SingleBattleOrder("/choose move splash"), ForfeitBattleOrder(),
        SingleBattleOrder(Pokemon(9, species="mew", name="Mew")), SingleBattleOrder("/choose switch 9"),
        SingleBattleOrder("dance"), SingleBattleOrder(""),
    ],
)  # fmt: skip
def test_orders_that_are_none_here_are_refused(order):
    with pytest.raises(IllegalActionError, match=r"expected one that is legal here, as .*/choose move 1"):
        choices(REQUESTS[0]).action_of(order)


def test_an_order_that_is_not_legal_is_refused():
    found = choices(REQUESTS[0])
    assert not found.legal[8]
    assert len(found.legal) == NUM_ACTIONS
    with pytest.raises(IllegalActionError):
        found.legal_action_of(SingleBattleOrder("/choose switch 1"))
