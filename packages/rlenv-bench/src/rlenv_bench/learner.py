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
from rlenv_learn.actors import collect
from rlenv_learn.config import PPOConfig
from rlenv_learn.host import HostTraining
from rlenv_learn.host_env import HostVecEnv
from rlenv_learn.train import native_training
from rlenv_learn.trainer import Training
from rlenv_shared import compiling


def light_config(preset: str, num_envs: int, rollout_length: int) -> PPOConfig:
    """Of one update of one epoch over four minibatches: light, so that the environment's share is not flattered."""
    return PPOConfig(
        total_steps=num_envs * rollout_length,
        num_envs=num_envs,
        rollout_length=rollout_length,
        update_epochs=1,
        num_minibatches=4,
        preset=preset,
        normalise_observations=True,
    )


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


@dataclasses.dataclass
class ActingWorkload(Workload):
    """The acting half of PPO: what the network decides, and the environment's steps; nothing is learned."""

    name: str  # of the workload
    training: Training  # whose rollouts
    settings: Mapping[str, Any]  # for the report
    deterministic: bool = True

    def __post_init__(self) -> None:
        """Its size is that of an update."""
        config = self.training.trainer.config
        self.batch, self.steps = config.num_envs, config.rollout_length

    def compile(self) -> None:
        """Trace, lower and compile."""
        trainer = self.training.trainer
        self._start = self.training.start(0)

        def act(policy: Any, actors: Any, params: Any) -> Any:
            return collect(policy, actors, trainer.game, params, trainer.config)

        given = self._start.learner.policy, self._start.actors, self._start.env_params
        self._act = compiling.jit(act, trainer.env).lower(*given).compile()

    def begin(self) -> None:
        """Go back to the start."""
        self._actors = self._start.actors
        self.finish()

    def call(self) -> None:
        """One rollout, which is kept as a learner needs it."""
        self._actors, self._rollout, _ = self._act(self._start.learner.policy, self._actors, self._start.env_params)

    def finish(self) -> None:
        """Wait for it."""
        jax.block_until_ready(self._actors)

    def checksum(self) -> float:
        """Sum of the rewards of the last rollout."""
        return PPOWorkload.parameter_sum(self._rollout.reward)


def native_acting(env: Any, config: PPOConfig, name: str, **settings: Any) -> ActingWorkload:
    """The acting half of PPO on a JAX environment."""
    return ActingWorkload(name, native_training(env, config), settings)
