"""Rows that only count and test: they fill the registers n and flag (EFFECTS.md).

They run in the heads of programs too, which decide whether a card, Ability or attack can be used, so they take the
registers as arguments and change nothing.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from tcgjax import board, xp, zones
from tcgjax.arrays import Record, at, lowest, total, when_itself, word_of
from tcgjax.board import OWNERS, PLACE
from tcgjax.codes import DECK_TYPES, MANY, Fact, Op, When, Who, Zone
from tcgjax.knockouts import MAX_POINTS
from tcgjax.layout import DECK, DISCARD, HAND, NOBODY, ROWS_OF_HEADS
from tcgjax.modifiers import matches, members
from tcgjax.tables import Cards

PURE: Final = (
    Op.COUNT_POKEMON,
    Op.COUNT_ENERGY,
    Op.COUNT_CARDS,
    Op.COUNT_FACT,
    Op.COUNT_TYPES,
    Op.CHECK,
    Op.CHECK_BITS,
    Op.REQUIRE,
    Op.SET_COUNT,
)
ZONES: Final = ((Zone.MY_HAND, HAND), (Zone.MY_DECK, DECK), (Zone.MY_DISCARD, DISCARD))
FOE_ZONES: Final = ((Zone.FOE_HAND, HAND), (Zone.FOE_DECK, DECK), (Zone.FOE_DISCARD, DISCARD))


class Row(NamedTuple):
    """The eight integers of a row, int32 arrays."""

    op: Any
    when: Any
    who: Any
    filter: Any
    state: Any
    types: Any
    amount: Any
    arg: Any


class Reader(NamedTuple):
    """Whose effect a program is, and what it may speak of; int32.

    Attributes:
        me: the player.
        source: the place it belongs to, or -1.
        strikes: whether it belongs to an attack.
        card: card of the attack …
        number: … and which of its attacks, for cost and name.
        chosen: place of the Pokémon picked last, or -1.
        by: place of the attacking Pokémon of a trigger, or -1.
        cause: place of the Pokémon a trigger speaks of, or -1.
    """

    me: Any
    source: Any
    strikes: Any
    card: Any
    number: Any
    chosen: Any = NOBODY
    by: Any = NOBODY
    cause: Any = NOBODY


def skips(row: Row, flag: Any) -> Any:
    """Whether the row's predicate is against it."""
    return row.when == xp.where(flag, np.int32(When.FALSE), np.int32(When.TRUE))


def is_pure(op: Any) -> Any:
    """Whether an op only counts or tests."""
    found = op == PURE[0]
    for other in PURE[1:]:
        found = found | (op == other)
    return found


def who_is_meant(game: Record, rules: Record, reader: Reader, who: Any) -> Any:
    """A set of Pokémon with the registers of a program, bool [8]."""
    found = members(game, who, reader.me, reader.source, rules.there)
    for code, place in ((Who.CHOSEN, reader.chosen), (Who.ATTACKER, reader.by), (Who.CAUSE, reader.cause)):
        found = found | ((who == code) & (place == PLACE) & rules.there)
    return found


