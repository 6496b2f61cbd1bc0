"""Rows that only count and test: they fill the registers n and flag (EFFECTS.md).

They run in the heads of programs too, which decide whether a card, Ability or attack can be used, so they take the
registers as arguments and change nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from rlenv_shared import control
from tcgjax import board, xp, zones
from tcgjax.arrays import Record, at, lowest, one_of, total, when_itself, word_of
from tcgjax.board import OWNERS, PLACE
from tcgjax.codes import DECK_TYPES, MANY, Fact, Op, When, Who, Zone
from tcgjax.knockouts import MAX_POINTS
from tcgjax.layout import DECK, DISCARD, HAND, NOBODY, ROWS_OF_HEADS
from tcgjax.modifiers import matches, members
from tcgjax.tables import ROW_WIDTH, ROWS, Cards

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
TESTS: Final = (Op.CHECK, Op.CHECK_BITS, Op.REQUIRE, Op.SET_COUNT)
"""Those that need nothing but the registers."""
MOST_TESTS: Final = 2  # that follow a row within the same pass
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
    idle = skips(row, flag)
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
        when_itself("count energy", row.op == Op.COUNT_ENERGY, of_units, box)
        when_itself("count types", row.op == Op.COUNT_TYPES, of_types, box)

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
    when_itself("count places", of_place, of_places, box)
    when_itself("count cards", row.op == Op.COUNT_CARDS, of_cards, box)
    when_itself("count facts", row.op == Op.COUNT_FACT, of_facts, box)
    return test(row, box.n, flag)


def test(row: Row, n: Any, flag: Any) -> tuple[Any, Any, Any]:
    """Carry out a row that tests, or sets n: as `count`, of which no other row is changed by this."""
    idle = skips(row, flag)
    within = (row.amount <= n) & ((row.arg == MANY) | (n <= row.arg))
    bits = ((row.amount >> xp.clip(n, 0, 31)) & 1) != 0
    tested = xp.where(row.op == Op.CHECK, within, xp.where(row.op == Op.CHECK_BITS, bits, flag))
    met = (row.op != Op.REQUIRE) | flag
    n = xp.where((row.op == Op.SET_COUNT) & ~idle, row.amount, n)
    return n, xp.where(idle, flag, tested), met | idle


def count_and_test(
    game: Record, cards: Cards, rules: Record, reader: Reader, program: Any, row: Any, end: Any, n: Any, flag: Any
) -> tuple[Any, Any, Any, Any]:
    """Carry out a row that counts or tests, and the tests that follow it.

    Args:
        game: the game.
        cards: tables.
        rules: what holds now.
        reader: whose effect the program is.
        program: its number.
        row: the first row.
        end: of the rows that may run.
        n: register.
        flag: register.

    Returns:
        The last row that ran, n, flag, and whether every REQUIRE was met.
    """
    n, flag, met = count(game, cards, rules, reader, read(cards, program, row), n, flag)
    goes_on = row + 1 < end
    for _ in range(MOST_TESTS):
        following = read(cards, program, row + 1)
        goes_on = goes_on & one_of(following.op, TESTS)
        new_n, new_flag, is_met = test(following, n, flag)
        n, flag, met = xp.where(goes_on, new_n, n), xp.where(goes_on, new_flag, flag), met & (is_met | ~goes_on)
        row = row + goes_on
        goes_on = goes_on & (row + 1 < end)
    return row, n, flag, met


def read(cards: Cards, program: Any, row: Any) -> Row:
    """A row of a program; the last one for those behind it."""
    numbers = cards.row(program, xp.minimum(row, ROWS - 1))
    return Row(*(numbers[i] for i in range(ROW_WIDTH)))


def fact(game: Record, cards: Cards, rules: Record, reader: Reader, row: Row) -> Any:
    """A number that belongs to the game or its history, int32."""
    box = Record(number=xp.int32(0))
    for name, codes, family in FACTS:

        def choose(box: Record, codes: tuple[Fact, ...] = codes, family: Facts = family) -> None:
            for code, value in zip(codes, family(game, cards, rules, reader, row), strict=True):
                box.number = xp.where(row.arg == code, xp.asarray(value).astype(xp.int32), box.number)

        when_itself(f"fact {name}", one_of(row.arg, codes), choose, box)
    return box.number


def of_points(game: Record, cards: Cards, rules: Record, reader: Reader, row: Row) -> tuple[Any, ...]:
    """Points, and what was lost for them."""
    me = reader.me
    points = at(game.points, me), at(game.points, 1 - me)
    lost = (at(game.lost_turn, me) == game.turn - 1) & (game.turn > 1) & ((at(game.lost_types, me) & row.types) != 0)
    return *points, xp.maximum(0, MAX_POINTS - points[1]), lost, at(game.lost_count, me)


def of_attacks(game: Record, cards: Cards, rules: Record, reader: Reader, row: Row) -> tuple[Any, ...]:
    """Attacks used, and what the running one did."""
    me = reader.me
    uses_then = (at(game.last_use, me) == game.turn - 2) | (at(game.prior_use, me) == game.turn - 2)
    name = cards.attack(reader.card, reader.number, np.int32(0))
    uses = at(game.uses, me) - (reader.strikes & (name == row.amount))
    target = board.place_of(game, game.target)
    knocked_out = reader.strikes & (target >= 0) & (at(rules.hp, target) == 0)
    return uses_then & (game.turn > 2), uses, knocked_out


def of_pokemon(game: Record, cards: Cards, rules: Record, reader: Reader, row: Row) -> tuple[Any, ...]:
    """Pokémon in play."""
    me, source = reader.me, reader.source
    front = board.active_place(1 - me)
    mine, theirs = (me == OWNERS) & rules.there, (me != OWNERS) & rules.there
    return (
        xp.where(source >= 0, at(game.damage, source) // 10, 0),
        xp.where(source >= 0, at(rules.hp, source) // 10, 0),
        xp.where(at(rules.there, front), at(rules.retreat, front), 0),
        100 + total(mine) - total(theirs),
        3 - total(theirs & ~board.ACTIVE),
    )


def of_energy(game: Record, cards: Cards, rules: Record, reader: Reader, row: Row) -> tuple[Any, ...]:
    """Energy on the source and on the opponent's Active, in the discard pile and in the Zone."""
    me, front = reader.me, board.active_place(1 - reader.me)
    own = xp.where(reader.source >= 0, at(rules.units, reader.source), 0)
    theirs = xp.where(at(rules.there, front), at(rules.units, front), 0)
    wanted = ((row.types >> np.arange(9, dtype=np.int32)) & 1) != 0
    return (
        total((own > 0) & (theirs > 0)),
        100 + total(own) - total(theirs),
        extra_energy(cards, reader, row, own),
        total(xp.where(wanted, at(game.discard_energy, me), 0)),
        at(game.zone_energy, me) >= 0,
    )


