"""PPO on host vector environments (C, Rust, Gymnasium): NumPy rollouts, the native trainer's `learn`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Unpack

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_learn import during, loop, playing
from rlenv_learn.actors import decide, sampling_generators, value_of_final
from rlenv_learn.checkpoint import Identity
from rlenv_learn.config import PPOConfig
from rlenv_learn.host_env import HostVecEnv, check_host_env, env_name
from rlenv_learn.learner import Learner, Rollout, learn
from rlenv_learn.loop import RunKeywords, RunOptions
from rlenv_learn.policy import Policy
from rlenv_learn.train import TrainResult
from rlenv_shared import counter_rng
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.struct import Replaceable, pytree_dataclass

RESUME_SEED_STRIDE: Final = 1_009  # a resumed run resets its environments with another seed
MAX_ENV_SEED: Final = 2**16  # some references add the seed times the number of environments up in an int


@pytree_dataclass
class HostState(Replaceable):
    """What is saved of a host run.  The environments' own states are not: a resumed run resets them anew."""

    learner: Learner
    rng: counter_rng.Rng


@jax.jit
def _decide(policy: Policy, carry: Any, obs: Any, resets: Any, legal: Any, rng: Any) -> Any:
    obs = policy.interface.flatten(obs)
    carry, action, log_prob, value, rng = decide(policy, carry, obs, resets, legal, rng)
    return (
        carry,
        rng,
        {"obs": obs, "action": action, "log_prob": log_prob, "value": value},
        policy.interface.to_env(action),
    )


@jax.jit
def _value(policy: Policy, carry: Any, obs: Any, resets: Any) -> Any:
    return policy.forward(carry, policy.interface.flatten(obs), resets)[2]


@jax.jit
def _final_value(policy: Policy, carry: Any, obs: Any) -> Any:
    return value_of_final(policy, carry, policy.interface.flatten(obs))


_new_learner = jax.jit(Learner.create, static_argnums=(0, 1))
_learn = jax.jit(learn, static_argnames="config", donate_argnames="learner")


class HostActors:
    """Steps a host environment and collects rollouts."""

    def __init__(self, env: HostVecEnv, config: PPOConfig, policy: Policy, seed: int) -> None:
        """Reset the environment with ``seed``."""
        self.env, self.config = env, config
        self.obs, info = env.reset(seed=seed)
        self.legal = info.get("action_mask")
        self.resets = np.ones(config.num_envs, np.bool_)
        self.carry = policy.initial_carry(config.num_envs)
        self.episode_return = np.zeros(config.num_envs, np.float64)
        self.episode_length = np.zeros(config.num_envs, np.int64)

    def collect(self, policy: Policy, rng: counter_rng.Rng) -> tuple[counter_rng.Rng, Rollout, dict[str, float]]:
        """Step every environment ``rollout_length`` times; see :func:`rlenv_learn.actors.collect`."""
        rows: list[dict[str, Any]] = []
        episodes = {"episodes": 0.0, "return_sum": 0.0, "length_sum": 0.0, "decisions": 0.0}
        initial_carry = self.carry[None]
        for _ in range(self.config.rollout_length):
            before = {
                "resets": self.resets,
                "legal": None if self.legal is None else np.array(self.legal),
                "asked": np.ones(self.config.num_envs, np.bool_),
            }
            self.carry, rng, row, action = _decide(policy, self.carry, self.obs, self.resets, self.legal, rng)
            row = jax.tree.map(np.asarray, row)  # waits, so the environment may now reuse its observation buffer
            self.obs, reward, terminated, truncated, info = self.env.step(np.asarray(action))
            self.legal = info.get("action_mask")
            reward = np.array(reward, np.float32)
            terminated, truncated = np.array(terminated, np.bool_), np.array(truncated, np.bool_)
            done = terminated | truncated
            final_value = np.zeros(len(done), np.float32)
            cut_off = truncated & ~terminated
            if cut_off.any():
                final_value = np.asarray(_final_value(policy, self.carry, self._final_obs(info, cut_off)))
            rows.append(
                {
                    **before,
                    **row,
                    "reward": reward,
                    "terminated": terminated,
                    "truncated": truncated,
                    "final_value": final_value,
                }
            )
            self.episode_return += reward
            self.episode_length += 1
            episodes["decisions"] += len(done)
            episodes["episodes"] += float(done.sum())
            episodes["return_sum"] += float(self.episode_return[done].sum())
            episodes["length_sum"] += float(self.episode_length[done].sum())
            self.episode_return[done], self.episode_length[done] = 0.0, 0
            self.resets = done
        last_value = _value(policy, self.carry, self.obs, self.resets)
        records = jax.tree.map(lambda *steps: np.stack(steps), *rows)
        return rng, Rollout(**records, initial_carry=initial_carry, last_value=last_value), episodes

    def _final_obs(self, info: dict[str, Any], ended: np.ndarray) -> np.ndarray:
        """Final observations in the rows that ``ended``; the others may hold anything."""
        if "final_obs" not in info:
            got = "a truncated episode without info['final_obs']"
            remedy = "make it with autoreset_mode=AutoresetMode.SAME_STEP"
            raise InvalidParamsError("host environment", got, "same-step auto-reset with final observations", remedy)
        obs = np.array(self.obs)
        for row in np.flatnonzero(ended):  # an array of objects in some Gymnasium versions
            obs[row] = info["final_obs"][row]
        return obs