def count(
    game: Record, cards: Cards, rules: Record, reader: Reader, row: Row, n: Any, flag: Any
) -> tuple[Any, Any, Any]:
    """Carry out a row that counts or tests.

    Returns:
        n, flag, and whether a REQUIRE is met (true for other rows).
    """
    ops, idle = cards.ops, skips(row, flag)
    box = Record(n=xp.asarray(n, xp.int32))

    def choose(box: Record, values: dict[Op, Any]) -> None:
        for op, value in values.items():
            box.n = xp.where((row.op == op) & ~idle, value, box.n)

    def of_places(box: Record) -> None:
        meant = who_is_meant(game, rules, reader, row.who)
        found = meant & matches(game, cards, rules, row.filter, row.state, row.types, row.amount, reader.source)
        wanted = ((row.types >> np.arange(9, dtype=np.int32)) & 1) != 0

        def of_units(box: Record) -> None:
            units = xp.sum(xp.where(found[:, None], rules.units, 0), axis=0, dtype=xp.int32)
            choose(box, {Op.COUNT_ENERGY: total(xp.where(wanted, units, 0))})

        def of_types(box: Record) -> None:
            there = (meant[:, None] & (game.energy > 0)).any(axis=0) & wanted
            choose(box, {Op.COUNT_TYPES: total(there)})

        choose(box, {Op.COUNT_POKEMON: total(found)})
        when_itself(ops, "count energy", row.op == Op.COUNT_ENERGY, of_units, box)
        when_itself(ops, "count types", row.op == Op.COUNT_TYPES, of_types, box)

    def of_cards(box: Record) -> None:
        zone, player = xp.int32(NOBODY), reader.me
        for zones_, who in ((ZONES, reader.me), (FOE_ZONES, 1 - reader.me)):
            for code, number in zones_:
                zone = xp.where(row.arg == code, np.int32(number), zone)
                player = xp.where(row.arg == code, who, player)
        passes = cards.prints(row.filter, zones.half(game.card, player))
        choose(box, {Op.COUNT_CARDS: total((zones.half(game.zone, player) == zone) & passes)})

    def of_facts(box: Record) -> None:
        choose(box, {Op.COUNT_FACT: fact(game, cards, rules, reader, row)})

    of_place = (row.op == Op.COUNT_POKEMON) | (row.op == Op.COUNT_ENERGY) | (row.op == Op.COUNT_TYPES)
    when_itself(ops, "count places", of_place, of_places, box)
    when_itself(ops, "count cards", row.op == Op.COUNT_CARDS, of_cards, box)
    when_itself(ops, "count facts", row.op == Op.COUNT_FACT, of_facts, box)
    choose(box, {Op.SET_COUNT: row.amount})
    within = (row.amount <= n) & ((row.arg == MANY) | (n <= row.arg))
    bits = ((row.amount >> xp.clip(n, 0, 31)) & 1) != 0
    tested = xp.where(row.op == Op.CHECK, within, xp.where(row.op == Op.CHECK_BITS, bits, flag))
    met = (row.op != Op.REQUIRE) | flag
    return box.n, xp.where(idle, flag, tested), met | idle


