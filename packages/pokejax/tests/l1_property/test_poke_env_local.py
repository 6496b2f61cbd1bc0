"""L1: poke-env's players and its `SinglesEnv` inside pokejax."""

import asyncio

import numpy as np
import pytest
from gymnasium.spaces import Box
from poke_env.environment import SingleAgentWrapper
from poke_env.player import Player
from poke_env.player.baselines import RandomPlayer, SimpleHeuristicsPlayer
from poke_env.player.battle_order import ForfeitBattleOrder, SingleBattleOrder

from pokejax.poke_env import LocalBattles, LocalSinglesEnv
from pokejax.verification.poke_env_speed import DEVICE, LOCAL, PLAYERS, WEBSOCKET, Timed, ratios
from rlenv_shared.errors import IllegalActionError, InvalidParamsError

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]

AT_ONCE = 4


class Kept:
    """A player that keeps what it was shown."""

    def __init__(self, choose=Player.choose_random_singles_move):
        self.choose, self.seen, self.tags = choose, 0, set()

    def choose_move(self, battle):
        self.seen += 1
        self.tags.add(battle.battle_tag)
        assert battle.active_pokemon is not None
        assert battle.opponent_active_pokemon is not None
        assert len(battle.team) == 6
        assert battle.valid_orders
        assert not battle.finished
        return self.choose(battle)


@pytest.fixture(scope="module")
def arena():
    """Battles between two players that the tests replace."""
    return LocalBattles(Kept(), Kept(), at_once=AT_ONCE, seed=5)


def played(arena, one, other, battles):
    arena._players = one, other
    return arena.play(battles)


def test_players_play_as_many_battles_as_are_asked_for(arena):
    one, other = Kept(), Kept()
    results = played(arena, one, other, 6)
    assert len(results) == 6
    assert {result.result for result in results} <= {-1, 0, 1}
    assert all(result.turns > 3 for result in results)
    assert one.tags == other.tags
    assert len(one.tags) == 6
    assert min(one.seen, other.seen) > 60


def test_players_of_poke_env_count_their_battles(arena):
    one, other = (kind(start_listening=False) for kind in (SimpleHeuristicsPlayer, RandomPlayer))
    results = played(arena, one, other, 5)
    assert one.n_finished_battles == other.n_finished_battles == 5
    assert one.n_won_battles == sum(result.result == 1 for result in results) == other.n_lost_battles
    assert one.n_won_battles > other.n_won_battles
    ended = [battle for battle in one.battles.values() if battle.won]
    assert all(sum(mon.fainted for mon in battle.opponent_team.values()) == 6 for battle in ended)


def test_orders_may_be_awaited(arena):
    class Slow(Kept):
        async def choose_move(self, battle):
            await asyncio.sleep(0)
            return super().choose_move(battle)

    assert len(played(arena, Slow(), Kept(), 1)) == 1


def test_who_gives_up_loses(arena):
    results = played(arena, Kept(lambda battle: ForfeitBattleOrder()), Kept(), 3)
    assert [result.result for result in results] == [-1] * 3
    results = played(arena, Kept(), Kept(lambda battle: ForfeitBattleOrder()), 2)
    assert [result.result for result in results] == [1] * 2


def test_illegal_orders_are_refused(arena):
    with pytest.raises(IllegalActionError, match=r"return an order that battle\.valid_orders lists"):
        played(arena, Kept(lambda battle: SingleBattleOrder("/choose move splash")), Kept(), 1)


def test_bad_input_is_refused(arena):
    with pytest.raises(InvalidParamsError, match="a method choose_move"):
        LocalBattles(Kept(), object())
    with pytest.raises(InvalidParamsError, match="backend: got 'fast'"):
        LocalBattles(Kept(), Kept(), backend="fast")
    with pytest.raises(InvalidParamsError, match="battles at once: got 0"):
        LocalBattles(Kept(), Kept(), at_once=0)
    with pytest.raises(InvalidParamsError, match="battles: got 0"):
        arena.play(0)


