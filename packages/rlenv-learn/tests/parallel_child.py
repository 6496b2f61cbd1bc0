"""A process of test_ppo_parallel.py: trains on its share of the devices and writes what came out.

Usage: parallel_child.py OUT DEVICES [PROCESSES INDEX PORT]; DEVICES are those of this process.
"""

from __future__ import annotations

import os
import sys

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_learn import PPOConfig, probes, train
from rlenv_shared import spaces
from rlenv_testing import quick


class Payout(probes.Discounting):
    """Pays the cue, which is seen from the start, in the last step.

    Environments see and get different things, so that moments over some of them are not those of all; but no action
    matters, so that rounding errors of the parameters do not change what happens.
    """

    def reward(self, state, action):
        return super().reward(state, action) * state.cue

    def observe(self, state, player, params):
        return jnp.concatenate([super().observe(state, player, params), state.cue[None]])

    def observation_space(self, params):
        return spaces.Box(-1.0, 1.0, (2,))


CONFIG = PPOConfig(
    total_steps=64 * 8 * 4,
    num_envs=64,
    rollout_length=8,
    num_minibatches=2,
    update_epochs=2,
    learning_rate=5e-3,
    gamma=0.9,
    normalise_observations=True,
    normalise_returns=True,
    seed=5,
)
ENV = Payout(3)


def outcome(devices: int | None) -> dict[str, np.ndarray]:
    """Metrics ``[updates]`` and the policy's leaves after training."""
    with quick.compiled_with(quick.BARELY):
        result = train(ENV, CONFIG, devices=devices)
    metrics = {
        name: np.array([float(record[name]) for record in result.records])
        for name, value in result.records[0].items()
        if name != "timing" and value is not None
    }
    leaves = {
        "policy" + jax.tree_util.keystr(path): np.asarray(leaf)
        for path, leaf in jax.tree_util.tree_leaves_with_path(result.policy)
    }
    return {**metrics, **leaves}


def main(out: str, devices: str, processes: str = "1", index: str = "0", port: str = "0") -> None:
    """Train on all devices of all processes; the first process writes."""
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={devices}"
    if int(processes) > 1:
        jax.distributed.initialize(f"127.0.0.1:{port}", int(processes), int(index))
    result = outcome(jax.device_count())
    if index == "0":
        np.savez(out, device_count=jax.device_count(), process_count=jax.process_count(), **result)


if __name__ == "__main__":
    main(*sys.argv[1:])
