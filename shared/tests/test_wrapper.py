"""Wrappers: gymnax's own on our native API, and what ours forward."""

from __future__ import annotations

import copy

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from gymnax.wrappers import LogWrapper

from rlenv_shared.reset_pool import ResetPool
from rlenv_testing.walk import RIGHT, Walk

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


def test_gymnax_s_counts_of_episodes_equal_a_plain_loop():
    rewards, done, info = jax.tree.map(np.asarray, rollout(LogWrapper(Walk())))
    total, length, last = np.zeros(8), np.zeros(8, int), (np.zeros(8), np.zeros(8, int))
    assert done.sum() > 30
    for t in range(len(rewards)):
        total, length = total + rewards[t], length + 1
        last = (np.where(done[t], total, last[0]), np.where(done[t], length, last[1]))
        assert np.array_equal(info["returned_episode_returns"][t], last[0])
        assert np.array_equal(info["returned_episode_lengths"][t], last[1])
        assert np.array_equal(info["returned_episode"][t], done[t])
        total, length = np.where(done[t], 0, total), np.where(done[t], 0, length)


def test_attributes_are_forwarded_and_foreign_methods_are_not():
    env = ResetPool(Walk(), 8)
    assert env.name == "toy/Walk-v0"
    with pytest.raises(AttributeError, match=r"try \.env\.render"):
        env.render(None, None)
    assert copy.deepcopy(env).num_actions == 3
