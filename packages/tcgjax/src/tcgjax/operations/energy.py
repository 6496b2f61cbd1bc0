"""Energy: attaching, discarding, moving, changing."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tcgjax import rng, triggers, xp
from tcgjax.arrays import Record, at, first, put, ranks, repeat, running_sum, total
from tcgjax.board import OWNERS, PLACE
from tcgjax.codes import DECK_TYPES, MANY
from tcgjax.counting import Row
from tcgjax.layout import NOBODY
from tcgjax.operations.common import KINDS, draw_unit, for_each, kinds_of, many, next_place, own_first
from tcgjax.rng import Stream
from tcgjax.tables import Cards

MOST_UNITS: Final = 64
MOVED: Final = ("energy", "discard_energy", "draws")
PLAYERS: Final = np.arange(2, dtype=np.int32)[:, None]


def add_energy(game: Record, place: Any, kind: Any, count: Any, where: Any = True) -> None:
    """Change the energy of a place."""
    change = xp.where(kind == KINDS, xp.where(where, count, 0), 0)
    game.energy = game.energy + xp.where((place == PLACE)[:, None], change, 0)


def add_discard(game: Record, player: Any, kind: Any, count: Any, where: Any = True) -> None:
    """Change the discarded energy of a player."""
    change = xp.where(kind == KINDS, xp.where(where, count, 0), 0)
    game.discard_energy = game.discard_energy + xp.where(player == PLAYERS, change, 0)


def attach_zone(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """New energy from the Zone on each of who: amount (0: n) of every type, or of one random type (arg 1)."""
    count = xp.where(row.amount != 0, row.amount, game.r_n)
    kinds = kinds_of(row.types)

    def attach(game: Record, place: Any, where: Any) -> None:
        is_random = row.arg != 0
        number = rng.below(game, cards, Stream.PICK, xp.maximum(total(kinds), 1), where & is_random)
        coming = xp.where(is_random, kinds & (ranks(kinds) == number), kinds) & where & (count > 0)
        game.energy = game.energy + xp.where((place == PLACE)[:, None] & coming, count, 0)
        triggers.note_energy(game, place, coming, count)

    for_each(game, cards, ("energy", "draws", "came"), scene.found, attach)
    game.came_to = game.r_me


def attach_discard(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Attach energy of the discard pile, at random among the types of the mask."""
    player = game.r_me

    def attach(game: Record, place: Any, where: Any) -> None:
        kind = draw_unit(game, cards, at(game.discard_energy, player), row.types, where)
        add_discard(game, player, kind, -1, where & (kind >= 0))
        add_energy(game, place, kind, 1, where & (kind >= 0))

    for_units(game, cards, scene.meant, row.amount, attach)


def for_units(game: Record, cards: Cards, flags: Any, count: Any, rule: Any) -> None:
    """Let a rule move energy ``count`` times for each flagged place, own ones first."""
    me = game.r_me

    def once(game: Record, left: Any) -> Any:
        place = next_place(left > 0, me)
        rule(game, place, (left > 0).any())
        return put(left, place, at(left, place) - 1)

    left = xp.where(flags, xp.asarray(count, xp.int32), 0)
    repeat(MOVED, lambda game, left: (left > 0).any(), once, game, left, MOST_UNITS)


