"""Counter-based randomness: five streams, one counter each, as in section 16 of the reference's RULES.md.

Draw c of stream s is the word of the game's keys at the counter s * 2**28 + c.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from rlenv_shared import control, counter_rng
from tcgjax import xp
from tcgjax.arrays import Record, at, first, put, ranks
from tcgjax.tables import Cards


class Stream(IntEnum):
    """What a draw is for; the first five count in the state."""

    SETUP = 0
    SHUFFLE = 1
    COIN = 2
    PICK = 3
    ENERGY = 4
    DECKS = 5  # which decks a game is played with
    NEXT = 6  # the keys of the game that follows


def word(game: Record, stream: Stream, offset: Any = 0) -> Any:
    """The 32 bits ``offset`` draws ahead, without advancing; uint32."""
    counted = game.draws[int(stream)] if stream <= Stream.ENERGY else xp.int32(0)
    counter = np.uint32(int(stream) << 28) + (counted + offset).astype(xp.uint32)
    return counter_rng.bits((game.key0, game.key1, counter))[0]


def following(keys: tuple[Any, Any]) -> tuple[Any, Any]:
    """The keys of the game that follows the one with these keys."""
    asked = Record(key0=keys[0], key1=keys[1])
    words = [word(asked, Stream.NEXT, number) for number in (0, 1)]
    key0, key1, _ = counter_rng.from_words(*words)
    return key0, key1


def advance(game: Record, stream: Stream, count: Any) -> None:
    """Count draws of a stream."""
    game.draws = put(game.draws, int(stream), game.draws[int(stream)] + count)


def below(game: Record, cards: Cards, stream: Stream, n: Any, where: Any = True) -> Any:
    """Uniform on 0..n-1, int32; counts where ``where``."""
    value = control.mulhi(word(game, stream), xp.asarray(n, xp.int32).astype(xp.uint32)).astype(xp.int32)
    advance(game, stream, xp.asarray(where).astype(xp.int32))
    return value


def _coins(game: Record, where: Any, sure: Any) -> Any:
    faces = word(game, Stream.COIN) | xp.where(game.coin_heads & sure, xp.uint32(1 << 31), xp.uint32(0))
    game.coin_heads = game.coin_heads & ~(where & sure)
    advance(game, Stream.COIN, where.astype(xp.int32))
    return faces


def flip(game: Record, count: Any, where: Any, sure: Any = False) -> Any:
    """Flip coins where a flag holds, one draw for all of them.

    Args:
        game: its draws are counted.
        count: how many, int32.
        where: flag.
        sure: whether the turn player flips them for the effect of an attack, Ability or Trainer card, so that a sure
            heads counts.

    Returns:
        The number of heads, int32; 0 elsewhere.
    """
    count = xp.asarray(count, xp.int32)
    where = xp.asarray(where) & (count > 0)
    faces = _coins(game, where, sure)
    shift = np.int32(32) - xp.clip(count, 1, 32)
    return xp.where(where, xp.count_bits(faces >> shift.astype(xp.uint32)), 0)


def flip_until_tails(game: Record, where: Any, sure: Any) -> Any:
    """Flip until tails where a flag holds; the number of heads, at most 32; ``sure`` as of `flip`."""
    return xp.where(where, xp.leading_zeros(~_coins(game, where, sure)), 0)


def roll_energy(game: Record, cards: Cards, player: Any) -> Any:
    """A type of a deck's, uniformly; one draw even if there is only one type."""
    types = (at(game.energy_types, player) >> np.arange(8, dtype=np.int32)) & 1
    chosen = below(game, cards, Stream.ENERGY, xp.sum(types, dtype=xp.int32))
    return nth(types != 0, chosen)


def nth(flags: Any, number: Any) -> Any:
    """Index of the true flag before which ``number`` others stand; -1 if there are not so many; int32."""
    return first(flags & (ranks(flags) == number))
