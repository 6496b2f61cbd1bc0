"""The learning half of PPO: from a rollout to new parameters.  Native and host training call the same `learn`."""

from __future__ import annotations

from typing import Any, Self

import jax
import jax.numpy as jnp
import numpy as np
import optax

from rlenv_learn import distributions, gae
from rlenv_learn.collectives import average, count, mean, var, weight_of
from rlenv_learn.config import PPOConfig
from rlenv_learn.interface import Interface
from rlenv_learn.policy import Policy
from rlenv_shared import counter_rng
from rlenv_shared.struct import Replaceable, pytree_dataclass

Metrics = dict[str, Any]


@pytree_dataclass
class Rollout(Replaceable):
    """What the actors hand to the learner; ``[T, B, ...]`` arrays unless said otherwise."""

    obs: Any  # float32 or uint8 ``[T, B, size]``, flattened, not normalised
    resets: Any  # whether ``obs[t]`` is the first of its episode
    legal: Any  # bool ``[T, B, actions]``, or None
    asked: Any  # bool, whether the learner was asked to decide; where not, the step is no sample
    action: Any  # int32 ``[T, B]`` or float32 ``[T, B, size]``, as the policy drew it
    log_prob: Any  # its log-probability then
    value: Any  # V of ``obs``, in the normalised unit
    reward: Any  # as the environment gave it, float32
    terminated: Any  # how the step ended its episode, if it did
    truncated: Any  # likewise
    final_value: Any  # V of the final observation where the step truncated without terminating
    initial_carry: Any  # ``[1, B, width]``, the network's state before ``obs[0]``
    last_value: Any  # ``[B]``, V of the observation after the last step


@pytree_dataclass
class Learner(Replaceable):
    """State of the learner."""

    policy: Policy  # what is being learned
    optimiser: Any  # optax state
    discounted_return: Any  # ``[B]`` running discounted return of each environment, for return normalisation
    updates: Any  # int32, updates done
    rng: counter_rng.Rng  # generator of the minibatch shuffling

    @classmethod
    def create(cls, interface: Interface, config: PPOConfig, seed: Any) -> Self:
        """Fresh learner; ``seed`` is an uint32 scalar and may be traced (``config.seed`` is not read)."""
        policy = Policy.create(interface, config, jax.random.key(seed))
        return cls(
            policy=policy,
            optimiser=_optimiser(config).init(policy.params),
            discounted_return=jnp.zeros((config.num_envs,), jnp.float32),
            updates=jnp.zeros((), jnp.int32),
            rng=counter_rng.from_words(seed, jnp.uint32(0xFFFFFFFF)),  # environment i samples with word i
        )


def _optimiser(config: PPOConfig) -> optax.GradientTransformation:
    return optax.chain(optax.clip_by_global_norm(config.max_grad_norm), optax.scale_by_adam(eps=config.adam_eps))


def _linear(start: float, end: float, progress: Any) -> Any:
    return jnp.float32(start) + jnp.float32(end - start) * progress


def learn(learner: Learner, rollout: Rollout, config: PPOConfig, shards: str | None = None) -> tuple[Learner, Metrics]:
    """One PPO update: ``(learner, metrics)``, float32 scalars, losses averaged over the gradient steps.

    Only decisions count: steps in which the learner was not asked have weight 0 everywhere.

    Observations and rewards are normalised, advantages estimated, and ``update_epochs × num_minibatches`` gradient
    steps taken.  A minibatch is a contiguous block of environments over the whole rollout, and each epoch starts its
    blocks at a random environment: slices are cheap where a permutation of samples is not, and a GRU needs whole
    sequences anyway.

    On several devices (``shards``, see :mod:`rlenv_learn.collectives`) rollout and ``discounted_return`` are this
    shard's, and the environments are dealt out like cards: of ``D`` shards, shard ``d`` has environments ``d``, ``d +
    D``, ``d + 2 D`` and so on.  Then every cyclic block of environments holds equally many of each shard, in one piece,
    and the minibatches are those of one device.
    """
    policy = learner.policy
    progress = learner.updates.astype(jnp.float32) / jnp.float32(config.num_updates)
    learning_rate = _linear(
        config.learning_rate, 0.0 if config.anneal_learning_rate else config.learning_rate, progress
    )
    final_coef = config.entropy_coef if config.entropy_coef_final is None else config.entropy_coef_final
    entropy_coef = _linear(config.entropy_coef, final_coef, progress)

    learner, reward = _normalise_rewards(learner, rollout, config, shards)
    advantage = gae.advantages(
        reward,
        rollout.value,
        rollout.terminated,
        rollout.truncated,
        rollout.asked,
        rollout.final_value,
        rollout.last_value,
        config.gamma,
        config.gae_lambda,
    )
    target = advantage + rollout.value
    weight = rollout.asked.astype(jnp.float32)
    metrics = {"explained_variance": _explained_variance(rollout.value, target, weight, shards)}
    if config.normalise_advantages:
        spread = jnp.sqrt(var(advantage, weight, shards)) + jnp.float32(1e-8)
        advantage = (advantage - mean(advantage, weight, shards)) / spread
    samples = {
        "obs": policy.normalise(rollout.obs),
        "resets": rollout.resets,
        "asked": rollout.asked,
        "legal": rollout.legal,
        "action": rollout.action,
        "log_prob": rollout.log_prob,
        "value": rollout.value,
        "advantage": advantage,
        "target": target,
        "carry": rollout.initial_carry,
    }

    # every cyclic block of environments is one slice of the doubled arrays
    doubled = jax.tree.map(lambda x: jnp.concatenate([x, x], axis=1), samples)
    devices, size = count(shards), config.num_envs // config.num_minibatches
    block, here = size // devices, config.num_envs // devices
    key0, key1, counter = learner.rng
    epochs = np.arange(config.update_epochs, dtype=np.uint32)
    shifts, _ = counter_rng.below((key0, key1, counter + epochs), config.num_envs)
    rng = (key0, key1, counter + np.uint32(config.update_epochs))
    blocks = np.arange(config.num_minibatches, dtype=np.int32) * np.int32(size)
    starts = ((shifts[:, None] + blocks) % jnp.int32(config.num_envs)).reshape(-1)
    if shards is not None:  # the first environment of the block that is here, counted among those that are here
        starts = (starts + jnp.int32(devices - 1) - jax.lax.axis_index(shards)) // jnp.int32(devices) % jnp.int32(here)
    optimiser = _optimiser(config)

    def gradient_step(carry: Any, start: Any) -> tuple[Any, Metrics]:
        params, state = carry
        minibatch = jax.tree.map(lambda x: jax.lax.dynamic_slice_in_dim(x, start, block, axis=1), doubled)
        # this shard's share of the mean over the whole minibatch, so that averages over the shards are that mean
        weight = minibatch["asked"].astype(jnp.float32)
        weight = weight / (weight_of(weight, shards) / jnp.float32(devices))
        gradient, step_metrics = jax.grad(_loss, has_aux=True)(
            params, policy.network, minibatch, weight, entropy_coef, config
        )
        gradient, step_metrics = average((gradient, step_metrics), shards)
        step_metrics["grad_norm"] = jnp.sqrt(sum(jnp.sum(jnp.square(leaf)) for leaf in jax.tree.leaves(gradient)))
        with jax.numpy_dtype_promotion("standard"):  # optax mixes dtypes; ours are explicit
            updates, state = optimiser.update(gradient, state)
        params = jax.tree.map(lambda p, u: p - learning_rate * u, params, updates)
        return (params, state), step_metrics

    (params, state), step_metrics = jax.lax.scan(gradient_step, (policy.params, learner.optimiser), starts)
    metrics |= jax.tree.map(jnp.mean, step_metrics)
    metrics |= {"learning_rate": learning_rate}

    moments = None if policy.observation is None else policy.observation.update(rollout.obs, weight, shards)
    policy = learner.policy.replace(params=params, observation=moments)
    learner = learner.replace(policy=policy, optimiser=state, updates=learner.updates + jnp.int32(1), rng=rng)
    return learner, metrics


