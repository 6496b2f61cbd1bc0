"""Which generator an environment carries in its state, behind one interface.

Each is three uint32 words, the last of which counts the draws: one of two generators, or a place in a list of numbers
that another generator has made.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from rlenv_shared import counter_rng, lcg64

State = tuple[Any, Any, Any]
"""Three uint32 arrays of one shape (``()`` per environment)."""


@dataclasses.dataclass(frozen=True)
class Generator:
    """A random-number generator whose state is a pytree."""

    name: str  # for reports
    from_words: Callable[[Any, Any], Any]  # ``(word0, word1) -> state`` that belongs to two uint32 seed words
    below: Callable[..., tuple[Any, Any]]  # ``(state, n, mulhi) -> (int32 on [0, n), next state)``; 1 <= n < 2**31
    draws: Callable[[Any], Any]  # ``state -> uint32``: draws since the seed


def _lcg64_from_words(high: Any, low: Any) -> State:
    return high, low, high ^ high  # a zero of the same shape, dtype and library


def _lcg64_below(state: State, n: Any, mulhi: lcg64.MulHi = counter_rng.mulhi) -> tuple[Any, State]:
    *words, count = state
    bound = np.uint32(n) if isinstance(n, int) else n.astype(np.uint32)
    value, (high, low) = lcg64.below((words[0], words[1]), bound, mulhi)
    return value.astype(np.int32), (high, low, count + np.uint32(1))


def _last(state: State) -> Any:
    """A function of the module, as all of them, so that environments can be pickled."""
    return state[2]


COUNTER: Final = Generator("counter", counter_rng.from_words, counter_rng.below, _last)
"""The default (:mod:`rlenv_shared.counter_rng`)."""
LCG64: Final = Generator("lcg64", _lcg64_from_words, _lcg64_below, _last)
"""Pokémon Showdown's (:mod:`rlenv_shared.lcg64`); the seed words are the high and the low word of its state."""


def listed(take: Callable[[Any], Any], count: int) -> Generator:
    """Numbers of a list instead of a generator's, so that any generator of 32 bits can be followed.

    A state is ``(place of the next number, a word that nobody reads, draws)``.  Whoever makes the list sees to its
    length: behind its end its first number is drawn again and again, and the draws tell that it was.

    Args:
        take: ``uint32 place -> uint32 number`` of the list, of places below ``count``.
        count: its length.
    """

    def below(state: State, n: Any, mulhi: lcg64.MulHi = counter_rng.mulhi) -> tuple[Any, State]:
        place, other, draws = state
        bound = np.uint32(n) if isinstance(n, int) else n.astype(np.uint32)
        number = take(place * (place < np.uint32(count)).astype(np.uint32))
        return mulhi(number, bound).astype(np.int32), (place + np.uint32(1), other, draws + np.uint32(1))

    return Generator("listed", _lcg64_from_words, below, _last)
