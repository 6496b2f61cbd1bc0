"""What the bodies of several micro-ops use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tcgjax import rng, zones
from tcgjax.arrays import Record, at, first, total
from tcgjax.board import OWNERS, PLACE
from tcgjax.codes import ENERGY_KINDS, MANY, Who
from tcgjax.counting import Row
from tcgjax.layout import NOBODY, PLACES
from tcgjax.rng import Stream
from tcgjax.tables import Cards
from tcgjax.zones import HAND_LIMIT

KINDS = np.arange(ENERGY_KINDS, dtype=np.int32)
Body = Callable[[Record, Cards, Record, Record, Row], None]
"""A micro-op: the game (changed), the tables, the rules in force, the scene (see `effects.act`), the row."""


def side_of(game: Record, who: Any) -> Any:
    """The player a row speaks of."""
    foe = (who == Who.FOE_ALL) | (who == Who.FOE_ACTIVE) | (who == Who.FOE_BENCH)
    return jnp.where(foe, 1 - game.r_me, game.r_me)


def many(game: Record, amount: Any) -> Any:
    """An amount, or n."""
    return jnp.where(amount == MANY, game.r_n, amount)


def kinds_of(mask: Any) -> Any:
    """The energy types of a mask, bool [9]."""
    return ((mask >> KINDS) & 1) != 0


def next_place(flags: Any, me: Any) -> Any:
    """The first flagged place, own ones first; -1 for none."""
    mine = flags & (me == OWNERS)
    return first(jnp.where(mine.any(), mine, flags))


def own_first(flags: Any, me: Any) -> tuple[Any, Any]:
    """Places in canonical order and their flags: own ones first; int32 [8], bool [8]."""
    order = jnp.where(me == 0, PLACE, np.roll(PLACE, 4))
    return order, jnp.where(me == 0, flags, jnp.roll(flags, 4))


def for_each(game: Record, cards: Cards, flags: Any, rule: Callable[[Record, Any, Any], None]) -> None:
    """Let a rule change the game for each flagged place, own ones first: ``rule(game, place, where)``."""
    me = game.r_me

    def goes_on(state: Any) -> Any:
        return state[1].any()

    def once(state: Any) -> Any:
        game, left = state[0].copy(), state[1]
        place = next_place(left, me)
        rule(game, place, left.any())
        before = state[0].__dict__
        for name, value in game.__dict__.items():
            game.__dict__[name] = jnp.asarray(value).astype(before[name].dtype)
        return game, left & (place != PLACE)

    after, _ = cards.ops.loop(goes_on, once, (game, flags), PLACES)
    game.__dict__.update(after.__dict__)


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
    wanted = jnp.where(kinds_of(types), counts, 0)
    units = total(wanted)
    single = jax.lax.population_count(types & np.int32(0x1FF)) == 1
    drawn = jnp.asarray(where) & (units > 0) & (always | ~single)
    number = jnp.where(drawn, rng.below(game, cards, Stream.PICK, jnp.maximum(units, 1), drawn), 0)
    upto = jnp.stack([total(wanted[: kind + 1]) for kind in range(ENERGY_KINDS)])
    return jnp.where(units > 0, first(upto > number), NOBODY)


def hand_options(game: Record, cards: Cards, player: Any, number: Any) -> Any:
    """Which positions of a hand hold a card that a filter lets pass, bool [24]."""
    held = zones.hand(game, player)
    return fill((held >= 0) & cards.prints(number, at(game.card, held)))


def fill(flags: Any) -> Any:
    """Flags for the first options, as 24."""
    return jnp.concatenate([flags, jnp.zeros((24 - flags.shape[0],), jnp.bool_)])


def room(game: Record, player: Any) -> Any:
    """How many cards a hand has room for."""
    return HAND_LIMIT - zones.size(game, zones.HAND, player)


def unlike(game: Record, cards: Cards, player: Any, number: Any) -> tuple[Any, Any]:
    """The different cards of a discard pile that a filter lets pass: instances by position, and which of them count.

    Returns:
        int32 [20] and bool [20].
    """
    pile = zones.listed(game, zones.DISCARD, player, 20)
    card = at(game.card, pile)
    passes = (pile >= 0) & cards.prints(number, card)
    earlier = np.tril(np.ones((20, 20), np.bool_), -1)
    same = (card[None, :] == card[:, None]) & passes[None, :] & earlier
    return pile, passes & ~same.any(axis=1)


def due(game: Record, player: Any, times: Any = 1) -> None:
    """A deck will be shuffled at the end of the row."""
    game.shuffles = game.shuffles + jnp.where(np.arange(2, dtype=np.int32) == player, times, 0)