class HostTraining:
    """One training run as a start and a step, for :func:`train_host` and for benchmarks."""

    def __init__(self, env: HostVecEnv, config: PPOConfig) -> None:
        """Prepare a run on a host environment; arguments and errors are those of :func:`train_host`."""
        self._env, self._config = env, config
        self._compiled = config.replace(seed=0)  # one compiled program for all seeds
        self._actors: HostActors | None = None
        self.interface = check_host_env(env)
        if env.num_envs != config.num_envs:
            expected = f"the host environment's num_envs={env.num_envs}"
            raise InvalidParamsError("PPOConfig.num_envs", config.num_envs, expected, "make the two equal")

    def start(self, seed: int) -> HostState:
        """State before the first update; the environments are reset at the next `advance`."""
        self._actors = None
        learner = _new_learner(self.interface, self._compiled, jnp.uint32(seed))
        return HostState(learner, sampling_generators(seed, self._config.num_envs))

    def advance(self, state: HostState, count: int) -> tuple[HostState, dict[str, np.ndarray]]:
        """Do ``count`` updates, consuming ``state``; each metric has one entry per update."""
        if self._actors is None:  # the first update, or the first after resuming: then the seed is another one
            env_seed = (self._config.seed + RESUME_SEED_STRIDE * int(state.learner.updates)) % MAX_ENV_SEED
            self._actors = HostActors(self._env, self._config, state.learner.policy, env_seed)
        series: list[dict[str, Any]] = []
        for _ in range(count):
            rng, rollout, episodes = self._actors.collect(state.learner.policy, state.rng)
            learner, metrics = _learn(state.learner, rollout, config=self._compiled)
            state = HostState(learner, rng)
            series.append({**episodes, **jax.tree.map(float, metrics)})
        return state, {name: np.array([row[name] for row in series]) for name in series[0]}


def train_host(
    env: HostVecEnv,
    config: PPOConfig,
    **run: Unpack[RunKeywords],
) -> TrainResult:
    """Train one policy on a host vector environment of ``config.num_envs``; ``run`` and errors are `train`'s.

    A resumed run restores the learner exactly, but resets the environments with another seed, because a host
    environment's state cannot be saved in general; its curve continues, though not bit for bit.
    """
    options = RunOptions(**run)
    training = HostTraining(env, config)
    identity = Identity("host", env_name(env), 0, "", training.interface, config)
    evaluator = None
    if options.evaluation is not None:
        play = playing.on_host(options.evaluation, env)
        directory = None if options.run_dir is None else Path(options.run_dir)
        evaluator = during.Evaluator(options.evaluation, config, play, lambda state: state.learner.policy, directory)
    state, records = loop.run(training.advance, training.start(config.seed), identity, options, evaluator=evaluator)
    best = None if evaluator is None else evaluator.best
    return TrainResult(state.learner.policy, records, best=best)
