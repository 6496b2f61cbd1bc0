"""Hands, decks and discard piles: lists of instances, each with its zone and its position (RULES.md, section 12)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from rlenv_shared import control
from tcgjax import rng, xp
from tcgjax.arrays import Record, arranged, at, first, nth_bit, put, repeat, total, word_of
from tcgjax.layout import DECK, DECK_SIZE, DISCARD, HAND, INSTANCES, LIMBO, NOBODY
from tcgjax.rng import Stream
from tcgjax.tables import Cards

HAND_LIMIT: Final = 10
OWNER: Final = np.repeat(np.arange(2, dtype=np.int32), DECK_SIZE)
INDEX: Final = np.arange(INSTANCES, dtype=np.int32)
PARTS: Final = (slice(0, DECK_SIZE), slice(DECK_SIZE, INSTANCES))
"""Where each player's instances are among all."""
SHUFFLED: Final = ("draws", "position")
# Unsigned, so that nothing counts from the end: with 64-bit numbers JAX would do that in another dtype.
EARLIER, LATER = (index.astype(np.uint32) for index in np.triu_indices(DECK_SIZE, 1))
"""All pairs of cards of a deck."""
PAIRS: Final = len(EARLIER)
OTHERS: Final = np.array(
    [[other for other in range(DECK_SIZE) if other != card] for card in range(DECK_SIZE)], np.uint32
)
_NUMBER: Final = {pair: number for number, pair in enumerate(zip(EARLIER.tolist(), LATER.tolist(), strict=True))}
BEFORE: Final = np.array(
    [
        [_NUMBER[card, other] if card < other else PAIRS + _NUMBER[other, card] for other in others]
        for card, others in enumerate(OTHERS.tolist())
    ],
    np.uint32,
)
"""Which of the comparisons of pairs, or of their opposites behind them, says that another card comes before a card."""


def owner(instance: Any) -> Any:
    """The player an instance belongs to."""
    return (instance >= DECK_SIZE).astype(xp.int32)


def cards_in(game: Record, zone: int, player: Any) -> Any:
    """The cards of a player's zone, bool [40]."""
    return (game.zone == zone) & (player == OWNER)


def half(values: Any, player: Any) -> Any:
    """A player's 20 of 40 values."""
    return xp.where(player == 0, values[:DECK_SIZE], values[DECK_SIZE:])


def size(game: Record, zone: Any, player: Any) -> Any:
    """How many cards a zone holds."""
    return total(half(game.zone, player) == zone)


def listed(game: Record, zone: int, player: Any, most: int) -> Any:
    """The instances of a zone by position, int32 [most]; -1 where there is none."""
    own = np.arange(DECK_SIZE, dtype=np.int32)
    position = half(game.position, player)
    here = (half(game.zone, player) == zone) & (position < most)
    found = arranged(own, position, here, most)
    return xp.where(found >= 0, found + player * np.int32(DECK_SIZE), NOBODY)


def card_at(game: Record, zone: int, player: Any, position: Any) -> Any:
    """The instance at a position of a zone, -1 if there is none."""
    here = (half(game.zone, player) == zone) & (half(game.position, player) == position)
    found = first(here)
    return xp.where(found >= 0, found + player * np.int32(DECK_SIZE), NOBODY)


def hand(game: Record, player: Any) -> Any:
    """The instances of a hand by position, int32 [10]."""
    return listed(game, HAND, player, HAND_LIMIT)


def ascending(game: Record, cards: Cards, player: Any, flags: Any, most: int, last: bool = False) -> Any:
    """The flagged instances (bool [20]) of a player in the order of their cards, int32 [most]; -1 where there is none.

    With ``last`` they stand at the end instead of the beginning.
    """
    bits = np.uint32(1) << cards.deck_rank(at(game.deck, player)).astype(xp.uint32)
    word = xp.sum(xp.where(flags, bits, 0), dtype=xp.uint32)
    place = xp.count_bits(word & (bits - np.uint32(1)))
    place = place + (most - xp.count_bits(word)) if last else place
    found = arranged(np.arange(DECK_SIZE, dtype=np.int32), place, flags & (place < most) & (place >= 0), most)
    return xp.where(found >= 0, found + player * np.int32(DECK_SIZE), NOBODY)


