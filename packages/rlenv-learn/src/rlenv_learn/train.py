"""PPO on native JAX environments: rollout, learning and everything between them in one compiled loop."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any, Unpack

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_learn import loop
from rlenv_learn.actors import Actors, collect
from rlenv_learn.checkpoint import Identity, digest
from rlenv_learn.collectives import total
from rlenv_learn.config import PPOConfig
from rlenv_learn.interface import Interface
from rlenv_learn.learner import Learner, Metrics, learn
from rlenv_learn.loop import RunKeywords, RunOptions
from rlenv_learn.policy import Policy
from rlenv_learn.progress import Record
from rlenv_shared.errors import InvalidParamsError, explain
from rlenv_shared.struct import Replaceable, pytree_dataclass


@pytree_dataclass
class TrainState(Replaceable):
    """Everything a run consists of: saved and restored, it continues bit for bit."""

    learner: Learner
    actors: Actors


@dataclasses.dataclass(frozen=True)
class TrainResult:
    """Outcome of a run.

    Attributes:
        policy: the trained policy.
        records: metrics record of each update.
    """

    policy: Policy
    records: list[Record]


@dataclasses.dataclass(frozen=True)
class ManyResult:
    """Outcome of several runs.

    Attributes:
        seeds: their seeds.
        policies: the policies, each leaf stacked along a first axis of length ``len(seeds)``.
        records: for each seed, the metrics record of each update.
    """

    seeds: tuple[int, ...]
    policies: Policy
    records: list[list[Record]]

    def policy(self, index: int) -> Policy:
        """The policy of ``seeds[index]``."""
        return jax.tree.map(lambda leaf: leaf[index], self.policies)


def initial_state(seed: Any, env_params: Any, env: Any, interface: Interface, config: PPOConfig) -> TrainState:
    """Training state before the first update; ``seed`` is an uint32 scalar and may be traced."""
    learner = Learner.create(interface, config, seed)
    return TrainState(learner, Actors.create(env, env_params, learner.policy, seed, config.num_envs))


def advance(
    state: TrainState, env_params: Any, updates: Any, env: Any, config: PPOConfig, shards: str | None = None
) -> tuple[TrainState, Metrics]:
    """Do ``updates`` ≤ MAX_CHUNK updates, traceable; ``shards`` names the axis where environments are spread."""

    def update(state: TrainState) -> tuple[TrainState, Metrics]:
        actors, rollout, episodes = collect(state.learner.policy, state.actors, env, env_params, config)
        learner, metrics = learn(state.learner, rollout, config, shards)
        return TrainState(learner, actors), {**total(episodes, shards), **metrics}

    return loop.repeat(update, state, updates)


_STATIC = ("env", "config")
_initial = jax.jit(initial_state, static_argnames=("env", "interface", "config"))
_advance_one = jax.jit(advance, static_argnames=_STATIC, donate_argnames="state")


@functools.partial(jax.jit, static_argnames=("env", "interface", "config"))
def _initial_many(seeds: Any, env_params: Any, env: Any, interface: Interface, config: PPOConfig) -> TrainState:
    return jax.vmap(lambda seed: initial_state(seed, env_params, env, interface, config))(seeds)


@functools.partial(jax.jit, static_argnames=_STATIC, donate_argnames="state")
def _advance_many(
    state: TrainState, env_params: Any, updates: Any, env: Any, config: PPOConfig
) -> tuple[TrainState, Metrics]:
    return jax.vmap(lambda one: advance(one, env_params, updates, env, config))(state)


def _prepare(env: Any, config: PPOConfig, params: Any) -> tuple[Any, Interface, PPOConfig]:
    """Environment parameters, sizes, and the configuration as compiled programs see it: equal for all seeds."""
    params = env.default_params if params is None else params
    return params, Interface.from_env(env, params), config.replace(seed=0)


class NativeTraining:
    """One training run as a start and a step, for :func:`train` and for benchmarks."""

    def __init__(self, env: Any, config: PPOConfig, params: Any = None) -> None:
        """Prepare a run on a native environment; arguments and errors are those of :func:`train`."""
        self._env = env
        self.env_params, self.interface, self._compiled = _prepare(env, config, params)

    def start(self, seed: int) -> TrainState:
        """State before the first update."""
        return _initial(
            jnp.uint32(seed), self.env_params, env=self._env, interface=self.interface, config=self._compiled
        )

    def advance(self, state: TrainState, count: int) -> tuple[TrainState, dict[str, np.ndarray]]:
        """Do ``count`` ≤ MAX_CHUNK updates, consuming ``state``; the first ``count`` entries of metrics are theirs."""
        state, metrics = _advance_one(state, self.env_params, jnp.int32(count), env=self._env, config=self._compiled)
        return state, jax.tree.map(np.asarray, metrics)

    def policy(self, state: TrainState) -> Policy:
        """The policy in a state."""
        return state.learner.policy


def train(
    env: Any,
    config: PPOConfig,
    params: Any = None,
    *,
    devices: int | Sequence[Any] | None = None,
    **run: Unpack[RunKeywords],
) -> TrainResult:
    """Train one policy.

    A run with ``run_dir`` that was killed continues with ``resume=True`` on the same curve, bit for bit.

    Args:
        env: native environment (:class:`rlenv_shared.protocol.Env`), one player, hashable.
        config: hyper-parameters.
        params: environment parameters; the defaults when None.
        devices: how many devices, or which, share the environments (:mod:`rlenv_learn.parallel`); their number
            divides ``num_envs / num_minibatches``.  One, without any of that, where None.
        **run: ``run_dir``, ``resume``, ``show_progress``, ``checkpoint_every``, ``keep``, ``log`` and
            ``checkpoint_format``: see :class:`~rlenv_learn.loop.RunOptions`.

    Raises:
        InvalidParamsError: unsupported environment, a ``run_dir`` that is in use or shared by several processes, or
            impossible ``devices``.
        SnapshotVersionError: the checkpoint to resume from cannot be used.
        NonFiniteLossError: training diverged.
    """
    options = RunOptions(**run)
    training = _training(env, config, params, devices)
    if options.run_dir is not None and jax.process_count() > 1:
        raise InvalidParamsError(
            explain(
                "run_dir",
                got=f"one for {jax.process_count()} processes",
                expected="None where several processes train together",
                remedy="keep the returned records and policy, which every process has, from one of them",
            )
        )
    identity = Identity("native", env.name, env.version, digest(training.env_params), training.interface, config)
    state, records = loop.run(training.advance, training.start(config.seed), identity, options)
    return TrainResult(training.policy(state), records)


def _training(env: Any, config: PPOConfig, params: Any, devices: int | Sequence[Any] | None) -> NativeTraining:
    if devices is None:
        return NativeTraining(env, config, params)
    from rlenv_learn.parallel import ShardedTraining

    return ShardedTraining(env, config, devices, params)


def train_many(
    env: Any, config: PPOConfig, seeds: Sequence[int], params: Any = None, *, show_progress: bool = False
) -> ManyResult:
    """Train one policy per seed, all at once in one compiled program.

    Args:
        env: native environment, one player, hashable.
        config: hyper-parameters; its seed is not read.
        seeds: distinct seeds, 0 <= seed < 2**32.
        params: environment parameters; the defaults when None.
        show_progress: show a progress bar with the mean return over seeds.

    Raises:
        InvalidParamsError: unsupported environment, or bad seeds.
        NonFiniteLossError: training diverged for some seed.
    """
    seeds = tuple(int(seed) for seed in seeds)
    if not seeds or len(set(seeds)) != len(seeds) or not all(0 <= seed < 2**32 for seed in seeds):
        raise InvalidParamsError(
            explain("seeds", got=seeds, expected="distinct integers in [0, 2**32)", remedy="pass e.g. range(10)")
        )
    env_params, interface, compiled = _prepare(env, config, params)
    state = _initial_many(jnp.asarray(seeds, jnp.uint32), env_params, env=env, interface=interface, config=compiled)
    records: list[list[Record]] = [[] for _ in seeds]

    def advance(state: TrainState, count: int) -> tuple[TrainState, dict[str, np.ndarray]]:
        state, metrics = _advance_many(state, env_params, jnp.int32(count), env=env, config=compiled)
        return state, jax.tree.map(np.asarray, metrics)

    state = loop.run_many(advance, state, records, env.name, config, show_progress)
    return ManyResult(seeds, state.learner.policy, records)
