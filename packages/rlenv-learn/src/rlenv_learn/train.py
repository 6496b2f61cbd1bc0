"""PPO on native JAX environments: rollout, learning and everything between them in one compiled loop."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Unpack

import jax
import jax.numpy as jnp

from rlenv_learn import during, loop, playing
from rlenv_learn.checkpoint import Identity, digest
from rlenv_learn.config import PPOConfig, SelfPlayConfig
from rlenv_learn.loop import RunKeywords, RunOptions
from rlenv_learn.policy import Policy
from rlenv_learn.progress import Record
from rlenv_learn.trainer import Curriculum, ManyTrainings, Schedule, Trainer, Training, TrainState
from rlenv_shared.errors import InvalidParamsError

SNAPSHOT_FILE: Final = "snapshot-{}.npz"
"""Of a policy on the way, in the run directory, by its number of updates."""


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
    begin_with: Policy | None = None,
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
        begin_with: a policy of the same spaces and network, in place of a new one; of a game, the pool begins with it.
        **run: fields of :class:`~rlenv_learn.loop.RunOptions`.

    Raises:
        InvalidParamsError: unsupported environment, impossible ``devices``, ``run_dir`` in use or of several processes,
            or ``begin_with`` of other spaces or another network.
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
    directory = None if options.run_dir is None else Path(options.run_dir)
    kept = _Snapshots(training.policy, directory)
    evaluator = None
    if options.evaluation is not None:
        play = playing.on_native(
            options.evaluation, env, training.env_params, None if selfplay is None else selfplay.scripts
        )
        evaluator = during.Evaluator(options.evaluation, config, play, training.policy, directory)
    state, records = loop.run(
        training.advance,
        _begun(training.start(config.seed), begin_with),
        identity,
        options,
        keep_snapshot=kept.keep,
        evaluator=evaluator,
    )
    best = None if evaluator is None else evaluator.best
    return TrainResult(training.policy(state), records, kept.upto(config.num_updates), best)


def _begun(state: TrainState, policy: Policy | None) -> TrainState:
    """The state before the first update, with another policy to begin with."""
    if policy is None:
        return state

    def described(one: Policy) -> Any:
        return one.interface, jax.tree.structure(one.params), [leaf.shape for leaf in jax.tree.leaves(one.params)]

    if described(policy) != described(state.learner.policy):
        expected, remedy = "the spaces and the network of this run", "set its preset, activation and embedding"
        raise InvalidParamsError("begin_with", "a policy of others", expected, remedy)
    own = jax.tree.map(
        lambda old, new: jnp.array(new, old.dtype), state.learner.policy, policy
    )  # a copy: consumed, too
    pool = state.pool
    if pool is not None:
        pool = jax.tree.map(lambda old, new: jnp.array(jnp.broadcast_to(new, old.shape)), pool, own)
    return state.replace(learner=state.learner.replace(policy=own), pool=pool)


class _Snapshots:
    """Policies on the way, by number of updates; in the run directory, if there is one, for a run that is resumed."""

    def __init__(self, policy_of: Callable[[TrainState], Policy], directory: Path | None) -> None:
        self._policy_of, self._directory = policy_of, directory
        self._kept: dict[int, Policy] = {}

    def keep(self, update: int, state: TrainState) -> None:
        self._kept[update] = jax.tree.map(jnp.copy, self._policy_of(state))  # the next update consumes the state
        if self._directory is not None:
            self._kept[update].save(self._directory / SNAPSHOT_FILE.format(update))

    def upto(self, last: int) -> dict[int, Policy]:
        if self._directory is not None:
            for path in self._directory.glob(SNAPSHOT_FILE.format("*")):
                update = int(path.stem.rpartition("-")[2])
                if update <= last and update not in self._kept:
                    self._kept[update] = Policy.load(path)
        return dict(sorted(self._kept.items()))


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
    curriculum: Curriculum | None = None,
) -> ManyResult:
    """Train a policy for each of distinct seeds in one program; ``config.seed`` is not read; the rest as `train`."""
    seeds = tuple(int(seed) for seed in seeds)
    if not seeds or len(set(seeds)) != len(seeds) or not all(0 <= seed < 2**32 for seed in seeds):
        raise InvalidParamsError("seeds", seeds, "distinct integers in [0, 2**32)", "pass e.g. range(10)")
    trainer = Trainer.create(env, config, env.default_params, selfplay, None, curriculum)
    training = ManyTrainings(trainer, env.default_params)
    records: list[list[Record]] = [[] for _ in seeds]
    state = loop.run_many(training.advance, training.start(seeds), records, env.name, config)
    return ManyResult(seeds, state.learner.policy, records)
