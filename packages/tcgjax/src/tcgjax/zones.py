"""Hands, decks and discard piles: lists of instances, each with its zone and its position (RULES.md, section 12)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tcgjax import rng, xp
from tcgjax.arrays import Record, at, put, ranks, total
from tcgjax.layout import DECK, DECK_SIZE, DISCARD, HAND, INSTANCES, LIMBO, NOBODY
from tcgjax.rng import Stream
from tcgjax.tables import Cards

HAND_LIMIT: Final = 10
OWNER: Final = np.repeat(np.arange(2, dtype=np.int32), DECK_SIZE)
INDEX: Final = np.arange(INSTANCES, dtype=np.int32)


def owner(instance: Any) -> Any:
    """The player an instance belongs to."""
    return (instance >= DECK_SIZE).astype(xp.int32)


def cards_in(game: Record, zone: int, player: Any) -> Any:
    """The cards of a player's zone, bool [40]."""
    return (game.zone == zone) & (player == OWNER)


def size(game: Record, zone: int, player: Any) -> Any:
    """How many cards a zone holds."""
    return total(cards_in(game, zone, player))


def listed(game: Record, zone: int, player: Any, most: int) -> Any:
    """The instances of a zone by position, int32 [most]; -1 where there is none."""
    there = cards_in(game, zone, player) & (game.position == np.arange(most, dtype=np.int32)[:, None])
    return xp.sum(xp.where(there, INDEX + 1, 0), axis=1, dtype=xp.int32) - 1


def hand(game: Record, player: Any) -> Any:
    """The instances of a hand by position, int32 [10]."""
    return listed(game, HAND, player, HAND_LIMIT)


def take_out(game: Record, instance: Any, where: Any = True) -> None:
    """Take a card out of its list; it is nowhere for the moment."""
    here = (instance == INDEX) & where
    zone, position = at(game.zone, instance), at(game.position, instance)
    behind = (game.zone == zone) & (owner(instance) == OWNER) & (game.position > position) & where & (instance >= 0)
    game.position = xp.where(here, 0, game.position - behind.astype(xp.int32))
    game.zone = xp.where(here, LIMBO, game.zone)


def take_out_all(game: Record, chosen: Any) -> None:
    """Take several cards (bool [40]) out of their lists; those left close up."""
    same = (game.zone[:, None] == game.zone[None, :]) & (OWNER[:, None] == OWNER[None, :])
    before = same & chosen[None, :] & (game.position[None, :] < game.position[:, None])
    game.position = xp.where(chosen, 0, game.position - xp.sum(before, axis=1, dtype=xp.int32))
    game.zone = xp.where(chosen, LIMBO, game.zone)


def put_last(game: Record, instance: Any, zone: Any, where: Any = True) -> None:
    """Put a card that is nowhere at the end of a list of its owner's."""
    count = total((game.zone == zone) & (owner(instance) == OWNER))
    here = (instance == INDEX) & where
    game.position = xp.where(here, count, game.position)
    game.zone = xp.where(here, zone, game.zone)


def put_last_all(game: Record, chosen: Any, zone: int, order: Any) -> None:
    """Put cards (bool [40]) that are nowhere at the end of their owners' lists, in ascending ``order`` (int32 [40])."""
    counts = xp.stack([size(game, zone, player) for player in (0, 1)])
    before = chosen[None, :] & (OWNER[:, None] == OWNER[None, :]) & (order[None, :] < order[:, None])
    rank = xp.sum(before, axis=1, dtype=xp.int32)
    game.position = xp.where(chosen, counts[OWNER] + rank, game.position)
    game.zone = xp.where(chosen, zone, game.zone)


def forget(game: Record, chosen: Any) -> None:
    """Cards (bool [40]) have left the place where somebody had seen them."""
    game.known = game.known & ~chosen


def reveal(game: Record, viewer: Any, chosen: Any) -> None:
    """A player sees cards of a hidden zone."""
    game.known = game.known | ((np.arange(2, dtype=np.int32) == viewer)[:, None] & chosen)


def discard(game: Record, instance: Any, where: Any = True) -> None:
    """Put a card that is nowhere on its owner's discard pile."""
    forget(game, (instance == INDEX) & where)
    put_last(game, instance, DISCARD, where)


