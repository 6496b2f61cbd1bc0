"""What the bodies of several micro-ops use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tcgjax import board, rng, xp, zones
from tcgjax.arrays import Record, first, repeat, running_sum, total
from tcgjax.board import OWNERS, PLACE
from tcgjax.codes import ENERGY_KINDS, MANY, Who
from tcgjax.counting import Row
from tcgjax.layout import DISCARD, HAND, NOBODY, PLACES
from tcgjax.rng import Stream
from tcgjax.tables import Cards
from tcgjax.zones import HAND_LIMIT

KINDS = np.arange(ENERGY_KINDS, dtype=np.int32)
Body = Callable[[Record, Cards, Record, Record, Row], None]
"""A micro-op: the game (changed), the tables, the rules in force, the scene (see `effects.act`), the row."""


def side_of(game: Record, who: Any) -> Any:
    """The player a row speaks of."""
    foe = (who == Who.FOE_ALL) | (who == Who.FOE_ACTIVE) | (who == Who.FOE_BENCH)
    return xp.where(foe, 1 - game.r_me, game.r_me)


def many(game: Record, amount: Any) -> Any:
    """An amount, or n."""
    return xp.where(amount == MANY, game.r_n, amount)


def kinds_of(mask: Any) -> Any:
    """The energy types of a mask, bool [9]."""
    return ((mask >> KINDS) & 1) != 0


def next_place(flags: Any, me: Any) -> Any:
    """The first flagged place, own ones first; -1 for none."""
    mine = flags & (me == OWNERS)
    return first(xp.where(mine.any(), mine, flags))


def own_first(flags: Any, me: Any) -> tuple[Any, Any]:
    """Places in canonical order and their flags: own ones first; int32 [8], bool [8]."""
    order = xp.where(me == 0, PLACE, np.roll(PLACE, 4))
    return order, xp.where(me == 0, flags, xp.roll(flags, 4))


def for_each(
    game: Record, cards: Cards, names: Sequence[str], flags: Any, rule: Callable[[Record, Any, Any], None]
) -> None:
    """Let a rule change some fields for each flagged place, own ones first: ``rule(game, place, where)``."""
    me = game.r_me

    def once(game: Record, left: Any) -> Any:
        place = next_place(left, me)
        rule(game, place, left.any())
        return left & (place != PLACE)

    repeat(names, lambda game, left: left.any(), once, game, flags, PLACES)


def draw_unit(game: Record, cards: Cards, counts: Any, types: Any, where: Any, always: bool = False) -> Any:
    """The type of one unit of energy at random among those of a mask; -1 if there is none.

    Args:
        game: its generator advances by one draw, but for a mask of one type (unless ``always``) or no unit.
        cards: hooks.
        counts: int32 [9].
        types: mask.
        where: flag.
        always: one type takes a draw as well.
    """
    wanted = xp.where(kinds_of(types), counts, 0)
    units = total(wanted)
    single = xp.count_bits(types & np.int32(0x1FF)) == 1
    drawn = xp.asarray(where) & (units > 0) & (always | ~single)
    number = xp.where(drawn, rng.below(game, cards, Stream.PICK, xp.maximum(units, 1), drawn), 0)
    return xp.where(units > 0, first(running_sum(wanted) > number), NOBODY)


def hand_options(game: Record, cards: Cards, held: Any, number: Any) -> Any:
    """Which of the instances of a hand (int32 [10]) are cards that a filter lets pass, bool [24]."""
    return fill((held >= 0) & cards.prints(number, board.card_of(game, cards, held)))


def fill(flags: Any) -> Any:
    """Flags for the first options, as 24."""
    return xp.concatenate([flags, xp.zeros((24 - flags.shape[0],), xp.bool_)])


def room(game: Record, player: Any) -> Any:
    """How many cards a hand has room for."""
    return HAND_LIMIT - zones.size(game, HAND, player)


def unlike(game: Record, cards: Cards, player: Any, number: Any) -> tuple[Any, Any]:
    """The different cards of a discard pile that a filter lets pass: instances by position, and which of them count.

    Returns:
        int32 [20] and bool [20].
    """
    pile = zones.listed(game, DISCARD, player, 20)
    card = board.card_of(game, cards, pile)
    passes = (pile >= 0) & cards.prints(number, card)
    return pile, passes & ~repeated(card, passes)


def repeated(card: Any, counts: Any) -> Any:
    """Which entries of a list equal an earlier one that counts; bool of the same length."""
    size = card.shape[0]
    earlier = np.tril(np.ones((size, size), np.bool_), -1)
    return ((card[None, :] == card[:, None]) & earlier & counts[None, :]).any(axis=1)


def due(game: Record, player: Any, times: Any = 1) -> None:
    """A deck will be shuffled at the end of the row."""
    game.shuffles = game.shuffles + xp.where(np.arange(2, dtype=np.int32) == player, times, 0)