def take_out(game: Record, instance: Any, where: Any = True) -> None:
    """Take a card out of its list; it is nowhere for the moment."""
    here = (instance == INDEX) & where
    zone, position = at(game.zone, instance), at(game.position, instance)
    behind = (game.zone == zone) & (owner(instance) == OWNER) & (game.position > position) & where & (instance >= 0)
    game.position = xp.where(here, 0, game.position - behind.astype(xp.int32))
    game.zone = xp.where(here, LIMBO, game.zone)


def below(chosen: Any, order: Any) -> Any:
    """How many chosen cards of the same owner come before each card in an order; int32 [40].

    Args:
        chosen: bool [40].
        order: 0 to 31, of an owner's chosen cards all different; int32 [40].
    """
    bits = np.uint32(1) << xp.maximum(order, 0).astype(xp.uint32)
    each = xp.where(chosen, bits, 0)
    words = [xp.sum(each[part], dtype=xp.uint32) for part in PARTS]
    return xp.concatenate([xp.count_bits(words[p] & (bits[PARTS[p]] - np.uint32(1))) for p in (0, 1)])


def take_out_all(game: Record, chosen: Any, zone: Any) -> None:
    """Take several cards (bool [40]) of one zone out of their lists; those left close up."""
    rest = xp.where(game.zone == zone, game.position - below(chosen, game.position), game.position)
    game.position = xp.where(chosen, 0, rest)
    game.zone = xp.where(chosen, LIMBO, game.zone)


def put_last(game: Record, instance: Any, zone: Any, where: Any = True) -> None:
    """Put a card that is nowhere at the end of a list of its owner's."""
    count = size(game, zone, owner(instance))
    here = (instance == INDEX) & where
    game.position = xp.where(here, count, game.position)
    game.zone = xp.where(here, zone, game.zone)


def put_last_all(game: Record, chosen: Any, zone: int, order: Any) -> None:
    """Put cards (bool [40]) that are nowhere at the end of their owners' lists, in ascending ``order`` (as `below`)."""
    counts = xp.stack([size(game, zone, player) for player in (0, 1)])
    game.position = xp.where(chosen, counts[OWNER] + below(chosen, order), game.position)
    game.zone = xp.where(chosen, zone, game.zone)


def discard(game: Record, instance: Any, where: Any = True) -> None:
    """Put a card that is nowhere on its owner's discard pile."""
    put_last(game, instance, DISCARD, where)


def send(game: Record, player: Any, instances: Sequence[Any], to_hand: Sequence[Any], where: Any = True) -> Any:
    """Put cards of a player's that are nowhere on the discard pile or into the hand, one after the other.

    Args:
        game: changed.
        player: whose they are.
        instances: int32 ``()`` each; nothing happens for -1.
        to_hand: for each whether it goes to the hand; what does not fit is discarded (12.3).
        where: flag.

    Returns:
        The cards that came to the hand, bool [40].
    """
    held, count = size(game, HAND, player), size(game, DISCARD, player)
    moved = xp.zeros((INSTANCES,), xp.bool_)
    for instance, wants in zip(instances, to_hand, strict=True):
        there = xp.asarray(where) & (instance >= 0)
        fits = there & wants & (held < HAND_LIMIT)
        here = xp.where(there, instance, NOBODY) == INDEX
        game.position = xp.where(here, xp.where(fits, held, count), game.position)
        game.zone = xp.where(here, xp.where(fits, HAND, DISCARD), game.zone)
        moved = moved | here
        held, count = held + fits, count + (there & ~fits)
    return moved & (game.zone == HAND)


def drawable(game: Record, player: Any, count: Any) -> Any:
    """How many of some cards can be drawn: while there are any and the hand has room (sections 4 b and 12)."""
    room = xp.maximum(HAND_LIMIT - size(game, HAND, player), 0)
    return xp.minimum(xp.minimum(count, size(game, DECK, player)), room)