def to_hand(game: Record, instance: Any, public: Any, where: Any = True) -> None:
    """Put a card that is nowhere into its owner's hand; what does not fit is discarded (12.3)."""
    who = owner(instance)
    fits = size(game, HAND, who) < HAND_LIMIT
    where = xp.asarray(where) & (instance >= 0)
    put_last(game, instance, HAND, where & fits)
    reveal(game, 1 - who, (instance == INDEX) & where & fits & public)
    discard(game, instance, where & ~fits)


def draw(game: Record, player: Any, count: Any) -> None:
    """Draw cards while there are any and the hand has room (sections 4 b and 12)."""
    held = size(game, HAND, player)
    drawn = xp.minimum(xp.minimum(count, size(game, DECK, player)), xp.maximum(HAND_LIMIT - held, 0))
    deck = cards_in(game, DECK, player)
    coming = deck & (game.position < drawn)
    shifted = xp.where(coming, game.position + held, game.position - drawn)
    game.position = xp.where(deck, shifted, game.position)
    game.zone = xp.where(coming, HAND, game.zone)


def shuffle(game: Record, player: int, times: Any) -> None:
    """Shuffle a deck; nobody knows the place of its cards any more.

    Args:
        game: changed.
        player: 0 or 1.
        times: how often, int32; nothing happens for 0.
    """
    part = slice(DECK_SIZE * player, DECK_SIZE * (player + 1))
    here = game.zone[part] == DECK
    last = xp.maximum(times - 1, 0) * np.int32(DECK_SIZE)
    keys = rng.word(game, Stream.SHUFFLE, last + np.arange(DECK_SIZE, dtype=np.int32))
    rng.advance(game, Stream.SHUFFLE, times * np.int32(DECK_SIZE))
    index = np.arange(DECK_SIZE)
    earlier = (keys[None, :] < keys[:, None]) | ((keys[None, :] == keys[:, None]) & (index[None, :] < index[:, None]))
    rank = xp.sum(earlier & here[None, :], axis=1, dtype=xp.int32)
    moved = (game.zone == DECK) & (player == OWNER) & (times > 0)
    both = xp.concatenate([rank, rank])
    game.position = xp.where(moved, both, game.position)
    forget(game, moved)


def into_decks(game: Record, chosen: Any) -> None:
    """Cards (bool [40]) that are nowhere go into their owners' decks, which `settle_shuffles` shuffles."""
    forget(game, chosen)
    game.zone = xp.where(chosen, DECK, game.zone)
    game.position = xp.where(chosen, DECK_SIZE - 1, game.position)


def settle_shuffles(game: Record) -> None:
    """Shuffle the decks for which shuffles are due, player 0's first; nothing else draws from that stream."""
    for player in (0, 1):
        shuffle(game, player, game.shuffles[player])
    game.shuffles = xp.zeros((2,), xp.int32)


def pick(game: Record, cards: Cards, pool: Any, count: Any) -> Any:
    """Different cards at random from a pool (bool [40]), one draw each.

    Returns:
        int32 [40]: in which order a card was picked, from 0; -1 if it was not.
    """

    def goes_on(state: Any) -> Any:
        return state[1].any() & (state[3] < count)

    def once(state: Any) -> Any:
        game, pool, order, done = state
        here = goes_on(state)
        game = game.copy()
        number = rng.below(game, cards, Stream.PICK, xp.maximum(total(pool), 1), here)
        chosen = pool & (ranks(pool) == number) & here
        return game, pool & ~chosen, xp.where(chosen, done, order), done + here.astype(xp.int32)

    start = (Record(draws=game.draws, key0=game.key0, key1=game.key1), pool, xp.full((INSTANCES,), NOBODY, xp.int32))
    after, _, order, _ = cards.ops.loop(goes_on, once, (*start, xp.int32(0)), DECK_SIZE)
    game.draws = after.draws
    return order


def set_zone(game: Record, instance: Any, zone: int, where: Any = True) -> None:
    """A card that is nowhere comes into play, or becomes the Stadium."""
    game.zone = put(game.zone, instance, zone, where)
