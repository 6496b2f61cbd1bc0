"""L3: live battles on a server of Showdown's own against poke-env's players; every decision is the environment's."""

import asyncio
import contextlib

import numpy as np
import pytest
from poke_env import AccountConfiguration, ServerConfiguration
from poke_env.player import ForfeitBattleOrder, RandomPlayer

from pokejax.poke_env import PokejaxPlayer, ServerError
from pokejax.verification import DECLARATION, live
from rlenv_shared.errors import InvalidParamsError, ReferenceUnavailableError
from rlenv_shared.verification.locate import reference

pytestmark = [pytest.mark.l3, pytest.mark.reference("showdown"), pytest.mark.timeout(600)]

QUICK = DECLARATION.rollout_set("live").quick


@pytest.fixture(scope="module")
def server():
    with reference("showdown", "server").running() as found:
        yield found


def first_legal(observation, legal):
    return int(np.argmax(legal))


def players(server, decide, other=RandomPlayer, **options):
    place = ServerConfiguration(server.websocket_url, "")
    names = [AccountConfiguration.generate(name, rand=True) for name in ("ours", "other")]
    ours = PokejaxPlayer(decide, server_configuration=place, account_configuration=names[0], **options)
    return ours, other(server_configuration=place, account_configuration=names[1])


def test_what_a_live_player_encodes_is_what_the_environment_shows():
    found = live.compare_live(**QUICK)
    assert found.problems == []
    for name, compared in found.comparisons.items():
        assert compared["failing"] == [], name
        assert compared["steps"] > 5 * compared["battles"]
        assert sum(found.measured[name][key] for key in ("wins", "ties", "losses")) == QUICK["battles"][name]


def test_a_choice_that_showdown_refuses_is_replaced_by_a_legal_one(server):
    def worst(observation, legal):
        return 13  # a switch to the last one, be it legal or not

    ours, other = players(server, worst, seed=3)
    asyncio.run(ours.battle_against(other, n_battles=1))
    assert ours.n_finished_battles == 1
    assert ours.counts["illegal decisions"] > 0
    assert ours.counts["invalid choices"] == 0


def test_a_server_that_leaves_in_mid_battle_is_told_of():
    with contextlib.ExitStack() as stack:
        ours, other = players(stack.enter_context(reference("showdown", "server").running()), first_legal)

        async def played():
            battles = asyncio.ensure_future(ours.battle_against(other, n_battles=1000))
            while not ours.counts["decisions"]:
                await asyncio.sleep(0.05)
            stack.close()
            await battles

        with pytest.raises(ServerError, match="expected it to last to the battles' end"):
            asyncio.run(played())


def test_who_gives_up_has_lost(server):
    class GivesUp(RandomPlayer):
        def choose_move(self, battle):
            return ForfeitBattleOrder()

    ours, other = players(server, first_legal, other=GivesUp)
    asyncio.run(ours.battle_against(other, n_battles=2))
    assert ours.n_won_battles == other.n_lost_battles == 2


def test_a_port_that_is_in_use_is_refused(server):
    with (
        pytest.raises(InvalidParamsError, match="which is in use, expected a free port"),
        reference("showdown", "server").running(server.port),
    ):
        pass


def test_a_server_that_dies_at_its_start_is_quoted(monkeypatch):
    found = reference("showdown", "server")
    monkeypatch.setitem(found.SETTINGS, "usesqlite", True)
    with pytest.raises(ReferenceUnavailableError, match="better-sqlite3 is not installed"), found.running():
        pass
