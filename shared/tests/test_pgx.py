"""The pgx-style face: pgx's own test, the native environment, and a search by mctx that beats random play."""

from __future__ import annotations

import functools
from typing import Literal

import jax
import jax.numpy as jnp
import mctx
import numpy as np
import pgx._src.api_test
import pytest
from pgx.experimental import auto_reset

from rlenv_games.small_games import Standoff, TakeAway
from rlenv_shared import masking
from rlenv_shared.adapters import pgx as adapter
from rlenv_shared.adapters.pgx import PgxEnv
from rlenv_shared.errors import InvalidParamsError
from rlenv_testing.walk import Reach, Walk

pytestmark = pytest.mark.l1
GAME = PgxEnv(TakeAway())


@pytest.mark.parametrize("env", [GAME, PgxEnv(Walk())], ids=["TakeAway", "Walk"])
@pytest.mark.parametrize("use_key", [True, False])
def test_pgx_s_own_test(env, use_key, monkeypatch):
    # pgx knows a closed list of ids, and draws its own games only
    monkeypatch.setattr(pgx._src.api_test, "EnvId", Literal[env.id])
    monkeypatch.setattr(adapter.State, "save_svg", lambda self, filename: None, raising=False)
    # pgx 2.6.0 draws along axis 1, which one unbatched mask does not have; its test fails on its own games likewise
    monkeypatch.setattr(pgx._src.api_test, "act_randomly", jax.jit(masking.sample_legal))
    if env.env.turn_order.name == "SINGLE":  # it plays on until the game terminates; the walk may time out before
        env = PgxEnv(env.env, env.params.replace(max_steps_in_episode=10_000))
    pgx._src.api_test.api_test(env, num=3, use_key=use_key)


def play(env, keys, turns=64):
    """Random legal play: states ``[turns, batch]`` before each step, actions, states after."""

    def turn(state, key):
        action = masking.sample_legal(key, state.legal_action_mask)
        after = jax.vmap(env.step)(state, action)
        return after, (state, action, after)

    state = jax.vmap(env.init)(keys)
    return jax.lax.scan(turn, state, jax.random.split(keys[0], turns))[1]


@pytest.mark.parametrize("native", [TakeAway(), Walk()], ids=["TakeAway", "Walk"])
def test_it_is_the_native_environment(native):
    env, params = PgxEnv(native), native.default_params
    played = jax.jit(functools.partial(play, env))(jax.random.split(jax.random.key(0), 16))
    states, actions, after = jax.tree.map(np.asarray, played)
    step = jax.jit(jax.vmap(jax.vmap(lambda s, a: native.step_env(jax.random.key(0), s, a, params))))
    obs, env_state, reward, terminated, _ = step(states._env_state, actions)
    running = ~(states.terminated | states.truncated)
    assert running[0].all()
    assert not running.all()
    for ours, theirs in (
        (after.observation, obs),
        (after.rewards, np.reshape(reward, after.rewards.shape)),
        (after.terminated, terminated),
        (after._env_state.time, env_state.time),
        (after._env_state.rng[2], env_state.rng[2]),
    ):
        np.testing.assert_array_equal(ours[running], np.asarray(theirs)[running])
    time_is_up = np.asarray(env_state.time) >= params.max_steps_in_episode
    np.testing.assert_array_equal(after.truncated[running], time_is_up[running])
    masks = np.asarray(jax.vmap(jax.vmap(lambda state: native.legal_actions(state, params)))(env_state))
    ended = after.terminated | after.truncated
    np.testing.assert_array_equal(after.legal_action_mask[running & ~ended], masks[running & ~ended])
    np.testing.assert_array_equal(states._step_count, states._env_state.time)
    # what is over stays as it is
    assert not after.rewards[~running].any()
    np.testing.assert_array_equal(after.observation[~running], states.observation[~running])
    np.testing.assert_array_equal(after._step_count[~running], states._step_count[~running])
    assert after.legal_action_mask[ended].all()


def test_each_player_s_view():
    state = GAME.init(jax.random.key(0))
    for player in range(2):
        np.testing.assert_array_equal(GAME.observe(state, player), [*state.observation[:-1], player])
    np.testing.assert_array_equal(GAME.observe(state), state.observation)
    assert GAME.observation_shape == (23,)
    assert (GAME.num_players, GAME.num_actions, GAME.id, GAME.version) == (2, 3, "game/TakeAway-v0", "0")


