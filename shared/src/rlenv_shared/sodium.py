"""Pokémon Showdown's default generator: ChaCha20, whose key each draw replaces.

A draw takes the first 36 bytes of the key's stream: 32 are the next key, 4 are the number.  A state is the key, eight
uint32 arrays of one shape; the code runs on NumPy and JAX arrays and tracers.

Sources: ``sim/prng.ts:SodiumRNG`` of Pokémon Showdown (libsodium's ``randombytes_buf_deterministic``, asked for 36
bytes); RFC 8439, section 2.3, for the block.
"""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rlenv_shared import counter_rng
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.lcg64 import MulHi

State = tuple[Any, ...]
"""Eight uint32 arrays of one shape (``()`` per environment): the key, as ChaCha20 reads its bytes."""

KEY_DIGITS: Final = 64
_CONSTANT: Final = np.frombuffer(b"expand 32-byte k", "<u4")
_COUNTER_AND_NONCE: Final = np.array([0, *np.frombuffer(b"LibsodiumDRG", "<u4")], np.uint32)
_DOUBLE_ROUNDS: Final = 10
_QUARTERS: Final = (
    *((column, column + 4, column + 8, column + 12) for column in range(4)),
    *((column, (column + 1) % 4 + 4, (column + 2) % 4 + 8, (column + 3) % 4 + 12) for column in range(4)),
)
"""Words of each quarter round: four columns, four diagonals."""

# The arithmetic is modulo 2**32 on purpose; NumPy would warn of it for scalars (never for arrays or under JAX).
_wrapping = np.errstate(over="ignore")


def from_hex(digits: str) -> State:
    """The state that Showdown makes of ``sodium,<digits>``, as NumPy scalars: zeros stand for digits that are missing.

    Raises:
        InvalidParamsError: not 1 to 64 hexadecimal digits.
    """
    if not re.fullmatch(rf"[0-9a-fA-F]{{1,{KEY_DIGITS}}}", digits):
        raise InvalidParamsError("seed", digits, f"1 to {KEY_DIGITS} hexadecimal digits", "take them from the log")
    return tuple(np.frombuffer(bytes.fromhex(digits.ljust(KEY_DIGITS, "0")), "<u4"))


def to_hex(state: State) -> str:
    """The 64 digits of one state."""
    return np.array([int(word) for word in state], "<u4").tobytes().hex()


@_wrapping
def block(state: State, counter_and_nonce: Any = _COUNTER_AND_NONCE) -> list[Any]:
    """The sixteen words of ChaCha20's stream under a key, before they become bytes.

    Args:
        state: the key.
        counter_and_nonce: the block's number and the three words of the nonce, uint32 ``[4]``.
    """
    zero = state[0] ^ state[0]
    start = [zero + word for word in _CONSTANT] + [*state] + [zero + word for word in counter_and_nonce]
    words = list(start)
    for _ in range(_DOUBLE_ROUNDS):
        for a, b, c, d in _QUARTERS:
            for into, by, turned, distance in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                words[into] = words[into] + words[by]
                mixed = words[turned] ^ words[into]
                words[turned] = mixed << np.uint32(distance) | mixed >> np.uint32(32 - distance)
    return [word + begun for word, begun in zip(words, start, strict=True)]


def advance(state: State) -> tuple[Any, State]:
    """A number of 32 bits, and the next state."""
    words = block(state)
    return _bytes_reversed(words[8]), tuple(words[:8])


def below(state: State, n: Any, mulhi: MulHi = counter_rng.mulhi) -> tuple[Any, State]:
    """Draw a number on [0, n) as Showdown's ``random(n)`` does: ``(uint32, advanced state)``; ``n`` is uint32, >= 1."""
    number, state = advance(state)
    return mulhi(number, n), state


def stream(state: State, count: int) -> NDArray[np.uint32]:
    """The next ``count`` numbers of each state, ``[count, ...]``, by NumPy."""
    numbers = np.empty((count, *np.shape(state[0])), np.uint32)
    for place in range(count):
        numbers[place], state = advance(state)
    return numbers


def _bytes_reversed(word: Any) -> Any:
    """The key's bytes are read with the lowest first, the number's with the highest first."""
    outer = word << np.uint32(24) | word >> np.uint32(24)
    return outer | (word & np.uint32(0xFF00)) << np.uint32(8) | word >> np.uint32(8) & np.uint32(0xFF00)