def of_trainers(game: Record, cards: Cards, rules: Record, reader: Reader, row: Row) -> tuple[Any, ...]:
    """Trainer cards in play and played, and the hands."""
    me, there = reader.me, game.stadium >= 0
    tools = xp.sum(game.tools >= 0, axis=1, dtype=xp.int32)
    return (
        at(game.supporters, me),
        there,
        total(xp.where(me == OWNERS, tools, 0)),
        total(tools) + there,
        100 + zones.size(game, HAND, me) - zones.size(game, HAND, 1 - me),
    )


Facts = Callable[[Record, Cards, Record, Reader, Row], tuple[Any, ...]]
FACTS: Final[tuple[tuple[str, tuple[Fact, ...], Facts], ...]] = (
    (
        "points",
        (Fact.MY_POINTS, Fact.FOE_POINTS, Fact.FOE_REMAINING, Fact.LOST_TO_ATTACK, Fact.LOST_THIS_GAME),
        of_points,
    ),
    ("attacks", (Fact.ATTACK_USED_LAST_TURN, Fact.ATTACK_USED_THIS_GAME, Fact.KNOCKED_OUT_TARGET), of_attacks),
    (
        "board",
        (Fact.SELF_DAMAGE, Fact.SELF_HP, Fact.FOE_RETREAT, Fact.POKEMON_DIFFERENCE, Fact.FOE_FREE_BENCH),
        of_pokemon,
    ),
    (
        "energy",
        (Fact.SHARED_ENERGY, Fact.ENERGY_DIFFERENCE, Fact.EXTRA_ENERGY, Fact.DISCARD_ENERGY, Fact.CURRENT_ENERGY),
        of_energy,
    ),
    (
        "trainers",
        (Fact.SUPPORTERS_PLAYED, Fact.STADIUM_IN_PLAY, Fact.TOOLS, Fact.REMOVABLE, Fact.HAND_DIFFERENCE),
        of_trainers,
    ),
)
"""Facts that are counted together, each family where somebody asks for one of it."""


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
        program, end = at(programs, number), at(heads, number)
        row, n, flag, met = count_and_test(game, cards, rules, reader, program, xp.where(here, row, 0), end, n, flag)
        this = xp.where(here, np.uint32(1) << xp.maximum(number, 0).astype(xp.uint32), np.uint32(0))
        refused = refused | xp.where(met, np.uint32(0), this)
        ends = ~met | (row + 1 >= end)
        left = left & ~xp.where(ends, this, np.uint32(0))
        return left, refused, xp.where(ends, 0, row + 1), xp.where(ends, 0, n), flag & ~ends

    start = (word_of(where & (heads > 0)), xp.uint32(0), xp.int32(0), xp.int32(0), xp.bool_(False))
    refused = control.loop(goes_on, once, start, programs.shape[0] * ROWS_OF_HEADS)[1]
    return where & (((refused >> np.arange(programs.shape[0], dtype=np.uint32)) & np.uint32(1)) == 0)
