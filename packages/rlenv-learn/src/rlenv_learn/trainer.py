"""The trainer: one initial state and one update for single play and self-play, many seeds and many devices."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_learn import loop
from rlenv_learn.actors import Actors, collect
from rlenv_learn.collectives import total
from rlenv_learn.config import PPOConfig, SelfPlayConfig
from rlenv_learn.interface import Interface
from rlenv_learn.learner import Learner, Metrics, learn
from rlenv_learn.opponents import Against, MatchParams
from rlenv_learn.policy import Policy
from rlenv_shared import compiling
from rlenv_shared.struct import Replaceable, pytree_dataclass

Schedule = Callable[[Any, Any], Any]
"""``(params, progress) -> params``: what the environments are given at a progress (float32) from 0 to 1."""
Curriculum = Callable[[Any, Metrics], tuple[Any, dict[str, Any]]]
"""``(params, sums over the episodes that ended) -> (params of the next rollouts, numbers for the record)``."""


@pytree_dataclass
class TrainState(Replaceable):
    """Everything a run consists of: saved and restored, it continues bit for bit."""

    learner: Learner  # what learns
    actors: Actors  # environments and what acts in them
    env_params: Any  # of the environment, refreshed before every rollout
    pool: Policy | None  # opponents stacked, the newest policy first; None without self-play


@dataclasses.dataclass(frozen=True)
class Trainer:
    """Static description of a run; hashable."""

    env: Any  # the environment
    config: PPOConfig  # hyper-parameters; the seed is not read
    interface: Interface  # sizes of observation and action
    selfplay: SelfPlayConfig | None = None  # the opponents, for games
    schedule: Schedule | None = None  # by progress, or None
    curriculum: Curriculum | None = None  # by success, or None

    @classmethod
    def create(
        cls,
        env: Any,
        config: PPOConfig,
        params: Any,
        selfplay: SelfPlayConfig | None = None,
        schedule: Schedule | None = None,
        curriculum: Curriculum | None = None,
    ) -> Trainer:
        """A trainer; InvalidParamsError: unsupported spaces, players without self-play, one player with it."""
        if selfplay is None:
            interface = Interface.from_env(env, params)
        else:
            Against(env, selfplay.scripts, selfplay.pool_size > 0)  # refuses what is no game for two
            interface = Interface.from_spaces(env.observation_space(params), env.action_space(params))
        return cls(env, config.replace(seed=0), interface, selfplay, schedule, curriculum)

    @property
    def game(self) -> Any:
        """What the learner plays."""
        if self.selfplay is None:
            return self.env
        return Against(self.env, self.selfplay.scripts, self.selfplay.pool_size > 0)

    def initial(self, seed: Any, env_params: Any) -> TrainState:
        """State before the first update, traceable; ``seed`` is an uint32 scalar."""
        env_params = jax.tree.map(jnp.asarray, env_params)
        learner = Learner.create(self.interface, self.config, seed)
        pool = None
        if self.selfplay is not None and self.selfplay.pool_size:
            size = self.selfplay.pool_size
            pool = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (size, *leaf.shape)), learner.policy)
        params = self._game_params(env_params, pool)
        actors = Actors.create(self.game, params, learner.policy, seed, self.config.num_envs)
        return TrainState(learner, actors, env_params, pool)

    def update(self, state: TrainState, shards: str | None = None) -> tuple[TrainState, Metrics]:
        """One rollout and what is learned from it, traceable; ``shards`` as of :mod:`rlenv_learn.collectives`."""
        learner = state.learner
        key = jax.random.wrap_key_data(jnp.stack([learner.rng[0], learner.updates.astype(jnp.uint32)]))
        env_params = self.env.refresh(state.env_params, key)
        given = env_params
        if self.schedule is not None:
            given = self.schedule(env_params, learner.updates.astype(jnp.float32) / np.float32(self.config.num_updates))
        params = self._game_params(given, state.pool)
        actors, rollout, episodes = collect(learner.policy, state.actors, self.game, params, self.config)
        learner, metrics = learn(learner, rollout, self.config, shards)
        pool = None if state.pool is None else self._renewed(state.pool, learner)
        sums = total(episodes, shards)
        told: dict[str, Any] = {}
        if self.curriculum is not None:
            env_params, told = self.curriculum(env_params, sums)
        return TrainState(learner, actors, env_params, pool), {**sums, **metrics, **told}

    def advance(self, state: TrainState, updates: Any, shards: str | None = None) -> tuple[TrainState, Metrics]:
        """Do ``updates`` ≤ MAX_CHUNK updates, traceable."""
        return loop.repeat(lambda state: self.update(state, shards), state, updates)

    def _game_params(self, env_params: Any, pool: Policy | None) -> Any:
        return env_params if self.selfplay is None else MatchParams(env_params, pool)  # type: ignore[arg-type]

    def _renewed(self, pool: Policy, learner: Learner) -> Policy:
        """The pool after an update: the newest policy first, a snapshot in the oldest's place every so often."""
        assert self.selfplay is not None
        policy, updates, size = learner.policy, learner.updates, self.selfplay.pool_size
        pool = jax.tree.map(lambda old, new: old.at[0].set(new), pool, policy)
        if size == 1:
            return pool
        every = jnp.int32(self.selfplay.snapshot_every)
        slot = jnp.int32(1) + (updates // every) % jnp.int32(size - 1)
        due = updates % every == 0
        return jax.tree.map(lambda old, new: old.at[slot].set(jnp.where(due, new, old[slot])), pool, policy)


@functools.lru_cache(maxsize=64)
def _programs(trainer: Trainer, many: bool = False) -> tuple[Any, Any]:
    """Compiled `initial` and `advance`, of several seeds at once if ``many``; equal runs share them."""
    initial, advance = trainer.initial, trainer.advance
    if many:
        initial, advance = jax.vmap(initial, (0, None)), jax.vmap(advance, (0, None))
    return compiling.jit(initial, trainer.env), compiling.jit(advance, trainer.env, donate_argnums=0)


class Training:
    """A run on one device as a start and a step that the host calls, for :mod:`rlenv_learn.train` and benchmarks."""

    def __init__(self, trainer: Trainer, env_params: Any) -> None:
        self.trainer, self.env_params = trainer, env_params
        self._initial, self._advance = _programs(trainer)

    def start(self, seed: int) -> TrainState:
        """State before the first update."""
        return self._initial(jnp.uint32(seed), self.env_params)

    def advance(self, state: TrainState, count: int) -> tuple[TrainState, dict[str, np.ndarray]]:
        """Do ``count`` ≤ MAX_CHUNK updates, consuming ``state``; the first ``count`` entries of metrics are theirs."""
        state, metrics = self._advance(state, jnp.int32(count))
        return state, jax.tree.map(np.asarray, metrics)

    def policy(self, state: TrainState) -> Policy:
        """The policy in a state."""
        return state.learner.policy


class ManyTrainings(Training):
    """Several runs at once in one program: everything is stacked over seeds."""

    def __init__(self, trainer: Trainer, env_params: Any) -> None:
        super().__init__(trainer, env_params)
        self._initial, self._advance = _programs(trainer, many=True)

    def start(self, seed: Any) -> TrainState:
        """States before the first update of these seeds."""
        return self._initial(jnp.asarray(seed, jnp.uint32), self.env_params)
