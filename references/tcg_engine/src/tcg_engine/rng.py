"""Counter-based randomness: five streams, one counter each (BRIEF of the streams in RULES.md, section 16).

A draw hashes ``(seed, stream, counter)`` to 32 bits and advances that stream's counter by one.  Stream ``s`` uses the
counters from ``s * 2**28`` of one generator, so that no two streams ever share a word.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

WORD: Final = 0xFFFFFFFF
GOLDEN: Final = 0x9E3779B9  # 2**32 / golden ratio
SEED_SALT: Final = 0x85EBCA6B
STREAM_BITS: Final = 28


class Stream(IntEnum):
    """What a draw is for."""

    SETUP = 0
    SHUFFLE = 1
    COIN = 2
    PICK = 3
    ENERGY = 4


def mix(x: int, key: int) -> int:
    """Two multiply-xorshift rounds (C. Wellons' public-domain lowbias32) with ``key`` added between them."""
    x = ((x ^ (x >> 16)) * 0x7FEB352D + key) & WORD
    x = ((x ^ (x >> 15)) * 0x846CA68B) & WORD
    return x ^ (x >> 16)


@dataclass
class Random:
    """Generator of one game.

    Attributes:
        key0: first key word.
        key1: second key word.
        counters: draws made so far, by `Stream`.
    """

    key0: int
    key1: int
    counters: list[int] = field(default_factory=lambda: [0] * len(Stream))

    @classmethod
    def from_seed(cls, seed: int) -> Random:
        """The generator of a 64-bit seed."""
        high, low = (seed >> 32) & WORD, seed & WORD
        key0 = mix(low ^ mix((high + GOLDEN) & WORD, 0), 0)
        return cls(key0, mix(high ^ mix((key0 + SEED_SALT) & WORD, 0), 0))

    def word(self, stream: Stream, offset: int = 0) -> int:
        """The 32 bits ``offset`` draws ahead, without advancing."""
        counter = (stream << STREAM_BITS) + self.counters[stream] + offset
        return mix((counter * GOLDEN + self.key0) & WORD, self.key1)

    def draw(self, stream: Stream) -> int:
        """The next 32 bits of a stream."""
        word = self.word(stream)
        self.counters[stream] += 1
        return word

    def below(self, stream: Stream, n: int) -> int:
        """Uniform on 0..n-1: the high word of ``bits * n``."""
        return (self.draw(stream) * n) >> 32

    def order(self, instances: list[int], seat: int) -> list[int]:
        """A shuffled deck: sorted by one key per card of the seat's twenty, whether it is in the deck or not."""
        keys = [self.word(Stream.SHUFFLE, i) for i in range(20)]
        self.counters[Stream.SHUFFLE] += 20
        return sorted(instances, key=lambda i: (keys[i - 20 * seat], i))
