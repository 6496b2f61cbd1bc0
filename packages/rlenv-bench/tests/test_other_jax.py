"""gymnax's environments as a workload."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_bench.other_jax import GymnaxTask

pytestmark = pytest.mark.l1


def test_a_task_of_gymnax_plays_with_its_own_keys():
    """Two environments with different seeds go apart, whatever key the caller passes; one seed gives one episode."""
    env = GymnaxTask("CartPole-v1")
    assert (env.name, env.num_actions, env.action_space(None).n) == ("gymnax/CartPole-v1", 2, 2)
    words = jnp.array([[1, 2, 1], [3, 4, 3]], jnp.uint32)
    states = jax.vmap(lambda a, b: env.init((a, b), env.default_params))(*words)
    step = jax.jit(jax.vmap(env.step, (None, 0, 0, None)))
    before = np.asarray(states[0])
    obs, states, reward, terminated, truncated, _ = step(
        jax.random.key(0), states, jnp.zeros(3, jnp.int32), env.default_params
    )
    np.testing.assert_array_equal(obs[0], obs[2])
    assert (obs[0] != obs[1]).any()
    assert (np.asarray(states[0]) != before).any(axis=1).all()
    assert (reward == 1).all()
    assert not (terminated | truncated).any()
