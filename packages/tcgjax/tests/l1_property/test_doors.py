"""The doors to other libraries: Gymnasium with the heuristic, PettingZoo, pgx and mctx; and the conformance suite."""

from __future__ import annotations

import functools
import warnings

import jax
import jax.numpy as jnp
import mctx
import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from rlenv_shared import compiling
from rlenv_shared.adapters.gymnasium import GymEnv
from rlenv_shared.adapters.pettingzoo import PettingZooAEC
from rlenv_shared.adapters.pgx import PgxEnv
from rlenv_shared.one_seat import OneSeat
from rlenv_testing.conformance import check_env
from rlenv_testing.doors import prior, searched_step, unseen
from tcgjax import heuristic
from tcgjax.codec import CODEC
from tcgjax.verification.random_play import ENV

# Each compiles the game into a program of its own, which takes minutes.
pytestmark = [pytest.mark.l1, pytest.mark.slow, pytest.mark.timeout(0)]
PGX = PgxEnv(ENV)


def test_random_play_mostly_loses_against_the_heuristic_by_gymnasium():
    env, rng, results = GymEnv(OneSeat(ENV, heuristic.script), seed=0), np.random.default_rng(0), []
    for _ in range(30):
        observation, info = env.reset()
        done = False
        while not done:
            assert observation in env.observation_space
            action = int(rng.choice(np.flatnonzero(info["action_mask"])))
            observation, reward, terminated, truncated, info = env.step(action)
            done = terminated or truncated
        results.append(reward)
    assert np.mean(results) < -0.3


def test_pettingzoo_s_tests():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Observation")
        api_test(PettingZooAEC(ENV), num_cycles=100)
        seed_test(lambda: PettingZooAEC(ENV), num_cycles=40)


def test_a_game_by_pgx():
    step = compiling.jit(PGX.step, ENV)
    state, rng = compiling.jit(PGX.init, ENV)(jax.random.key(3)), np.random.default_rng(0)
    for number in range(1000):
        action = int(rng.choice(np.flatnonzero(state.legal_action_mask)))
        state = step(state, action, jax.random.key(number))
        if state.terminated:
            break
    assert state.terminated
    assert state.legal_action_mask.all()
    assert sorted(state.rewards.tolist()) in ([-1.0, 1.0], [0.0, 0.0])


def worth(state):
    """Of a position for who is to move: the lead in points."""
    points = jax.vmap(lambda words: CODEC.unpack(words).points)(state._env_state)
    lead = (points[:, 0] - points[:, 1]).astype(jnp.float32) / 3
    return jnp.where(state.terminated, 0.0, jnp.where(state.current_player == 0, lead, -lead))


def recurrent_fn(params, key, action, state):
    fields, after = searched_step(PGX, worth, key, action, state)
    return mctx.RecurrentFnOutput(**fields), after


@functools.partial(compiling.jit, env=ENV, static_argnames=("simulations",))
def search(state, key, simulations):
    """mctx's choice in each position, in one truth that the player cannot tell from the real one."""
    root = mctx.RootFnOutput(prior_logits=prior(state), value=worth(state), embedding=unseen(ENV, key, state))
    masks = ~state.legal_action_mask
    return mctx.gumbel_muzero_policy((), key, root, recurrent_fn, simulations, invalid_actions=masks).action


def test_a_small_search_chooses_legal_actions():
    state = compiling.jit(jax.vmap(PGX.init), ENV)(jax.random.split(jax.random.key(0), 8))
    action = search(state, jax.random.key(1), simulations=8)
    assert state.legal_action_mask[np.arange(8), action].all()


def test_conformance():
    check_env(ENV, num_steps=160, num_envs=4)
