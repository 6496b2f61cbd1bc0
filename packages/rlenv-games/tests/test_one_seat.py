"""A game for two as an environment for one."""

from __future__ import annotations

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_games import Hand
from rlenv_games.small_games import Standoff, TakeAway
from rlenv_shared.adapters.gymnasium import GymEnv, GymVectorEnv
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.one_seat import OneSeat
from rlenv_shared.reset_pool import ResetPool
from rlenv_testing.conformance import check_env
from rlenv_testing.walk import Walk

pytestmark = pytest.mark.l1


# Contract checks compile in half of the time without fusion; the other tests step these as users compile them.
HAND = pytest.param(Hand(), marks=pytest.mark.slow)  # in a pool it is checked below


@pytest.mark.parametrize("game", [TakeAway(), Standoff(), HAND], ids=lambda game: type(game).__name__)
def test_it_conforms(game):
    check_env(OneSeat(game), num_steps=64, num_envs=8)


def test_a_pool_of_its_starts_conforms():
    check_env(ResetPool(OneSeat(Hand()), 64), num_steps=64, num_envs=8)


def test_two_restarts_from_one_entry_of_a_pool_meet_opponents_that_go_on_differently():
    """The game has no chance of its own: only a script that plays otherwise can bring another position."""
    env = ResetPool(OneSeat(TakeAway()), 1)
    obs, state = jax.vmap(env.reset, (0, None))(jax.random.split(jax.random.key(0), 64), env.default_params)
    assert (obs == obs[0]).all()
    obs, *_ = jax.jit(jax.vmap(env.step, (None, 0, None, None)))(None, state, jnp.int32(0), env.default_params)
    assert len(np.unique(obs, axis=0)) > 1


def expert(state, player, params, word):
    return TakeAway().right_move(state)


def test_every_step_is_a_decision_and_the_better_player_wins():
    """Against right play random play loses nearly always; the seats are drawn."""
    env = GymVectorEnv(OneSeat(TakeAway(), expert), 64)
    obs, _ = env.reset(seed=1)
    seats = set(np.asarray(env._state.seat).tolist())
    rng, results = np.random.default_rng(0), []
    for _ in range(60):
        assert (obs[:, -1] == np.asarray(env._state.seat)).all()
        assert (np.asarray(env._state.game.current_player) == np.asarray(env._state.seat)).all()
        legal = np.minimum(np.round(obs[:, 0] * 21).astype(int), 3)
        obs, reward, terminated, truncated, _ = env.step((rng.random(64) * legal).astype(int))
        results += reward[terminated].tolist()
        assert not reward[~terminated].any()
        assert not truncated.any()
    assert seats == {0, 1}
    assert len(results) > 300
    assert np.mean(results) < -0.8


def test_gymnasium_takes_it_for_one_of_its_own():
    env = GymEnv(OneSeat(Hand()), seed=3)
    obs, info = env.reset()
    assert env.observation_space.contains(obs)
    total = 0.0
    for _ in range(100):
        action = env.action_space.sample(mask=info["action_mask"])
        obs, reward, terminated, truncated, info = env.step(action)
        total += reward
        if terminated or truncated:
            break
    assert terminated
    assert total in (-1.0, 0.0, 1.0)
    assert isinstance(env, gymnasium.Env)


def test_what_is_no_game_for_two_is_refused():
    with pytest.raises(InvalidParamsError, match="one seat of toy/Walk-v0"):
        OneSeat(Walk())


def test_the_generator_is_the_game_s():
    env = OneSeat(Hand())
    _, state = env.reset(jax.random.key(0))
    other = env.with_generator(state, env.seed_generator(jnp.uint32(1), jnp.uint32(2)))
    assert jax.tree.all(jax.tree.map(lambda a, b: bool((a == b).all()), state.game.hand, other.game.hand))
    assert not bool(env.generator(state)[0] == env.generator(other)[0])