class HealthEnv(LocalSinglesEnv):
    """As poke-env's examples are written, with another base class."""

    def __init__(self, **options):
        super().__init__(**options)
        self.observation_spaces = {agent: Box(0, 1, (2,), np.float32) for agent in self.possible_agents}

    def calc_reward(self, battle):
        return self.reward_computing_helper(battle, fainted_value=1.0, victory_value=10.0)

    def embed_battle(self, battle):
        own, foe = battle.active_pokemon, battle.opponent_active_pokemon
        return np.array([own.current_hp_fraction, foe.current_hp_fraction], np.float32)


@pytest.fixture(scope="module")
def env():
    return HealthEnv(seed=3)


def test_singles_env_is_played_by_masks(env):
    rng, rewards = np.random.default_rng(0), dict.fromkeys(env.possible_agents, 0.0)
    observations, _ = env.reset(seed=1)
    steps = 0
    while env.agents:
        masks = {agent: seen["action_mask"] for agent, seen in observations.items()}
        for agent, seen in observations.items():
            assert env.observation_space(agent)["observation"].contains(seen["observation"])
        actions = {agent: np.int64(rng.choice(np.flatnonzero(mask))) for agent, mask in masks.items()}
        observations, got, terminated, truncated, _ = env.step(actions)
        rewards = {agent: rewards[agent] + got[agent] for agent in rewards}
        steps += 1
    assert steps > 10
    assert all(terminated.values())
    assert not any(truncated.values())
    first, second = rewards.values()
    assert first == -second
    assert abs(first) > 10
    with pytest.raises(InvalidParamsError, match="call reset"):
        env.step(actions)


def test_singles_env_repeats_itself_by_seed(env):
    teams = []
    for seed in (7, 8, 7):
        env.reset(seed=seed)
        teams.append(list(env.battle1.team))
    assert teams[0] == teams[2] != teams[1]
    env.reset()
    assert list(env.battle1.team) != teams[2]


def test_giving_up_and_the_default(env):
    env.reset(seed=2)
    first, second = env.possible_agents
    env.step({first: np.int64(-2), second: np.int64(-2)})
    assert not env.battle1.finished
    while not env.agent1_to_move:  # the second player alone is asked who comes in
        env.step({first: np.int64(-2), second: np.int64(-2)})
    *_, terminated, truncated, _ = env.step({first: np.int64(-1), second: np.int64(-2)})
    assert env.battle1.lost
    assert env.battle2.won
    assert all(truncated.values()) or all(terminated.values())


def test_an_illegal_action_is_refused(env):
    observations, _ = env.reset(seed=4)
    first, second = env.possible_agents
    assert observations[first]["action_mask"][0] == 0  # who stands there cannot come in
    with pytest.raises(ValueError, match="Invalid action 0"):
        env.step({first: np.int64(0), second: np.int64(6)})


def test_poke_env_s_wrapper_for_one_agent_plays_in_it(env):
    single = SingleAgentWrapper(env, SimpleHeuristicsPlayer(start_listening=False))
    observation, _ = single.reset(seed=6)
    rng, over = np.random.default_rng(1), False
    while not over:
        action = np.int64(rng.choice(np.flatnonzero(observation["action_mask"])))
        observation, _, terminated, truncated, _ = single.step(action)
        over = terminated or truncated
    assert env.battle1.finished


def test_speeds_are_told_in_terms_of_the_websocket_s(arena):
    ways = {WEBSOCKET: 4.0, LOCAL: 20.0, DEVICE: 6000.0}
    rows = [{"player": name, "way": way, "battles/s": speed} for name in PLAYERS for way, speed in ways.items()]
    assert ratios(rows) == {name: {LOCAL: 5.0, DEVICE: 1500.0} for name in PLAYERS}
    one, other = Timed(Kept()), Timed(Kept())
    played(arena, one, other, 1)
    assert one.decisions == one.player.seen > 3
    assert one.seconds > 0
