"""Action distributions.  Sampling draws from per-environment counter generators (:mod:`rlenv_shared.counter_rng`)."""

from __future__ import annotations

import math
from typing import Any, Final, Self

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from rlenv_shared import counter_rng, masking
from rlenv_shared.struct import Replaceable, pytree_dataclass

HALF_LOG_2PI: Final = np.float32(0.5 * math.log(2 * math.pi))
_UNIT_23: Final = np.float32(2.0**-23)
_IMPOSSIBLE: Final = np.float32(-1e30)  # log-probabilities below this belong to illegal actions


@pytree_dataclass
class MaskedCategorical(Replaceable):
    """Categorical distribution that gives illegal actions probability 0."""

    log_probs: Float[Array, "*batch actions"]  # hugely negative but finite where illegal

    @classmethod
    def create(cls, logits: Float[Array, "*batch actions"], legal: Bool[Array, "*batch actions"] | None = None) -> Self:
        """Normalise logits over the legal actions (all, where ``legal`` is None)."""
        return cls(jax.nn.log_softmax(logits if legal is None else masking.masked_logits(logits, legal)))

    def sample(self, rng: counter_rng.Rng) -> tuple[Int[Array, "*batch"], counter_rng.Rng]:
        """Draw int32 actions by inverting the cumulative distribution; one draw each, never an illegal action."""
        word, rng = counter_rng.bits(rng)
        cumulative = masking.running_sum(jnp.exp(self.log_probs))
        # 23 bits: then threshold < total holds in float32 arithmetic, so the count below never passes the last action
        threshold = (word >> np.uint32(9)).astype(jnp.float32) * _UNIT_23 * cumulative[..., -1]
        action = jnp.sum(cumulative <= threshold[..., None], axis=-1, dtype=jnp.int32)
        # the partial sums may be rounded so that an action of probability 0 gets a sliver
        return jnp.where(self.log_prob(action) > _IMPOSSIBLE, action, self.mode()), rng

    def mode(self) -> Int[Array, "*batch"]:
        """Most probable actions, int32; the lowest index among equals."""
        return jnp.argmax(self.log_probs, axis=-1).astype(jnp.int32)

    def log_prob(self, action: Int[Array, "*batch"]) -> Float[Array, "*batch"]:
        """Log-probabilities of actions (a select and sum: the gradient of a gather is a slow scatter)."""
        chosen = jnp.arange(self.log_probs.shape[-1], dtype=jnp.int32) == action[..., None]
        return jnp.sum(jnp.where(chosen, self.log_probs, jnp.float32(0)), axis=-1)

    def entropy(self) -> Float[Array, "*batch"]:
        """Entropy in nats."""
        return -jnp.sum(jnp.exp(self.log_probs) * self.log_probs, axis=-1)


@pytree_dataclass
class DiagonalGaussian(Replaceable):
    """Independent normal distributions."""

    mean: Float[Array, "*batch size"]
    log_std: Float[Array, " size"]

    def sample(self, rng: counter_rng.Rng) -> tuple[Float[Array, "*batch size"], counter_rng.Rng]:
        """Draw actions, one uniform per component through the normal quantile function."""
        noise = []
        for _ in range(self.mean.shape[-1]):
            word, rng = counter_rng.bits(rng)
            uniform = ((word >> np.uint32(9)).astype(jnp.float32) + np.float32(0.5)) * _UNIT_23  # in (0, 1)
            noise.append(jax.scipy.special.ndtri(uniform))
        return self.mean + jnp.exp(self.log_std) * jnp.stack(noise, axis=-1), rng

    def mode(self) -> Float[Array, "*batch size"]:
        """The means."""
        return self.mean

    def log_prob(self, action: Float[Array, "*batch size"]) -> Float[Array, "*batch"]:
        """Log-densities of actions."""
        scaled = (action - self.mean) * jnp.exp(-self.log_std)
        return jnp.sum(np.float32(-0.5) * scaled * scaled - self.log_std - HALF_LOG_2PI, axis=-1)

    def entropy(self) -> Float[Array, "*batch"]:
        """Differential entropy in nats."""
        total = jnp.sum(self.log_std + HALF_LOG_2PI + np.float32(0.5))
        return jnp.broadcast_to(total, self.mean.shape[:-1])


Distribution = MaskedCategorical | DiagonalGaussian


def create(interface: Any, outputs: Any, legal: Any = None) -> Distribution:
    """Distribution over an interface's actions, from the policy head: logits, or ``(mean, log_std)``."""
    return MaskedCategorical.create(outputs, legal) if interface.discrete else DiagonalGaussian(*outputs)
