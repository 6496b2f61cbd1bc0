"""A counter-based generator that each environment carries in its own state.

The generator is three uint32 words ``(key0, key1, counter)``.  A draw hashes them and advances the counter;
nothing else changes, so a draw costs about a dozen integer instructions, vectorises, never branches, and needs
no `jax.random` in the step.  The same code runs on NumPy arrays, JAX arrays and tracers of any shape; C and Rust
ports of `bits` are four lines (``references/puffer_pong`` and ``pong-core`` have them).

Period 2**32 draws per environment; 2**64 streams.  Not cryptographic.  One stream never repeats a word within its
period (a counter through a bijection), so it is for episodes, not for simulations of billions of draws.

Source: the two multiply-xorshift rounds are Chris Wellons' public-domain *lowbias32* with the second key word
added between them, so two streams are not shifted copies of one sequence.  A change of ``key1`` passes one round only:
always start from `from_seed`, `seed` or `from_words`, which mix both words, never from hand-made keys.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from rlenv_shared.errors import InvalidParamsError

Rng = tuple[Any, Any, Any]
"""``(key0, key1, counter)``: uint32 arrays of one shape (``()`` per environment)."""

GOLDEN: Final = np.uint32(0x9E3779B9)  # 2**32 / golden ratio, odd: successive counters land far apart
MULTIPLIER_1: Final = np.uint32(0x7FEB352D)  # lowbias32
MULTIPLIER_2: Final = np.uint32(0x846CA68B)  # lowbias32
SEED_SALT: Final = np.uint32(0x85EBCA6B)  # separates the two key words derived from one seed
UNIT_24: Final = np.float32(2.0**-24)  # spacing of `uniform`
_8, _15, _16 = np.uint32(8), np.uint32(15), np.uint32(16)
_ONE, _ZERO, _LOW_HALF = np.uint32(1), np.uint32(0), np.uint32(0xFFFF)


# The arithmetic is modulo 2**32 on purpose; NumPy would warn of it for scalars (never for arrays or under JAX).
_wrapping = np.errstate(over="ignore")


@_wrapping
def _hash(x: Any, key1: Any) -> Any:
    """Mix the bits of ``x`` (uint32), with ``key1`` added between the two rounds."""
    x = (x ^ (x >> _16)) * MULTIPLIER_1 + key1
    x = (x ^ (x >> _15)) * MULTIPLIER_2
    return x ^ (x >> _16)


@_wrapping
def from_words(word0: Any, word1: Any) -> Rng:
    """The generator of two uint32 arrays of one shape, its counter at 0 (a bijection of the 64 bits onto the keys)."""
    key0 = _hash(word0 ^ _hash(word1 + GOLDEN, _ZERO), _ZERO)
    key1 = _hash(word1 ^ _hash(key0 + SEED_SALT, _ZERO), _ZERO)
    return key0, key1, key0 ^ key0  # a zero of the same shape, dtype and library


def seed_words(seed: int, streams: int = 1, first_stream: int = 0) -> tuple[Any, Any]:
    """Words for `from_words` (or for a JAX key) that belong to a host seed; see `from_seed`."""
    if not 0 <= seed < 2**64:
        raise InvalidParamsError("seed", seed, "0 <= seed < 2**64", "reduce it modulo 2**64")
    if streams < 0 or not 0 <= first_stream <= first_stream + streams <= 2**32:
        remedy = "use another seed for more"
        raise InvalidParamsError("streams", (first_stream, streams), "a range within 0..2**32", remedy)
    high, low = np.array([seed >> 32], np.uint32), np.array([seed & 0xFFFFFFFF], np.uint32)
    word0 = np.broadcast_to(low ^ _hash(high, _ZERO), (streams,))
    word1 = (np.arange(streams, dtype=np.uint64) + np.uint64(first_stream)).astype(np.uint32)
    return word0, word1


def from_seed(seed: int, streams: int = 1, first_stream: int = 0) -> Rng:
    """NumPy generators for a host seed, three uint32 ``[streams]``: environment ``i`` gets stream ``first_stream + i``.

    All generators of seeds below 2**32 are distinct; a larger seed shares its 2**32 streams with some smaller one.
    Raises InvalidParamsError: not 0 <= seed < 2**64, or streams that are no range within 0..2**32.
    """
    return from_words(*seed_words(seed, streams, first_stream))


def key_words(key: Any) -> tuple[Any, Any]:
    """The two uint32 seed words of a JAX key, or arrays of them (typed keys, or legacy words on the last axis)."""
    import jax
    import jax.numpy as jnp

    words = jax.random.key_data(key) if jnp.issubdtype(key.dtype, jax.dtypes.prng_key) else key
    word0, word1 = words[..., 0], words[..., 1]
    for extra in range(2, words.shape[-1]):  # rbg keys have four words
        word0 = word0 ^ _hash(words[..., extra], jnp.uint32(extra))
    return word0, word1


def seed(key: Any) -> Rng:
    """Start a generator from a JAX key (typed, or legacy uint32 words on the last axis), or one from each of an array.

    The words of a key are taken as they are, so ``seed(jax.random.key(i))`` is ``from_seed(0, first_stream=i)``: give
    runs that must be independent keys from `jax.random.split`, or one kind of seed.
    """
    return from_words(*key_words(key))


@_wrapping
def bits(rng: Rng) -> tuple[Any, Rng]:
    """Draw 32 uniform bits: ``(uint32, advanced generator)``."""
    key0, key1, counter = rng
    return _hash(counter * GOLDEN + key0, key1), (key0, key1, counter + _ONE)


def mulhi(a: Any, b: Any) -> Any:
    """High 32 bits of the 64-bit product of two uint32 arrays, from 16-bit limbs."""
    a_low, a_high, b_low, b_high = a & _LOW_HALF, a >> _16, b & _LOW_HALF, b >> _16
    middle = a_high * b_low + ((a_low * b_low) >> _16)
    carry = (middle & _LOW_HALF) + a_low * b_high
    return a_high * b_high + (middle >> _16) + (carry >> _16)


def uniform(rng: Rng) -> tuple[Any, Rng]:
    """Draw a float32 uniform on [0, 1), a multiple of 2**-24."""
    word, rng = bits(rng)
    return (word >> _8).astype(np.float32) * UNIT_24, rng


def below(rng: Rng, n: Any, mulhi: Callable[[Any, Any], Any] = mulhi) -> tuple[Any, Rng]:
    """Draw an int32 uniform on [0, n) by multiply-shift (bias below n / 2**32).

    ``n`` is a Python int or an integer array, 1 <= n < 2**31; ``mulhi`` gives the high 32 bits of a product of uint32s.
    Raises InvalidParamsError: a Python int out of range, or no integer.
    """
    if isinstance(n, int):
        if not 1 <= n < 2**31:
            raise InvalidParamsError("n", n, "1 <= n < 2**31", "draw from a smaller range")
        n = np.uint32(n)
    elif not np.issubdtype(getattr(n, "dtype", None), np.integer):
        raise InvalidParamsError("n", repr(n), "an integer or integer array", "convert it to int32")
    word, rng = bits(rng)
    return mulhi(word, n.astype(np.uint32)).astype(np.int32), rng
