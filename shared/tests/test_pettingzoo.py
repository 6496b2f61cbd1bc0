"""PettingZoo adapters, by PettingZoo's own tests and against the native environment."""

from __future__ import annotations

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

from rlenv_games.small_games import CHARGE, FIRE, SHIELD, Standoff, TakeAway
from rlenv_shared import counter_rng
from rlenv_shared.adapters.host import ResetNeededError
from rlenv_shared.adapters.pettingzoo import PettingZooAEC, PettingZooParallel
from rlenv_shared.errors import IllegalActionError, InvalidParamsError
from rlenv_testing.walk import Walk

pytestmark = pytest.mark.l1
STANDOFF, TAKE_AWAY = Standoff(), TakeAway()
AGENTS = ["player_0", "player_1"]


class NoMask(Standoff):
    """A shot without a charge is a charge: every action is legal, so there is no mask to show."""

    def transition(self, state, action, *rest):
        action = jnp.where((action == FIRE) & (jnp.stack(state.charge) == 0), jnp.int32(CHARGE), action)
        return super().transition(state, action, *rest)

    def legal_actions(self, state, params):
        return jnp.ones((2, 3), jnp.bool_)


class Paying(TakeAway):
    """Whoever moves is paid what is left, so rewards come at every step."""

    def transition(self, state, *args):
        after, reward, *rest = super().transition(state, *args)
        left = after.pile.astype(jnp.float32)
        return after, reward + jnp.where(jnp.arange(2) == state.current_player, left, jnp.float32(0)), *rest


@pytest.fixture(autouse=True)
def _no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # What PettingZoo says of its own games with masks, unless they are on a list of names; of a waiting agent; and
        # of an empty pile in the eyes of player 0.
        texts = ("Observation is not a NumPy array", "Observation space for each agent", ".*no legal actions")
        for text in (*texts, "Observation numpy array is all zeros"):
            warnings.filterwarnings("ignore", message=text)
        yield


@pytest.mark.parametrize("env", [STANDOFF, NoMask()], ids=["masks", "no-masks"])
def test_pettingzoo_s_parallel_test(env):
    parallel_api_test(PettingZooParallel(env), num_cycles=100)


def test_pettingzoo_s_parallel_seed_test():
    env = NoMask()
    parallel_seed_test(lambda: PettingZooParallel(env), num_cycles=60)


@pytest.mark.parametrize("env", [TAKE_AWAY, Paying()], ids=["games", "paying"])
def test_pettingzoo_s_aec_test(env):
    api_test(PettingZooAEC(env), num_cycles=50)


def test_pettingzoo_s_aec_seed_test():
    seed_test(lambda: PettingZooAEC(TAKE_AWAY), num_cycles=100)


def random_legal(mask, rng):
    return int(rng.choice(np.flatnonzero(mask)))


def test_the_parallel_environment_is_the_native_one():
    env, rng = PettingZooParallel(STANDOFF), np.random.default_rng(0)
    ends = set()
    for seed in range(40):
        observations, infos = env.reset(seed=seed)
        words = tuple(jnp.asarray(word[0]) for word in counter_rng.from_seed(seed))
        state = STANDOFF.begin(words, STANDOFF.default_params)
        native = STANDOFF.view(state, STANDOFF.default_params)
        assert infos == {agent: {} for agent in AGENTS}
        while env.agents:
            mask = STANDOFF.legal_actions(state, STANDOFF.default_params)
            for i, agent in enumerate(AGENTS):
                np.testing.assert_array_equal(observations[agent]["observation"], native[i])
                np.testing.assert_array_equal(observations[agent]["action_mask"], mask[i])
                assert env.observation_space(agent).contains(observations[agent])
            actions = {agent: random_legal(mask[i], rng) for i, agent in enumerate(AGENTS)}
            native, state, reward, terminated, _ = STANDOFF.step_env(
                None, state, jnp.array([actions[agent] for agent in AGENTS], jnp.int32), STANDOFF.default_params
            )
            observations, rewards, terminations, truncations, _ = env.step(actions)
            assert [rewards[agent] for agent in AGENTS] == reward.tolist()
            assert terminations == dict.fromkeys(AGENTS, bool(terminated))
            assert truncations == dict.fromkeys(AGENTS, bool(state.time >= 32))
        ends.add(tuple(reward.tolist()))
    assert {(1.0, -1.0), (-1.0, 1.0)} <= ends