def test_pgx_s_auto_reset_goes_on():
    step = jax.jit(jax.vmap(auto_reset(GAME.step, GAME.init)))
    state = jax.vmap(GAME.init)(jax.random.split(jax.random.key(0), 8))
    ends, key = 0, jax.random.key(1)
    for _ in range(40):
        key, choose, chance = jax.random.split(key, 3)
        action = masking.sample_legal(choose, state.legal_action_mask)
        state = step(state, action, jax.random.split(chance, 8))
        ends += int(state.terminated.sum())
        assert (state._step_count[state.terminated] == 0).all()
    assert ends >= 8


def test_a_key_decides_what_chance_does():
    """So a search with fresh keys cannot foresee the wind of `Walk`, and the real step takes the state's own."""
    env = PgxEnv(Walk())
    state = env.init(jax.random.key(3))
    keys = jax.random.split(jax.random.key(1), 64)
    cells = jax.vmap(lambda key: env.step(state, jnp.int32(0), key)._env_state.cell)(keys)
    moved = float(jnp.mean(cells != state._env_state.cell))
    assert 0.05 < moved < 0.5  # the wind blows in a quarter of the steps
    reseeded = jax.vmap(lambda key: env.step(env.reseed(state, key), jnp.int32(0))._env_state.cell)(keys)
    np.testing.assert_array_equal(reseeded, cells)
    alone = [int(env.step(state, jnp.int32(0))._env_state.cell) for _ in range(3)]
    assert len(set(alone)) == 1


@pytest.mark.parametrize("env", [Standoff(), Reach()], ids=["simultaneous", "continuous"])
def test_what_pgx_cannot_express_is_refused(env):
    with pytest.raises(InvalidParamsError, match="pgx adapter of"):
        PgxEnv(env)


# --- search ---------------------------------------------------------------------------------------------------------


def recurrent_fn(env, key, action, state):
    """The environment as its own model: no value function, every legal action equally likely."""
    mover = state.current_player
    after = jax.vmap(env.step)(state, action, jax.random.split(key, len(action)))
    reward = jnp.take_along_axis(after.rewards, mover[:, None], axis=1)[:, 0]
    output = mctx.RecurrentFnOutput(
        reward=reward,
        discount=jnp.where(after.terminated | after.truncated, 0.0, -1.0),  # the other player is to move
        prior_logits=masking.masked_logits(jnp.zeros(after.legal_action_mask.shape), after.legal_action_mask),
        value=jnp.zeros_like(reward),
    )
    return output, after


def search(env, state, key, simulations):
    """mctx's choice in each position."""
    logits = masking.masked_logits(jnp.zeros(state.legal_action_mask.shape), state.legal_action_mask)
    root = mctx.RootFnOutput(prior_logits=logits, value=jnp.zeros(len(logits)), embedding=state)
    return mctx.gumbel_muzero_policy(
        env,
        key,
        root,
        recurrent_fn,
        num_simulations=simulations,
        invalid_actions=~state.legal_action_mask,
        gumbel_scale=0.0,
    ).action


@functools.partial(jax.jit, static_argnames=("games", "simulations"))
def matches(key, games, simulations):
    """Outcome of each game for the player who searches, who is player i % 2 in game i."""
    searcher = jnp.arange(games, dtype=jnp.int32) % 2

    def turn(carry, key):
        state, total = carry
        search_key, random_key = jax.random.split(key)
        thought = search(GAME, state, search_key, simulations)
        action = jnp.where(
            state.current_player == searcher, thought, masking.sample_legal(random_key, state.legal_action_mask)
        )
        state = jax.vmap(GAME.step)(state, action)
        return (state, total + jnp.take_along_axis(state.rewards, searcher[:, None], axis=1)[:, 0]), None

    begin, play = jax.random.split(key)
    state = jax.vmap(GAME.init)(jax.random.split(begin, games))
    (state, total), _ = jax.lax.scan(turn, (state, jnp.zeros(games)), jax.random.split(play, 21))
    return total, state.terminated


def test_a_search_beats_random_play():
    outcome, over = matches(jax.random.key(0), games=128, simulations=32)
    assert over.all()
    assert set(np.unique(outcome)) <= {-1.0, 1.0}
    assert float(jnp.mean(outcome > 0)) > 0.9  # equal players would win half


def test_a_search_finds_the_right_move_near_the_end():
    states = jax.vmap(GAME.init)(jax.random.split(jax.random.key(0), 7))
    piles = jnp.array([1, 2, 3, 5, 6, 7, 5], jnp.int32)
    states = states.replace(
        _env_state=states._env_state.replace(pile=piles),
        legal_action_mask=jnp.arange(3) < piles[:, None],
    )
    right = jax.vmap(TakeAway().right_move)(states._env_state)
    np.testing.assert_array_equal(search(GAME, states, jax.random.key(1), 64), right)