def fact(game: Record, cards: Cards, rules: Record, reader: Reader, row: Row) -> Any:
    """A number that belongs to the game or its history, int32."""
    me, foe = reader.me, 1 - reader.me
    mine, theirs = me == OWNERS, foe == OWNERS
    source = reader.source
    sourced = source >= 0
    foe_active = board.active_place(foe)
    own_units = xp.where(sourced, at(rules.units, source), 0)
    foe_units = xp.where(at(rules.there, foe_active), at(rules.units, foe_active), 0)
    points = at(game.points, me), at(game.points, foe)
    tools = xp.sum(game.tools >= 0, axis=1, dtype=xp.int32)
    wanted = ((row.types >> np.arange(9, dtype=np.int32)) & 1) != 0
    lost = (at(game.lost_turn, me) == game.turn - 1) & (game.turn > 1) & ((at(game.lost_types, me) & row.types) != 0)
    used = at(game.uses, me)
    uses_then = (at(game.last_use, me) == game.turn - 2) | (at(game.prior_use, me) == game.turn - 2)
    last_turn = uses_then & (game.turn > 2)
    name = cards.attack(reader.card, reader.number, np.int32(0))
    uses = used - (reader.strikes & (name == row.amount))
    target = board.place_of(game, game.target)
    knocked_out = reader.strikes & (target >= 0) & (at(rules.hp, target) == 0)
    facts = {
        Fact.MY_POINTS: points[0],
        Fact.FOE_POINTS: points[1],
        Fact.LOST_TO_ATTACK: lost,
        Fact.LOST_THIS_GAME: at(game.lost_count, me),
        Fact.ATTACK_USED_LAST_TURN: last_turn,
        Fact.ATTACK_USED_THIS_GAME: uses,
        Fact.SUPPORTERS_PLAYED: at(game.supporters, me),
        Fact.STADIUM_IN_PLAY: game.stadium >= 0,
        Fact.SELF_DAMAGE: xp.where(sourced, at(game.damage, source) // 10, 0),
        Fact.SELF_HP: xp.where(sourced, at(rules.hp, source) // 10, 0),
        Fact.FOE_RETREAT: xp.where(at(rules.there, foe_active), at(rules.retreat, foe_active), 0),
        Fact.KNOCKED_OUT_TARGET: knocked_out,
        Fact.SHARED_ENERGY: total((own_units > 0) & (foe_units > 0)),
        Fact.ENERGY_DIFFERENCE: 100 + total(own_units) - total(foe_units),
        Fact.EXTRA_ENERGY: extra_energy(cards, reader, row, own_units),
        Fact.FOE_REMAINING: xp.maximum(0, MAX_POINTS - points[1]),
        Fact.HAND_DIFFERENCE: 100 + zones.size(game, HAND, me) - zones.size(game, HAND, foe),
        Fact.TOOLS: total(xp.where(mine, tools, 0)),
        Fact.POKEMON_DIFFERENCE: 100 + total(mine & rules.there) - total(theirs & rules.there),
        Fact.FOE_FREE_BENCH: 3 - total(theirs & rules.there & ~board.ACTIVE),
        Fact.DISCARD_ENERGY: total(xp.where(wanted, at(game.discard_energy, me), 0)),
        Fact.CURRENT_ENERGY: at(game.zone_energy, me) >= 0,
        Fact.REMOVABLE: total(tools) + (game.stadium >= 0),
    }
    found = xp.int32(0)
    for code, value in facts.items():
        found = xp.where(row.arg == code, xp.asarray(value).astype(xp.int32), found)
    return found


def extra_energy(cards: Cards, reader: Reader, row: Row, units: Any) -> Any:
    """Units of one type left over when the attack's cost is paid with as few of that type as possible."""
    cost = xp.where(reader.strikes, cards.cost(reader.card, reader.number), 0)
    kind = 31 - xp.leading_zeros(xp.maximum(row.types & -row.types, 1))
    others = total(units) - at(units, kind) - (total(cost[:DECK_TYPES]) - at(cost, kind))
    return at(units, kind) - at(cost, kind) - xp.maximum(0, cost[DECK_TYPES] - xp.maximum(0, others))


def usable(game: Record, cards: Cards, rules: Record, programs: Any, readers: Reader, where: Any) -> Any:
    """Whether the heads of several programs allow their use: one row after the other of those that have any.

    Args:
        game: the game.
        cards: tables.
        rules: what holds now.
        programs: their numbers, int32 [k], at most 32.
        readers: whose effects they are, each field [k].
        where: which of them matter, bool [k].

    Returns:
        bool [k]; false where ``where`` is.
    """
    heads = cards.program(programs, 1)

    def goes_on(state: Any) -> Any:
        return state[0] != 0

    def once(state: Any) -> Any:
        left, refused, row, n, flag = state
        number = lowest(left)
        here = number >= 0
        reader = Reader(*(at(field, number) for field in readers))
        numbers = cards.row(at(programs, number), xp.where(here, row, 0))
        n, flag, met = count(game, cards, rules, reader, Row(*(numbers[i] for i in range(8))), n, flag)
        this = xp.where(here, np.uint32(1) << xp.maximum(number, 0).astype(xp.uint32), np.uint32(0))
        refused = refused | xp.where(met, np.uint32(0), this)
        ends = ~met | (row + 1 >= at(heads, number))
        left = left & ~xp.where(ends, this, np.uint32(0))
        return left, refused, xp.where(ends, 0, row + 1), xp.where(ends, 0, n), flag & ~ends

    start = (word_of(where & (heads > 0)), xp.uint32(0), xp.int32(0), xp.int32(0), xp.bool_(False))
    refused = cards.ops.loop(goes_on, once, start, programs.shape[0] * ROWS_OF_HEADS)[1]
    return where & (((refused >> np.arange(programs.shape[0], dtype=np.uint32)) & np.uint32(1)) == 0)