def discard_energy(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Discard amount units (MANY: n) of the mask from each of who; n = discarded."""
    before = total(game.energy)

    def discard(game: Record, place: Any, where: Any) -> None:
        kind = draw_unit(game, cards, at(game.energy, place), row.types, where)
        add_energy(game, place, kind, -1, where & (kind >= 0))
        add_discard(game, at(OWNERS, place), kind, 1, where & (kind >= 0))

    for_units(game, cards, scene.reached, many(game, row.amount), discard)
    game.r_n = before - total(game.energy)


def discard_all(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Discard all energy of the mask from each of who; n = discarded."""
    gone = xp.where(scene.reached[:, None] & kinds_of(row.types), game.energy, 0)
    game.energy = game.energy - gone
    per_side = xp.stack([xp.sum(gone[:4], axis=0, dtype=xp.int32), xp.sum(gone[4:], axis=0, dtype=xp.int32)])
    game.discard_energy = game.discard_energy + per_side
    game.r_n = total(gone)


def discard_random_any(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Discard amount random units from among all energy on who."""
    order, flags = own_first(scene.reached, game.r_me)

    def once(game: Record, done: Any) -> Any:
        energy = xp.where(game.r_me == 0, game.energy, xp.roll(game.energy, 4, axis=0))
        units = xp.where(flags[:, None] & kinds_of(row.types), energy, 0)
        here = (done < row.amount) & (total(units) > 0)
        number = rng.below(game, cards, Stream.PICK, xp.maximum(total(units), 1), here)
        upto = running_sum(xp.sum(units, axis=1, dtype=xp.int32))
        which = first(upto > number)
        held = at(units, which)
        kind = first(running_sum(held) > number - (at(upto, which) - total(held)))
        place = at(order, which)
        add_energy(game, place, kind, -1, here)
        add_discard(game, at(OWNERS, place), kind, 1, here)
        return done + 1

    repeat(MOVED, lambda game, done: done < row.amount, once, game, xp.int32(0), MOST_UNITS)


def pay_energy(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The player picks amount units to discard from the source."""
    done = xp.maximum(game.r_parked, 0)
    pays = scene.asks & scene.answered
    kind = xp.where(pays, scene.option, NOBODY)
    add_energy(game, scene.source, kind, -1, pays)
    add_discard(game, at(OWNERS, scene.source), kind, 1, pays)
    game.r_parked = done + pays
    game.r_stays = game.r_stays | pays
    game.r_n = xp.where(pays | (game.r_source < 0), game.r_n, done)


def move_energy(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Move amount units (MANY: all) of the mask from each of who to the Pokémon of the Who arg."""
    taker = next_place(scene.takers, game.r_me)
    kept = game.r_strikes & (game.r_me != OWNERS) & ~scene.reached
    givers = scene.found & (taker >= 0) & (taker != PLACE) & ~kept
    everything = row.amount == MANY
    wanted = kinds_of(row.types)
    gone = xp.where((givers & everything)[:, None] & wanted, game.energy, 0)
    game.energy = game.energy - gone
    coming = xp.sum(gone, axis=0, dtype=xp.int32)
    game.energy = game.energy + xp.where((taker == PLACE)[:, None], coming, 0)

    def move(game: Record, place: Any, where: Any) -> None:
        kind = draw_unit(game, cards, at(game.energy, place), row.types, where)
        add_energy(game, place, kind, -1, where & (kind >= 0))
        add_energy(game, taker, kind, 1, where & (kind >= 0))

    for_units(game, cards, givers & ~everything, row.amount, move)


def move_energy_from(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Move one unit of the mask, which the player picks, from who to the Pokémon of the Who arg."""
    giver, taker = next_place(scene.meant, game.r_me), next_place(scene.takers, game.r_me)
    moves = scene.asks & scene.answered
    add_energy(game, giver, scene.option, -1, moves)
    add_energy(game, taker, scene.option, 1, moves)


def attach_picked(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Attach one energy of the discard pile, of a type that this program has not attached yet."""
    attaches = scene.asks & scene.answered
    kind = xp.where(attaches, scene.option, NOBODY)
    game.pile = put(game.pile, kind, 1)
    add_discard(game, game.r_me, kind, -1, attaches)
    add_energy(game, next_place(scene.meant, game.r_me), kind, 1, attaches)


def move_freely(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Move units between own Pokémon, one after the other, until the player has enough (at most amount moves).

    Three questions each: from where (kept in `spot`), which energy (in n, above 100), where to.
    """
    goes_on = scene.asks & scene.answered & (scene.option >= 0)
    from_where = goes_on & (game.r_spot < 0)
    which = goes_on & (game.r_spot >= 0) & (game.r_n < 100)
    to_where = goes_on & (game.r_spot >= 0) & (game.r_n >= 100)
    kind, mine = game.r_n - 100, game.r_me * np.int32(4)
    add_energy(game, mine + game.r_spot, kind, -1, to_where)
    add_energy(game, mine + scene.option, kind, 1, to_where)
    moves = xp.maximum(game.r_parked, 0) + to_where
    game.r_n = xp.where(which, 100 + scene.option, xp.where(to_where, 0, game.r_n))
    game.r_spot = xp.where(from_where, scene.option, xp.where(to_where, NOBODY, game.r_spot))
    game.r_parked = xp.where(goes_on, moves, game.r_parked)
    game.r_stays = game.r_stays | goes_on


def change_next(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The opponent's next energy becomes one of the eight types at random."""
    kind = rng.below(game, cards, Stream.PICK, xp.int32(DECK_TYPES))
    game.next_energy = put(game.next_energy, 1 - game.r_me, kind)


def change_attached(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """A random energy on each of who becomes one of the eight types at random."""

    def change(game: Record, place: Any, where: Any) -> None:
        old = draw_unit(game, cards, at(game.energy, place), row.types, where, always=True)
        changes = where & (old >= 0)
        new = rng.below(game, cards, Stream.PICK, xp.int32(DECK_TYPES), changes)
        add_energy(game, place, old, -1, changes)
        add_energy(game, place, new, 1, changes)

    for_each(game, cards, ("energy", "draws"), scene.reached, change)


def reroll_energy(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The current energy is discarded and the next one is produced."""
    current = at(game.zone_energy, game.r_me)
    add_discard(game, game.r_me, current, 1, current >= 0)
    produce(game, cards, game.r_me)


def produce(game: Record, cards: Cards, player: Any) -> None:
    """The next energy becomes the current one and another one comes next (section 4 c)."""
    game.zone_energy = put(game.zone_energy, player, at(game.next_energy, player))
    game.next_energy = put(game.next_energy, player, rng.roll_energy(game, cards, player))


def payable(game: Record, place: Any, mask: Any) -> Any:
    """The types of a mask of which a place holds energy, bool [9]."""
    return kinds_of(mask) & (at(game.energy, place) > 0) & (place >= 0)


def can_move(game: Record, rules: Record, player: Any) -> Any:
    """Own slots from which energy can be moved to another Pokémon, bool [4]."""
    units = xp.sum(game.energy, axis=1, dtype=xp.int32)
    flags = rules.there & (units > 0) & (total(rules.there & (player == OWNERS)) > 1)
    return xp.where(player == 0, flags[:4], flags[4:])
