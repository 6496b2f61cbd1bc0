"""Benchmark workloads that train."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

from rlenv_bench.harness import Timing, measure
from rlenv_bench.learner import native_ppo
from rlenv_learn import PPOConfig, train
from rlenv_learn.probes import ActionReward

pytestmark = pytest.mark.l1


def test_a_call_is_one_update_of_the_trainer(tmp_path):
    config = PPOConfig(total_steps=256, num_envs=16, rollout_length=16, num_minibatches=2)
    workload = native_ppo(ActionReward(), config, "probe", what="PPO")
    (run,) = measure([workload], Timing(blocks=2, block_s=0.01, lock=tmp_path / "lock"))
    assert (run.batch, run.steps_per_call, run.deterministic) == (16, 256, True)
    workload.begin()
    workload.call()
    trained = train(ActionReward(), config).policy  # one update too
    assert workload.checksum() == workload.parameter_sum(trained)


def test_initialising_the_network_is_not_part_of_the_first_update():
    config = PPOConfig(total_steps=256, num_envs=16, rollout_length=16, num_minibatches=2)
    workload = native_ppo(ActionReward(), config, "probe", what="PPO")
    initialise = jax.jit(slow_start)
    workload.training.start = lambda seed: initialise(jnp.float32(seed))
    workload.begin()
    assert workload._state.is_ready()


def slow_start(x):
    """A computation that is dispatched long before it ends."""
    return jax.lax.fori_loop(0, 300, lambda _, y: jnp.tanh(y @ y), jnp.full((300, 300), x))