def draw(game: Record, player: Any, drawn: Any) -> None:
    """The top cards of a deck go to the hand, which has room for them."""
    held = size(game, HAND, player)
    deck = cards_in(game, DECK, player)
    coming = deck & (game.position < drawn)
    shifted = xp.where(coming, game.position + held, game.position - drawn)
    game.position = xp.where(deck, shifted, game.position)
    game.zone = xp.where(coming, HAND, game.zone)


def shuffle(game: Record, player: Any, times: Any) -> None:
    """Shuffle a deck.

    Args:
        game: changed.
        player: 0 or 1, int32.
        times: how often, int32; nothing happens for 0.
    """
    here = (half(game.zone, player) == DECK).astype(xp.int32)
    last = xp.maximum(times - 1, 0) * np.int32(DECK_SIZE)
    keys = rng.word(game, Stream.SHUFFLE, last + np.arange(DECK_SIZE, dtype=np.int32))
    rng.advance(game, Stream.SHUFFLE, times * np.int32(DECK_SIZE))
    swapped = (keys[LATER] < keys[EARLIER]).astype(xp.int32)  # of each pair, whether the later card comes first
    comes_before = xp.concatenate([swapped, 1 - swapped])[BEFORE]  # [card, other]
    rank = xp.sum(comes_before & here[OTHERS], axis=1, dtype=xp.int32)
    moved = (game.zone == DECK) & (player == OWNER) & (times > 0)
    both = xp.concatenate([rank, rank])
    game.position = xp.where(moved, both, game.position)


def into_decks(game: Record, chosen: Any) -> None:
    """Cards (bool [40]) that are nowhere go into their owners' decks, which `settle_shuffles` shuffles."""
    game.zone = xp.where(chosen, DECK, game.zone)
    game.position = xp.where(chosen, DECK_SIZE - 1, game.position)


def settle_shuffles(game: Record, cards: Cards) -> None:
    """Shuffle the decks for which shuffles are due, player 0's first; nothing else draws from that stream."""

    def once(game: Record, due: Any) -> Any:
        player = xp.where(due[0] > 0, np.int32(0), np.int32(1))
        shuffle(game, player, at(due, player))
        return put(due, player, 0)

    repeat(SHUFFLED, lambda game, due: (due > 0).any(), once, game, game.shuffles, 2)
    game.shuffles = xp.zeros((2,), xp.int32)


def pick(game: Record, cards: Cards, pool: Any, count: Any) -> Any:
    """Different cards at random from a pool (bool [40]), one draw each.

    Returns:
        int32 [40]: in which order a card was picked, from 0; -1 if it was not.
    """

    def goes_on(state: Any) -> Any:
        return ((state[1] | state[2]) != 0) & (state[4] < count)

    def once(state: Any) -> Any:
        game, *words, order, done = state
        here = goes_on(state)
        game = game.copy()
        sizes = [xp.count_bits(word) for word in words]
        number = rng.below(game, cards, Stream.PICK, xp.maximum(sizes[0] + sizes[1], 1), here)
        second = number >= sizes[0]
        place = nth_bit(xp.where(second, words[1], words[0]), number - xp.where(second, sizes[0], 0))
        chosen = np.uint32(1) << place.astype(xp.uint32)
        words = [word & ~xp.where(here & (second == player), chosen, 0) for player, word in enumerate(words)]
        picked = (place + xp.where(second, np.int32(DECK_SIZE), 0) == INDEX) & here
        return game, *words, xp.where(picked, done, order), done + here.astype(xp.int32)

    words = [word_of(pool[part]) for part in PARTS]
    start = (Record(draws=game.draws, key0=game.key0, key1=game.key1), *words, xp.full((INSTANCES,), NOBODY, xp.int32))
    after, *_, order, _ = control.loop(goes_on, once, (*start, xp.int32(0)), DECK_SIZE)
    game.draws = after.draws
    return order


def set_zone(game: Record, instance: Any, zone: int, where: Any = True) -> None:
    """A card that is nowhere comes into play, or becomes the Stadium."""
    game.zone = put(game.zone, instance, zone, where)
