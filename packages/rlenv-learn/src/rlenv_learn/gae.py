"""Generalised advantage estimation across automatic resets, by decisions."""

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
    asked: Bool[Array, "time batch"],
    final_value: Float[Array, "time batch"],
    last_value: Float[Array, " batch"],
    gamma: float,
    gae_lambda: float,
) -> Float[Array, "time batch"]:
    """Advantages of each decision; 0 in steps in which the learner was not asked.

    What such a step pays belongs to the decision before it, and time does not pass for the discount.  What follows a
    decision is worth 0 if the episode terminates before the next one, V(final observation) if it is only truncated, and
    the value of the next decision otherwise; sums of advantages never cross the end of an episode.

    Args:
        reward: reward of each step.
        value: V of the observation before each step.
        terminated: the episode ended by its own rules (wins over ``truncated``).
        truncated: the episode was cut off by a limit.
        asked: the step began with a decision of the learner.
        final_value: V of the final observation, read where a step truncated without terminating.
        last_value: V of the observation after the last step.
        gamma: discount.
        gae_lambda: decay.
    """
    zero = jnp.zeros_like(last_value)

    def backwards(following: Any, step: Any) -> tuple[Any, Any]:
        worth, advantage, paid = following  # of the next decision; rewards until there
        step_reward, step_value, ends, cut_off, decides, final = step
        worth = jnp.where(ends | cut_off, jnp.where(ends, zero, final), worth)
        advantage = jnp.where(ends | cut_off, zero, advantage)
        paid = step_reward + jnp.where(ends | cut_off, zero, paid)
        delta = paid + jnp.float32(gamma) * worth - step_value
        decided = delta + jnp.float32(gamma * gae_lambda) * advantage
        carried = jax.tree.map(
            lambda new, old: jnp.where(decides, new, old), (step_value, decided, zero), (worth, advantage, paid)
        )
        return carried, jnp.where(decides, decided, zero)

    steps = (reward, value, terminated, truncated, asked, final_value)
    return jax.lax.scan(backwards, (last_value, zero, zero), steps, reverse=True)[1]
