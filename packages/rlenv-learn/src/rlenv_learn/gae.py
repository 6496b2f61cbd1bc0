"""Generalised advantage estimation across automatic resets."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float


def advantages(
    reward: Float[Array, "time batch"],
    value: Float[Array, "time batch"],
    terminated: Bool[Array, "time batch"],
    truncated: Bool[Array, "time batch"],
    final_value: Float[Array, "time batch"],
    last_value: Float[Array, " batch"],
    gamma: float,
    gae_lambda: float,
) -> Float[Array, "time batch"]:
    """Advantages of each step.

    What follows a step is worth 0 if the step terminated the episode, V(final observation) if it was only truncated,
    and the value of the next observation otherwise; sums of advantages never cross the end of an episode.

    Args:
        reward: reward of each step.
        value: V of the observation before each step.
        terminated: the episode ended by its own rules (wins over ``truncated``).
        truncated: the episode was cut off by a limit.
        final_value: V of the final observation, read where a step truncated without terminating.
        last_value: V of the observation after the last step.
        gamma: discount.
        gae_lambda: decay.
    """
    done = terminated | truncated
    following = jnp.concatenate([value[1:], last_value[None]])
    following = jnp.where(done, final_value, following)
    following = jnp.where(terminated, jnp.zeros_like(following), following)
    delta = reward + jnp.float32(gamma) * following - value
    decay = jnp.where(done, jnp.float32(0), jnp.float32(gamma * gae_lambda))

    def backwards(advantage: Any, step: Any) -> tuple[Any, Any]:
        step_delta, step_decay = step
        advantage = step_delta + step_decay * advantage
        return advantage, advantage

    return jax.lax.scan(backwards, jnp.zeros_like(last_value), (delta, decay), reverse=True)[1]
