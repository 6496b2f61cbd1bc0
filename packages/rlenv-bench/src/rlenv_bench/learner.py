"""Workloads that measure training end to end: rollouts, learning and everything between them.

One call is one PPO update.  Beside a workload that only steps the environment at the same batch, the ratio of the two
speeds is the share of an iteration that the environment takes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import jax
import numpy as np

from rlenv_bench.workloads import Workload
from rlenv_learn.config import PPOConfig
from rlenv_learn.host import HostTraining, HostVecEnv
from rlenv_learn.train import native_training
from rlenv_learn.trainer import Training


@dataclasses.dataclass
class PPOWorkload(Workload):
    """PPO on one environment, native or host."""

    name: str  # of the workload
    training: Training | HostTraining  # what one update does
    config: PPOConfig  # hyper-parameters
    deterministic: bool  # equal blocks give equal parameters; a host environment with a process-wide generator does not
    settings: Mapping[str, Any]  # for the report

    def __post_init__(self) -> None:
        """Its size is that of an update."""
        self.batch, self.steps = self.config.num_envs, self.config.rollout_length

    def compile(self) -> None:
        """Do one update: there is no other way to compile all programs of a host run."""
        self.begin()
        self.call()
        self.finish()

    def begin(self) -> None:
        """Start training anew; a large network takes seconds to initialise, which are not the update's."""
        self._state = self.training.start(self.config.seed)
        self.finish()

    def call(self) -> None:
        """One update."""
        self._state, _ = self.training.advance(self._state, 1)  # type: ignore[arg-type]

    def finish(self) -> None:
        """Wait for it."""
        jax.block_until_ready(self._state)

    def checksum(self) -> float:
        """Sum of all parameters."""
        return self.parameter_sum(self._state.learner.policy)

    @staticmethod
    def parameter_sum(policy: Any) -> float:
        """Sum over every array of a policy."""
        return float(sum(np.sum(np.asarray(leaf), dtype=np.float64) for leaf in jax.tree.leaves(policy)))


def native_ppo(env: Any, config: PPOConfig, name: str, **settings: Any) -> PPOWorkload:
    """PPO on a JAX environment."""
    return PPOWorkload(name, native_training(env, config), config, True, settings)


def host_ppo(env: HostVecEnv, config: PPOConfig, name: str, **settings: Any) -> PPOWorkload:
    """PPO on a host vector environment."""
    return PPOWorkload(name, HostTraining(env, config), config, False, settings)
