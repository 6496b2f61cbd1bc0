"""PPO on native JAX environments: rollout, learning and everything between them in one compiled loop."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack

import jax
import jax.numpy as jnp

from rlenv_learn import during, loop, playing
from rlenv_learn.checkpoint import Identity, digest
from rlenv_learn.config import PPOConfig, SelfPlayConfig
from rlenv_learn.loop import RunKeywords, RunOptions
from rlenv_learn.policy import Policy
from rlenv_learn.progress import Record
from rlenv_learn.trainer import Curriculum, ManyTrainings, Schedule, Trainer, Training
from rlenv_shared.errors import InvalidParamsError


@dataclasses.dataclass(frozen=True)
class TrainResult:
    """Outcome of a run."""

    policy: Policy  # the trained policy
    records: list[Record]  # metrics record of each update
    snapshots: dict[int, Policy] = dataclasses.field(default_factory=dict)  # on the way, by number of updates
    best: Policy | None = None  # the one with the highest return of an evaluation during training, if there were any

    @property
    def evaluations(self) -> dict[int, dict[str, Any]]:
        """Evaluations during training, by environment steps; see `rlenv_learn.during.Evaluator.measure`."""
        return {record["step"]: record["evaluation"] for record in self.records if "evaluation" in record}


@dataclasses.dataclass(frozen=True)
class ManyResult:
    """Outcome of several runs."""

    seeds: tuple[int, ...]  # their seeds
    policies: Policy  # the policies, each leaf stacked along a first axis of length ``len(seeds)``
    records: list[list[Record]]  # for each seed, the metrics record of each update

    def policy(self, index: int) -> Policy:
        """The policy of ``seeds[index]``."""
        return jax.tree.map(lambda leaf: leaf[index], self.policies)


def train(
    env: Any,
    config: PPOConfig,
    params: Any = None,
    *,
    selfplay: SelfPlayConfig | None = None,
    schedule: Schedule | None = None,
    curriculum: Curriculum | None = None,
    devices: int | Sequence[Any] | None = None,
    **run: Unpack[RunKeywords],
) -> TrainResult:
    """Train one policy.

    A run with ``run_dir`` that was killed continues with ``resume=True`` on the same curve, bit for bit.  In a game,
    ``episode_return`` in the records is the learner's mean result against its opponents.

    Args:
        env: native environment (:class:`rlenv_shared.env.Env`), hashable.
        config: hyper-parameters.  Of a game, ``num_envs`` is a multiple of the number of opponents.
        params: environment parameters; the defaults when None.
        selfplay: the opponents of a game for two players; None for one player.
        schedule: from refreshed parameters and the progress to those the next rollout is played with.
        curriculum: from the parameters and an update's sums over episodes (``episodes``, ``return_sum``, …) to those of
            the next updates, and to numbers for the record.
        devices: how many devices, or which, share the environments (:mod:`rlenv_learn.parallel`); their number divides
            ``num_envs / num_minibatches``.  One, without any of that, where None.
        **run: fields of :class:`~rlenv_learn.loop.RunOptions`.

    Raises:
        InvalidParamsError: unsupported environment, impossible ``devices``, ``run_dir`` in use or of several processes.
        SnapshotVersionError: the checkpoint to resume from cannot be used.
        NonFiniteLossError: training diverged.
    """
    options = RunOptions(**run)
    training = native_training(
        env, config, params, selfplay=selfplay, schedule=schedule, curriculum=curriculum, devices=devices
    )
    if options.run_dir is not None and jax.process_count() > 1:
        expected = "None where several processes train together"
        remedy = "keep the returned records and policy, which every process has, from one of them"
        raise InvalidParamsError("run_dir", f"one for {jax.process_count()} processes", expected, remedy)
    kind = "native" if selfplay is None else _describe(selfplay)
    identity = Identity(kind, env.name, env.version, digest(training.env_params), training.trainer.interface, config)
    snapshots: dict[int, Policy] = {}
    evaluator = None
    if options.evaluation is not None:
        play = playing.on_native(
            options.evaluation, env, training.env_params, None if selfplay is None else selfplay.scripts
        )
        directory = None if options.run_dir is None else Path(options.run_dir)
        evaluator = during.Evaluator(options.evaluation, config, play, training.policy, directory)
    state, records = loop.run(
        training.advance,
        training.start(config.seed),
        identity,
        options,
        # a copy: the next update consumes the state
        keep_snapshot=lambda update, state: snapshots.update({update: jax.tree.map(jnp.copy, training.policy(state))}),
        evaluator=evaluator,
    )
    return TrainResult(training.policy(state), records, snapshots, None if evaluator is None else evaluator.best)


def native_training(
    env: Any,
    config: PPOConfig,
    params: Any = None,
    *,
    selfplay: SelfPlayConfig | None = None,
    schedule: Schedule | None = None,
    curriculum: Curriculum | None = None,
    devices: int | Sequence[Any] | None = None,
) -> Training:
    """A run as a start and a step; arguments and errors are those of :func:`train`."""
    env_params = env.default_params if params is None else params
    trainer = Trainer.create(env, config, env_params, selfplay, schedule, curriculum)
    if devices is None:
        return Training(trainer, env_params)
    from rlenv_learn.parallel import ShardedTraining

    return ShardedTraining(trainer, env_params, devices)


def _describe(selfplay: SelfPlayConfig) -> str:
    scripts = ", ".join(getattr(script, "__qualname__", repr(script)) for script in selfplay.scripts)
    pool = f"self-play, pool of {selfplay.pool_size}, snapshot every {selfplay.snapshot_every}"
    return f"{pool}, scripts {scripts}" if scripts else pool


def train_many(
    env: Any,
    config: PPOConfig,
    seeds: Sequence[int],
    *,
    selfplay: SelfPlayConfig | None = None,
) -> ManyResult:
    """Train a policy for each of distinct seeds in one program; ``config.seed`` is not read; errors as `train`."""
    seeds = tuple(int(seed) for seed in seeds)
    if not seeds or len(set(seeds)) != len(seeds) or not all(0 <= seed < 2**32 for seed in seeds):
        raise InvalidParamsError("seeds", seeds, "distinct integers in [0, 2**32)", "pass e.g. range(10)")
    training = ManyTrainings(Trainer.create(env, config, env.default_params, selfplay), env.default_params)
    records: list[list[Record]] = [[] for _ in seeds]
    state = loop.run_many(training.advance, training.start(seeds), records, env.name, config)
    return ManyResult(seeds, state.learner.policy, records)
