"""Pokémon Showdown's 64-bit generator on pairs of uint32 words, so that it needs no 64-bit arithmetic.

``state = state * MULTIPLIER + INCREMENT`` modulo 2**64, and a draw is the upper half of the new state.  A state is
``(high, low)``, two uint32 arrays of one shape; the code runs on NumPy and JAX arrays, tracers and blocks inside a
Pallas kernel.

Source: ``sim/prng.ts:Gen5RNG`` of Pokémon Showdown, the generator of the games' fifth generation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from rlenv_shared import counter_rng
from rlenv_shared.errors import InvalidParamsError

State = tuple[Any, Any]
"""``(high, low)``: uint32 arrays of one shape (``()`` per environment)."""
MulHi = Callable[[Any, Any], Any]
"""High 32 bits of the product of two uint32 arrays: `counter_rng.mulhi`, or a faster instruction."""

MULTIPLIER: Final = 0x5D588B656C078965
INCREMENT: Final = 0x0000000000269EC3
PERIOD: Final = 2**64
_WORD: Final = 2**32

# The arithmetic is modulo 2**32 on purpose; NumPy would warn of it for scalars (never for arrays or under JAX).
_wrapping = np.errstate(over="ignore")


def from_int(seed: int) -> State:
    """The state with these 64 bits, as NumPy scalars.  Raises InvalidParamsError: not 0 <= seed < 2**64."""
    if not 0 <= seed < PERIOD:
        raise InvalidParamsError("seed", seed, "0 <= seed < 2**64", "reduce it modulo 2**64")
    return np.uint32(seed // _WORD), np.uint32(seed % _WORD)


def advance(state: State, mulhi: MulHi = counter_rng.mulhi) -> State:
    """The next state; its high word is the draw of 32 bits."""
    return _affine(state, MULTIPLIER, INCREMENT, mulhi)


def below(state: State, n: Any, mulhi: MulHi = counter_rng.mulhi) -> tuple[Any, State]:
    """Draw a number on [0, n) as Showdown's ``next(n)`` does: ``(uint32, advanced state)``; ``n`` is uint32, >= 1."""
    state = advance(state, mulhi)
    return mulhi(state[0], n), state


@_wrapping
def _affine(state: State, multiplier: int, increment: int, mulhi: MulHi) -> State:
    high, low = state
    (mul_high, mul_low), (add_high, add_low) = from_int(multiplier), from_int(increment)
    product_high = mulhi(low, mul_low) + low * mul_high + high * mul_low
    product_low = low * mul_low
    new_low = product_low + add_low
    carry = (new_low < product_low).astype(np.uint32)
    return product_high + add_high + carry, new_low
