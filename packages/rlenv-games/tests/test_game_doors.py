"""Skirmish and Hand by the doors to other libraries: PettingZoo, pgx and mctx, and Gymnasium against an opponent."""

from __future__ import annotations

import functools
import warnings
from typing import Literal

import jax
import jax.numpy as jnp
import mctx
import numpy as np
import pgx._src.api_test
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, seed_test

from rlenv_games import Hand, Skirmish
from rlenv_games.hand import GOAL
from rlenv_games.skirmish_lookahead import lookahead
from rlenv_shared import compiling, masking
from rlenv_shared.adapters import pgx as adapter
from rlenv_shared.adapters.gymnasium import GymEnv
from rlenv_shared.adapters.pettingzoo import PettingZooAEC, PettingZooParallel
from rlenv_shared.adapters.pgx import PgxEnv
from rlenv_shared.one_seat import OneSeat
from rlenv_testing.doors import AnythingGoes, play_parallel, prior, searched_step, unseen

pytestmark = pytest.mark.l1
SKIRMISH, HAND = Skirmish(), Hand()
PGX_HAND = PgxEnv(HAND)


@pytest.fixture(autouse=True)
def _no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # What the checkers say of every environment that is not registered, and of observations with masks.
        texts = ("Observation is not a NumPy array", "Observation space for each agent", ".*no legal actions", ".*spec")
        for text in texts:
            warnings.filterwarnings("ignore", message=text)
        yield


def test_pettingzoo_s_parallel_test_of_skirmish():
    parallel_api_test(PettingZooParallel(SKIRMISH), num_cycles=60)


def test_pettingzoo_s_aec_tests_of_hand():
    api_test(PettingZooAEC(HAND), num_cycles=60)
    seed_test(lambda: PettingZooAEC(HAND), num_cycles=40)


def test_in_skirmish_by_pettingzoo_a_fighter_is_replaced_by_its_player_alone():
    played = play_parallel(PettingZooParallel(SKIRMISH))
    assert played.idle == 0  # steps in which nobody is asked are not shown
    assert played.alone >= 5
    assert sorted(played.rewards.values()) == [-1.0, 1.0]


# --- Gymnasium ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [AnythingGoes(SKIRMISH, lookahead), AnythingGoes(HAND)], ids=["Skirmish", "Hand"])
def test_gymnasium_s_checker(game):
    check_env(GymEnv(game), skip_render_check=True)


def test_random_play_against_who_looks_ahead_by_gymnasium():
    env = GymEnv(OneSeat(SKIRMISH, lookahead), seed=0)
    rng, results = np.random.default_rng(0), []
    for _ in range(12):
        _, info = env.reset()
        done = False
        while not done:
            _, reward, terminated, truncated, info = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
            done = terminated or truncated
        results.append(reward)
    assert np.mean(results) < -0.3


# --- pgx and mctx ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("use_key", [True, False])
def test_pgx_s_own_test_of_hand(use_key, monkeypatch):
    # as in test_pgx.py, which says why
    monkeypatch.setattr(pgx._src.api_test, "EnvId", Literal[PGX_HAND.id])
    monkeypatch.setattr(adapter.State, "save_svg", lambda self, filename: None, raising=False)
    monkeypatch.setattr(pgx._src.api_test, "act_randomly", jax.jit(masking.sample_legal))
    pgx._src.api_test.api_test(PGX_HAND, num=3, use_key=use_key)


def worth(state):
    """Of a position for who is to move: the lead in points."""
    points = state._env_state.points.astype(jnp.float32)
    lead = (points[:, 0] - points[:, 1]) / GOAL
    return jnp.where(state.terminated, 0.0, jnp.where(state.current_player == 0, lead, -lead))


def recurrent_fn(params, key, action, state):
    fields, after = searched_step(PGX_HAND, worth, key, action, state)
    return mctx.RecurrentFnOutput(**fields), after


def search(state, key, simulations):
    """mctx's choice in each position, in one truth that the player cannot tell from the real one."""
    root = mctx.RootFnOutput(prior_logits=prior(state), value=worth(state), embedding=unseen(HAND, key, state))
    found = mctx.gumbel_muzero_policy(
        (), key, root, recurrent_fn, simulations, invalid_actions=~state.legal_action_mask, gumbel_scale=0.0
    )
    return found.action


@functools.partial(compiling.jit, env=HAND, static_argnames=("games", "simulations"))
def matches(key, games, simulations):
    """Result of each game for the player who searches, who is player i % 2 in game i."""
    searcher = jnp.arange(games, dtype=jnp.int32) % 2

    def turn(carry, key):
        state, total = carry
        search_key, random_key = jax.random.split(key)
        drawn = masking.sample_legal(random_key, state.legal_action_mask)
        action = jnp.where(state.current_player == searcher, search(state, search_key, simulations), drawn)
        state = jax.vmap(PGX_HAND.step)(state, action)
        return (state, total + jnp.take_along_axis(state.rewards, searcher[:, None], axis=1)[:, 0]), None

    begin, play = jax.random.split(key)
    state = jax.vmap(PGX_HAND.init)(jax.random.split(begin, games))
    (state, total), _ = jax.lax.scan(turn, (state, jnp.zeros(games)), jax.random.split(play, 48))
    return total, state.terminated


def test_a_search_beats_random_play_in_hand():
    result, over = matches(jax.random.key(0), games=128, simulations=24)
    assert over.all()
    assert float(jnp.mean(result)) > 0.3  # equal players: 0, with a standard error of 0.09
