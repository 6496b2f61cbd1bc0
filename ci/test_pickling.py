"""`pickle`, cloudpickle and `copy.deepcopy` of what Gymnasium makes: the copy goes on as the original does."""

from __future__ import annotations

import copy
import functools
import multiprocessing
import pickle
from typing import Any

import cloudpickle
import gymnasium
import jax
import numpy as np
import pytest

import acrobot_jax
import cartpole_jax
import emurust
import halfcheetah_jax
import puffer_pong

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]

IDS = {
    "acrobot_jax/Acrobot-v1": acrobot_jax,
    "cartpole_jax/CartPole-v1": cartpole_jax,
    "halfcheetah_jax/HalfCheetah-v5": halfcheetah_jax,
    "puffer_pong/Pong-v0": puffer_pong,
    "emurust/Windfall-v0": emurust,
}
"""pokejax's and tcgjax's adapter is tested with games that compile fast: `rlenv_games/tests/test_seat.py`."""


def copies(env: Any) -> list[Any]:
    """Made in every way."""
    return [pickle.loads(pickle.dumps(env)), pickle.loads(cloudpickle.dumps(env)), copy.deepcopy(env)]


def begun(env: Any, decisions: int) -> tuple[list[Any], list[Any]]:
    """Copies of what has made five steps, and the actions of the steps to come."""
    env.reset(seed=3)
    env.action_space.seed(0)
    actions = [env.action_space.sample() for _ in range(decisions)]
    for action in actions[:5]:
        env.step(action)
    return copies(env), actions[5:]


def equal(one: Any, other: Any) -> bool:
    return jax.tree.all(jax.tree.map(np.array_equal, one, other))


@pytest.mark.parametrize("env_id", IDS)
def test_a_copy_of_one_environment_goes_on_alike(env_id):
    env = gymnasium.make(env_id)
    others, actions = begun(env, 40)
    for action in actions:
        step = env.step(action)
        assert all(equal(step[:4], other.step(action)[:4]) for other in others)
        if step[2] or step[3]:
            first = env.reset()[0]
            assert all(equal(first, other.reset()[0]) for other in others)


@pytest.mark.parametrize("env_id", IDS)
def test_a_copy_of_many_goes_on_alike(env_id):
    env = gymnasium.make_vec(env_id, num_envs=3, vectorization_mode="vector_entry_point")
    assert all(other.num_envs == 3 for other in copies(env))  # also before it has begun
    others, actions = begun(env, 30)
    for action in actions:
        step = env.step(action)
        assert all(equal(step[:4], other.step(action)[:4]) for other in others)


def play_on(env: Any, action: Any) -> Any:
    return env.step(action)[0]


@pytest.mark.optimised  # as the other process does
def test_another_process_goes_on_alike():
    env = gymnasium.make("cartpole_jax/CartPole-v1")
    env.reset(seed=1)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        there = pool.apply(play_on, (env, 1))
    assert equal(there, env.step(1)[0])


def test_spawned_workers_of_an_async_vector():
    made = functools.partial(gymnasium.make, "cartpole_jax:cartpole_jax/CartPole-v1")
    env = gymnasium.vector.AsyncVectorEnv([made] * 2, context="spawn")
    try:
        env.reset(seed=[0, 1])
        assert env.step(np.array([0, 1]))[0].shape == (2, 4)
    finally:
        env.close()
