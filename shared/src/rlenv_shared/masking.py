"""Legal-action masks: logits, uniform legal actions and the first legal action, without sorting or scattering.

A mask is bool ``[..., A]``, True for a legal action.  No function returns NaN, also for a mask with nothing legal
(which an environment must not produce: at a terminal state every action is legal).
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, UInt32

from rlenv_shared import counter_rng
from rlenv_shared.errors import IllegalActionError


def masked_logits(logits: Float[Array, "*batch A"], mask: Bool[Array, "*batch A"]) -> Float[Array, "*batch A"]:
    """Illegal actions get the lowest finite logit: probability 0, no ``0 * inf``; uniform with nothing legal."""
    lowest = jnp.finfo(logits.dtype).min
    return jnp.where(mask, logits, lowest.astype(logits.dtype))


def first_legal(mask: Bool[Array, "*batch A"]) -> Int32[Array, "*batch"]:
    """Lowest index that is legal; 0 when none is."""
    return jax.lax.argmax(mask, mask.ndim - 1, jnp.int32)


def sample_legal(key: Any, mask: Bool[Array, "*batch A"]) -> Int32[Array, "*batch"]:
    """Uniform legal action for each mask, drawn with one JAX key; 0 when none is legal."""
    return sample_legal_bits(jax.random.bits(key, mask.shape[:-1], jnp.uint32), mask)


def sample_legal_bits(word: UInt32[Array, "*batch"], mask: Bool[Array, "*batch A"]) -> Int32[Array, "*batch"]:
    """Uniform legal action from 32 random bits for each mask, e.g. of `counter_rng.bits`; 0 when none is legal."""
    running = running_sum(mask.astype(jnp.uint32))  # how many are legal up to and with each action
    rank = counter_rng.mulhi(word, running[..., -1])  # uniform on [0, number of legal actions)
    return first_legal(running > rank[..., None])


def running_sum(x: Any) -> Any:
    """Sums over the last axis up to and with each entry, one after the other.

    With XLA's fusion pass off (`compiling.WITHOUT_FUSION`, CPU, JAX 0.10.2) `jnp.cumsum` and sums by shifts (a slice,
    padded and added) gave wrong numbers inside a rollout of Skirmish, and these additions right ones.
    """
    sums = [x[..., 0]]
    for index in range(1, x.shape[-1]):
        sums.append(sums[-1] + x[..., index])
    return jnp.stack(sums, axis=-1)


def as_index(action: Any) -> Int32[Array, "*batch"]:
    """An action as int32, whatever integer, bool, NumPy or Python number it is; what int32 cannot hold becomes -1.

    So that no 64-bit action widens a state, and none wraps around to a legal one.

    Raises:
        IllegalActionError: it is a floating-point or complex number.
    """
    action = jnp.asarray(action)
    if action.dtype == jnp.int32 or action.dtype == jnp.bool_:
        return action.astype(jnp.int32)
    if not jnp.issubdtype(action.dtype, jnp.integer):
        raise IllegalActionError("dtype of an action", action.dtype, "an integer", "pass the index of an action, int32")
    low, high = (max(int(jnp.iinfo(action.dtype).min), 0), min(int(jnp.iinfo(action.dtype).max), 2**31 - 1))
    inside = (action >= action.dtype.type(low)) & (action <= action.dtype.type(high))
    return jnp.where(inside, action.astype(jnp.int32), jnp.int32(-1))


def sanitise(action: Any, mask: Bool[Array, "*batch A"]) -> tuple[Int32[Array, "*batch"], Bool[Array, "*batch"]]:
    """``(action, illegal)``: an illegal or out-of-range action becomes the first legal one; flags go into ``info``.

    Actions ``[*batch]`` as of `as_index`.
    """
    action = as_index(action)
    index = jnp.arange(mask.shape[-1], dtype=jnp.int32)
    legal = jnp.any((index == action[..., None]) & mask, axis=-1)
    return jnp.where(legal, action, first_legal(mask)), ~legal
