"""Episode statistics: ours, and gymnax's own wrapper on our native API."""

from __future__ import annotations

import copy

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from gymnax.wrappers import LogWrapper

from rlenv_shared.env import TurnOrder
from rlenv_shared.logging import LogEpisodes
from rlenv_shared.testing.conformance import check_env
from rlenv_shared.testing.walk import RIGHT, Walk

pytestmark = pytest.mark.l1
KEYS = ("returned_episode_returns", "returned_episode_lengths", "returned_episode")


def rollout(env, steps=40, envs=8):
    """Rewards, ends and info [steps, envs] of walking right."""
    step = jax.vmap(env.step, (None, 0, None, None))
    params = env.default_params

    def body(state, _):
        _, state, reward, terminated, truncated, info = step(jax.random.key(0), state, jnp.int32(RIGHT), params)
        return state, (reward, terminated | truncated, {key: info[key] for key in KEYS})

    _, states = jax.vmap(env.reset, (0, None))(jax.random.split(jax.random.key(1), envs), params)
    return jax.jit(lambda states: jax.lax.scan(body, states, length=steps)[1])(states)


def test_counts_equal_a_plain_loop():
    rewards, done, info = jax.tree.map(np.asarray, rollout(LogEpisodes(Walk())))
    total, length, last = np.zeros(8), np.zeros(8, int), (np.zeros(8), np.zeros(8, int))
    assert done.sum() > 30
    for t in range(len(rewards)):
        total, length = total + rewards[t], length + 1
        last = (np.where(done[t], total, last[0]), np.where(done[t], length, last[1]))
        assert np.array_equal(info["returned_episode_returns"][t], last[0])
        assert np.array_equal(info["returned_episode_lengths"][t], last[1])
        assert np.array_equal(info["returned_episode"][t], done[t])
        total, length = np.where(done[t], 0, total), np.where(done[t], 0, length)


def test_gymnax_s_wrapper_runs_on_our_environment_and_agrees():
    theirs = rollout(LogWrapper(Walk()))
    ours = rollout(LogEpisodes(Walk()))
    for a, b in zip(jax.tree.leaves(theirs), jax.tree.leaves(ours), strict=True):
        assert np.array_equal(a, b)


def test_it_conforms_to_the_protocol():
    check_env(LogEpisodes(Walk()))


def test_every_player_has_a_return():
    class Two(Walk):
        turn_order, num_players = TurnOrder.SIMULTANEOUS, 2

        def transition(self, *args):
            state, reward, *rest = super().transition(*args)
            return state, jnp.stack([reward, -reward]), *rest

    rewards, _, info = rollout(LogEpisodes(Two()))
    assert rewards.shape == (40, 8, 2)
    returns = info["returned_episode_returns"]
    assert np.array_equal(returns[..., 0], -returns[..., 1])
    assert np.any(returns)


def test_the_raw_step_counts_and_never_closes_an_episode():
    env = LogEpisodes(Walk())
    params = env.default_params.replace(goal=1)
    _, state = env.reset(jax.random.key(0), params)
    for _ in range(3):
        _, state, _, terminated, _ = env.step_env(jax.random.key(0), state, jnp.int32(RIGHT), params)
    assert terminated
    assert (float(state.episode_return), int(state.episode_length)) == (3, 3)


def test_attributes_are_forwarded_and_foreign_methods_are_not():
    env = LogEpisodes(Walk())
    assert env.name == "toy/Walk-v0"
    with pytest.raises(AttributeError, match=r"try \.env\.render"):
        env.render(None, None)
    assert copy.deepcopy(env).num_actions == 3
