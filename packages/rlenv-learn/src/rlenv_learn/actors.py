"""The acting half of PPO on native environments: a scan over batched steps that returns a rollout.

Everything counts the learner's decisions: a step in which it is not asked is none.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Self

import jax
import jax.numpy as jnp

from rlenv_learn.config import PPOConfig
from rlenv_learn.learner import Metrics, Rollout
from rlenv_learn.policy import Policy
from rlenv_shared import counter_rng
from rlenv_shared.struct import Replaceable, pytree_dataclass


@dataclasses.dataclass(frozen=True)
class Vectorised:
    """An environment with one player many times, hashable; leaves have one entry for each, the learner's, first."""

    env: Any

    def reset(self, keys: Any, params: Any) -> tuple[Any, Any]:
        """``(obs, state)`` of new episodes."""
        return jax.vmap(self.env.reset, in_axes=(0, None))(keys, params)

    def step(self, state: Any, action: Any, params: Any) -> tuple[Any, Any, Any, Any, Any, Any]:
        """``(obs, state, reward, terminated, truncated, final)`` with same-step auto-reset."""
        obs, state, reward, terminated, truncated, info = jax.vmap(self.env.step, in_axes=(None, 0, 0, None))(
            None, state, action, params
        )
        return obs, state, reward, terminated, truncated, info["final_observation"]

    def final_observation(self, final: Any, params: Any) -> Any:
        """The last observations of the episodes that ended, from what `step` returned; here they are that."""
        return final

    def legal_actions(self, state: Any, params: Any) -> Any:
        """Masks, bool ``[B, A]``."""
        return jax.vmap(self.env.legal_actions, in_axes=(0, None))(state, params)

    def asked(self, state: Any) -> Any:
        """Whether the learner is asked to decide now, bool ``[B]``; where not, its action is not read."""
        return jax.vmap(self.env.to_act)(state)[:, 0]


def batched(env: Any) -> Any:
    """The batch that an environment stands for: its own (``env.batched()``), or itself many times."""
    return env.batched() if hasattr(env, "batched") else Vectorised(env)


@pytree_dataclass
class Actors(Replaceable):
    """State of ``B`` environments and of what acts in them."""

    env_state: Any  # batched environment state
    obs: Any  # float32 or uint8 ``[B, size]``, flattened current observation
    resets: Any  # whether ``obs`` is the first of its episode
    carry: Any  # ``[B, width]`` network state
    rng: counter_rng.Rng  # action-sampling generator of each environment
    episode_return: Any  # float32 ``[B]``, undiscounted return of the running episode
    episode_length: Any  # int32 ``[B]``, decisions in it

    @classmethod
    def create(cls, env: Any, env_params: Any, policy: Policy, seed: Any, num_envs: int) -> Self:
        """Reset ``num_envs`` environments; ``seed`` is an uint32 scalar and may be traced."""
        keys = jax.random.split(jax.random.fold_in(jax.random.key(seed), 1), num_envs)
        obs, env_state = batched(env).reset(keys, env_params)
        return cls(
            env_state=env_state,
            obs=policy.interface.flatten(obs),
            resets=jnp.ones((num_envs,), jnp.bool_),
            carry=policy.initial_carry(num_envs),
            rng=sampling_generators(seed, num_envs),
            episode_return=jnp.zeros((num_envs,), jnp.float32),
            episode_length=jnp.zeros((num_envs,), jnp.int32),
        )


def sampling_generators(seed: Any, num_envs: int) -> counter_rng.Rng:
    """One generator per environment for drawing actions."""
    return counter_rng.from_words(
        jnp.broadcast_to(jnp.asarray(seed, jnp.uint32), (num_envs,)), jnp.arange(num_envs, dtype=jnp.uint32)
    )


def decide(
    policy: Policy, carry: Any, obs: Any, resets: Any, legal: Any, rng: Any, asked: Any = None
) -> tuple[Any, Any, Any, Any, Any]:
    """Sample actions; returns ``(carry, action, log_prob, value, rng)``."""
    carry, distribution, value = policy.forward(carry, obs, resets, legal, asked)
    action, rng = distribution.sample(rng)
    return carry, action, distribution.log_prob(action), value, rng


def value_of_final(policy: Policy, carry: Any, final_obs: Any) -> Any:
    """V of final observations ``[B, size]``, which continue the episodes that ``carry`` remembers."""
    return policy.forward(carry, final_obs, jnp.zeros(final_obs.shape[0], jnp.bool_))[2]


def collect(
    policy: Policy, actors: Actors, env: Any, env_params: Any, config: PPOConfig
) -> tuple[Actors, Rollout, Metrics]:
    """Step every environment ``rollout_length`` times: ``(actors, rollout, sums over the episodes that ended)``."""
    interface = policy.interface
    envs = batched(env)

    def step(actors: Actors, _: None) -> tuple[Actors, tuple[dict[str, Any], Metrics]]:
        legal = envs.legal_actions(actors.env_state, env_params) if interface.discrete else None
        asked = envs.asked(actors.env_state)
        carry, action, log_prob, value, rng = decide(
            policy, actors.carry, actors.obs, actors.resets, legal, actors.rng, asked
        )
        obs, env_state, reward, terminated, truncated, final = envs.step(
            actors.env_state, interface.to_env(action), env_params
        )
        reward = reward.astype(jnp.float32)
        done = terminated | truncated
        cut_off = truncated & ~terminated
        final_value = jax.lax.cond(
            jnp.any(cut_off),
            lambda final: value_of_final(policy, carry, interface.flatten(envs.final_observation(final, env_params))),
            lambda _: jnp.zeros_like(value),
            final,
        )
        episode_return = actors.episode_return + reward
        episode_length = actors.episode_length + asked.astype(jnp.int32)
        episodes = {
            "episodes": jnp.sum(done, dtype=jnp.int32),
            "return_sum": jnp.sum(jnp.where(done, episode_return, jnp.float32(0))),
            "length_sum": jnp.sum(jnp.where(done, episode_length, jnp.int32(0)).astype(jnp.float32)),
            "decisions": jnp.sum(asked, dtype=jnp.int32),
        }
        record = {
            "obs": actors.obs,
            "resets": actors.resets,
            "legal": legal,
            "asked": asked,
            "action": action,
            "log_prob": log_prob,
            "value": value,
            "reward": reward,
            "terminated": terminated,
            "truncated": truncated,
            "final_value": final_value,
        }
        actors = Actors(
            env_state=env_state,
            obs=interface.flatten(obs),
            resets=done,
            carry=carry,
            rng=rng,
            episode_return=jnp.where(done, jnp.float32(0), episode_return),
            episode_length=jnp.where(done, jnp.int32(0), episode_length),
        )
        return actors, (record, episodes)

    initial_carry = actors.carry[None]
    actors, (records, episodes) = jax.lax.scan(step, actors, None, length=config.rollout_length)
    last_value = policy.forward(actors.carry, actors.obs, actors.resets)[2]
    rollout = Rollout(**records, initial_carry=initial_carry, last_value=last_value)
    return actors, rollout, jax.tree.map(lambda x: jnp.sum(x, dtype=x.dtype), episodes)
