"""`RecordEpisodeStatistics` on every environment's vectors: Gymnasium's loses a step of each episode, ours none."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import vector as theirs

import acrobot_jax
import cartpole_jax
import emurust
import halfcheetah_jax
import puffer_pong
from rlenv_shared.adapters import wrappers

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]

MADE: dict[str, tuple[Any, dict[str, Any], int]] = {
    "acrobot_jax/Acrobot-v1": (acrobot_jax, {"params": acrobot_jax.EnvParams(max_steps_in_episode=9)}, 40),
    "cartpole_jax/CartPole-v1": (cartpole_jax, {}, 150),
    "halfcheetah_jax/HalfCheetah-v5": (halfcheetah_jax, {"max_episode_steps": 5}, 16),
    "puffer_pong/Pong-v0": (puffer_pong, {"frameskip": 8, "max_score": 1}, 400),
    "emurust/Windfall-v0": (emurust, {"max_episode_steps": 6}, 19),
}
"""Packages, options for short episodes, and steps in which several end; by id."""
FIXED = tuple(map(int, gymnasium.__version__.split(".")[:2])) >= (1, 4)


@pytest.mark.parametrize("env_id", MADE)
def test_lengths_and_returns_are_those_that_one_counts_oneself(env_id):
    _, options, steps = MADE[env_id]
    made = [gymnasium.make_vec(env_id, num_envs=3, vectorization_mode="vector_entry_point", **options) for _ in "ab"]
    wrong, right = theirs.RecordEpisodeStatistics(made[0], 9999), wrappers.RecordEpisodeStatistics(made[1], 9999)
    for env in (wrong, right):
        env.reset(seed=1)
    wrong.action_space.seed(0)
    lengths, returns, counted = np.zeros(3, int), np.zeros(3), []
    for _ in range(steps):
        actions = wrong.action_space.sample()
        wrong.step(actions)
        _, reward, terminated, truncated, info = right.step(actions)
        lengths, returns, done = lengths + 1, returns + reward, terminated | truncated
        if done.any():
            assert np.array_equal(info["episode"]["l"][done], lengths[done])
            assert np.allclose(info["episode"]["r"][done], returns[done])
            counted += lengths[done].tolist()
            lengths, returns = np.where(done, 0, lengths), np.where(done, 0, returns)
    assert list(right.length_queue) == counted
    assert len(counted) > 3
    if not FIXED:
        assert sum(wrong.length_queue) == sum(counted) - (len(counted) - 3)