def _normalise_rewards(
    learner: Learner, rollout: Rollout, config: PPOConfig, shards: str | None
) -> tuple[Learner, Any]:
    """Divide rewards by the running standard deviation of the discounted return, this rollout included."""
    moments = learner.policy.returns
    if moments is None:
        return learner, rollout.reward

    def forwards(total: Any, step: Any) -> tuple[Any, Any]:
        reward, done, asked = step
        total = reward + jnp.where(asked, jnp.float32(config.gamma), jnp.float32(1)) * total
        return jnp.where(done, jnp.zeros_like(total), total), total

    steps = (rollout.reward, rollout.terminated | rollout.truncated, rollout.asked)
    discounted, totals = jax.lax.scan(forwards, learner.discounted_return, steps)
    moments = moments.update(totals, rollout.asked.astype(jnp.float32), shards)
    learner = learner.replace(policy=learner.policy.replace(returns=moments), discounted_return=discounted)
    return learner, rollout.reward / moments.scale()


def _explained_variance(value: Any, target: Any, weight: Any, shards: str | None) -> Any:
    """1 - Var(target - value) / Var(target); 0 where the target is constant."""
    whole = var(target, weight, shards)
    return jnp.where(whole > 0, jnp.float32(1) - var(target - value, weight, shards) / whole, jnp.zeros_like(whole))


def _loss(
    params: Any, network: Any, batch: Any, weight: Any, entropy_coef: Any, config: PPOConfig
) -> tuple[Any, Metrics]:
    """Clipped surrogate, value loss and entropy bonus of a minibatch of weighted samples (Schulman et al., 2017)."""

    def average(x: Any) -> Any:
        return jnp.sum(x * weight)

    _, outputs, value = network.apply(params, batch["carry"][0], batch["obs"], batch["resets"], batch["asked"])
    distribution = distributions.create(network.interface, outputs, batch["legal"])
    log_ratio = distribution.log_prob(batch["action"]) - batch["log_prob"]
    ratio = jnp.exp(log_ratio)
    low, high = jnp.float32(1 - config.clip_eps), jnp.float32(1 + config.clip_eps)
    advantage = batch["advantage"]
    policy_loss = -average(jnp.minimum(ratio * advantage, jnp.clip(ratio, low, high) * advantage))

    error = jnp.square(value - batch["target"])
    if config.value_clip is not None:
        change = jnp.clip(value - batch["value"], -jnp.float32(config.value_clip), jnp.float32(config.value_clip))
        error = jnp.maximum(error, jnp.square(batch["value"] + change - batch["target"]))
    value_loss = jnp.float32(0.5) * average(error)
    entropy = average(distribution.entropy())
    loss = policy_loss + jnp.float32(config.value_coef) * value_loss - entropy_coef * entropy
    return loss, {
        "loss": loss,
        "policy_loss": policy_loss,
        "value_loss": value_loss,
        "entropy": entropy,
        "approx_kl": average(ratio - jnp.float32(1) - log_ratio),
        "clip_fraction": average(((ratio < low) | (ratio > high)).astype(jnp.float32)),
    }