def test_the_aec_environment_is_the_native_one():
    env, rng = PettingZooAEC(TAKE_AWAY), np.random.default_rng(0)
    winners = set()
    for seed in range(20):
        env.reset(seed=seed)
        words = tuple(jnp.asarray(word[0]) for word in counter_rng.from_seed(seed))
        state = TAKE_AWAY.begin(words, TAKE_AWAY.default_params)
        native = TAKE_AWAY.view(state, TAKE_AWAY.default_params)
        over = False
        while not over:
            player = int(state.current_player)
            assert env.agent_selection == AGENTS[player]
            mask = TAKE_AWAY.legal_actions(state, TAKE_AWAY.default_params)
            observed, other = (env.observe(AGENTS[i]) for i in (player, 1 - player))
            np.testing.assert_array_equal(observed["observation"], native)
            np.testing.assert_array_equal(observed["action_mask"], mask)
            np.testing.assert_array_equal(other["observation"], [*native[:-1], 1 - player])
            assert other["action_mask"].tolist() == [0, 0, 0]
            action = random_legal(mask, rng)
            native, state, reward, over, _ = TAKE_AWAY.step_env(
                None, state, jnp.int32(action), TAKE_AWAY.default_params
            )
            env.step(action)
            assert [env.rewards[agent] for agent in AGENTS] == reward.tolist()
        assert env.terminations == dict.fromkeys(AGENTS, True)
        winners.add(player)
        last = {}
        for _ in range(2):
            last[env.agent_selection] = env.last()[1]
            env.step(None)
        assert [last[agent] for agent in AGENTS] == reward.tolist()
        assert env.agents == []
    assert winners == {0, 1}


def test_a_seed_is_reproducible_and_no_seed_goes_on():
    one, two = PettingZooParallel(STANDOFF, seed=3), PettingZooParallel(STANDOFF)
    two.reset(seed=3)
    one.reset()
    states = []
    for _ in range(10):
        one.reset()
        two.reset()
        states.append([int(word) for word in one._state.rng])
        assert states[-1] == [int(word) for word in two._state.rng]
    assert len({tuple(words) for words in states}) == 10
    fresh = PettingZooParallel(STANDOFF)
    fresh.reset()
    assert [int(word) for word in fresh._state.rng] not in states


@pytest.mark.parametrize(
    "actions",
    [
        {},
        {"player_0": 0},
        {"player_0": 0, "player_1": 0, "player_2": 0},
        {"player_0": 0, "player_1": 3},
        {"player_0": 0, "player_1": -1},
        {"player_0": 0, "player_1": 0.5},
        {"player_0": 0, "player_1": None},
        {"player_0": FIRE, "player_1": SHIELD},
    ],
    ids=repr,
)
def test_bad_actions_are_refused_and_change_nothing(actions):
    env = PettingZooParallel(STANDOFF)
    for seed in range(100):
        env.reset(seed=seed)
        if env._state.charge[0] == 0:
            break
    before = jax.tree.map(np.asarray, env._state)
    with pytest.raises(IllegalActionError, match=r"got .*, expected .*; "):
        env.step(actions)
    assert jax.tree.all(jax.tree.map(lambda a, b: bool((a == b).all()), before, env._state))
    env.step(dict.fromkeys(AGENTS, CHARGE))


def test_bad_moves_are_refused():
    env = PettingZooAEC(TAKE_AWAY)
    env.reset(seed=0)
    for action in (None, 3, -1, 0.5, [0, 1]):
        with pytest.raises(IllegalActionError, match=r"got .*, expected .*; "):
            env.step(action)
    assert int(env._state.time) == 0


@pytest.mark.parametrize(("adapter", "env"), [(PettingZooParallel, STANDOFF), (PettingZooAEC, TAKE_AWAY)])
def test_a_finished_or_unstarted_game_is_not_stepped(adapter, env):
    game = adapter(env)
    with pytest.raises(ResetNeededError):
        game.step(0)
    with pytest.raises(InvalidParamsError, match="render_mode"):
        adapter(env, render_mode="rgb_array")


@pytest.mark.parametrize(
    ("adapter", "env"),
    [(PettingZooParallel, TAKE_AWAY), (PettingZooAEC, STANDOFF), (PettingZooParallel, Walk()), (PettingZooAEC, Walk())],
)
def test_other_turn_orders_are_refused(adapter, env):
    with pytest.raises(InvalidParamsError, match="PettingZoo adapter of"):
        adapter(env)
