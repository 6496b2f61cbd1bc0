"""The interpreter of effect programs: registers, one row after the other, questions in between (EFFECTS.md).

Programs wait on one another in a stack; the top one runs.  A pass reads its registers, runs the rows that only count,
then one row that acts, and writes the registers back.  A question leaves the row where it is, to be carried out when
the answer is there.
"""

from __future__ import annotations

import functools
from typing import Any, Final

from rlenv_shared import control
from tcgjax import board, xp, zones
from tcgjax.arrays import Record, at, one_of, put, when, when_itself
from tcgjax.board import OWNERS
from tcgjax.codes import ANY_ENERGY, Op
from tcgjax.counting import Reader, Row, count_and_test, is_pure, read, skips, who_is_meant
from tcgjax.layout import NOBODY
from tcgjax.modifiers import matches
from tcgjax.operations import ACTS, asked_by, list_what_is_picked, moving
from tcgjax.operations.common import Body
from tcgjax.questions import ask
from tcgjax.tables import Cards

REGISTERS: Final = ["number", "row", "flag", "n", "healed", "chosen", "spot", "parked", "picked", "played"]
"""Fields of a program that its rows may change."""
MOST_COUNTS: Final = 16  # rows that only count, in one pass: as many as a program can have
WITH_PARAMETER: Final = (Op.COUNT_POKEMON, Op.COUNT_ENERGY, Op.CHOOSE)
UNSEEN: Final = (  # ops that change nothing of what modifiers are counted with
    *(Op.FLIP, Op.FLIP_N, Op.FLIP_TAILS, Op.CHOOSE, Op.CHOOSE_SPOT, Op.MAY, Op.CHOOSE_OPTION, Op.STOP),
    *(Op.BASE_ADD, Op.BASE_ADD_N, Op.BASE_N, Op.SPREAD, Op.SPREAD_N, Op.SPREAD_ENERGY, Op.RANDOM_SPREAD, Op.IGNORE),
    *(Op.LOOK_TOP, Op.REVEAL_HAND, Op.END_TURN, Op.AGAIN, Op.NEXT_COIN_HEADS),
)
ANY_TYPES: Final = (Op.DISCARD_ENERGY, Op.DISCARD_ALL, Op.DISCARD_RANDOM_ANY, Op.MOVE_ENERGY)


def load(game: Record) -> None:
    """Read the registers of the top program into the fields ``r_…``."""
    top = game.programs - 1
    for name in REGISTERS:
        setattr(game, f"r_{name}", at(getattr(game, name), top))
    fixed = {name: at(getattr(game, name), top) for name in ("me", "source", "by", "cause", "held", "strikes")}
    game.r_me = fixed["me"].astype(xp.int32)
    game.r_strikes, game.r_held, game.r_by = fixed["strikes"], fixed["held"], fixed["by"]
    game.r_source, game.r_source_place = fixed["source"], board.place_of(game, fixed["source"])
    game.r_cause_place, game.r_by_place = board.place_of(game, fixed["cause"]), board.place_of(game, fixed["by"])
    game.r_waits, game.r_stays = xp.bool_(False), xp.bool_(False)


def run(game: Record, cards: Cards, rules: Record, here: Any) -> None:
    """One pass of the top program where a flag holds; nothing elsewhere."""
    top = xp.where(here, game.programs - 1, NOBODY)
    load(game)
    count_on(game, cards, rules, here)
    length = cards.program(game.r_number, 0)
    ended = game.r_row >= length
    row = next_row(cards, game)
    acts = here & ~ended & ~skips(row, game.r_flag) & ~is_pure(row.op)
    row = row._replace(op=xp.where(acts, row.op, NOBODY))
    when_itself("row", acts, lambda g: act(g, cards, rules, row), game)
    game.stale = game.stale | (acts & ~one_of(row.op, UNSEEN))
    goes_on = ~ended & ~game.r_waits & ~game.r_stays
    game.r_row = game.r_row + goes_on
    game.r_parked = xp.where(goes_on, NOBODY, game.r_parked)

    for name in REGISTERS:
        setattr(game, name, put(getattr(game, name), top, getattr(game, f"r_{name}")))
    over = (
        here
        & (game.r_row >= cards.program(game.r_number, 0))
        & (top == game.programs - 1)
        & ~game.r_waits
        & (game.start_mode == 0)
    )
    over = over & ~game.came.any() & ~game.leaves.any()
    discards = over & game.r_played & (game.r_held >= 0)
    when("discard", discards, lambda g: zones.discard(g, g.r_held), game)
    game.programs = game.programs - over
    game.pile = xp.where(over, 0, game.pile)
    for name in [name for name in game.__dict__ if name.startswith("r_")]:
        del game.__dict__[name]


def next_row(cards: Cards, game: Record) -> Row:
    """The row that is next."""
    return read(cards, game.r_number, game.r_row)


def reader(game: Record) -> Reader:
    """Whose effect the running program is."""
    return Reader(
        game.r_me,
        game.r_source_place,
        game.r_strikes,
        game.strike_card,
        game.strike_number.astype(xp.int32),
        board.place_of(game, game.r_chosen),
        game.r_by_place,
        game.r_cause_place,
    )


def count_on(game: Record, cards: Cards, rules: Record, here: Any) -> None:
    """Carry out the rows that only count, up to the first that acts; end a program whose head does not allow it."""
    whose = reader(game)
    length = cards.program(game.r_number, 0)

    def is_next(state: Any) -> Any:
        row = state[0]
        return here & (row < length) & is_pure(read(cards, game.r_number, row).op)

    def once(state: Any) -> Any:
        row, n, flag, allowed = state
        going = is_next(state)
        last, new_n, new_flag, met = count_and_test(game, cards, rules, whose, game.r_number, row, length, n, flag)
        n, flag = xp.where(going, new_n, n), xp.where(going, new_flag, flag)
        return xp.where(going, last + 1, row), n, flag, allowed & (met | ~going)

    start = (game.r_row, game.r_n, game.r_flag, xp.bool_(True))
    row, game.r_n, game.r_flag, allowed = control.loop(is_next, once, start, MOST_COUNTS)
    game.r_row = xp.where(here & game.checks & ~allowed, length, row)
    game.checks = game.checks & ~here


def _carry_out(body: Body, cards: Cards, rules: Record, scene: Record, row: Row, game: Record) -> None:
    body(game, cards, rules, scene, row)


def act(game: Record, cards: Cards, rules: Record, row: Row) -> None:
    """Carry out a row that acts; nothing where its op is no op."""
    here = reader(game)
    meant = who_is_meant(game, rules, here, row.who)
    parameter = xp.where(one_of(row.op, WITH_PARAMETER), row.amount, 0)
    types = xp.where(one_of(row.op, ANY_TYPES), ANY_ENERGY, xp.where(row.op == Op.ATTACH_ZONE, 0, row.types))
    found = meant & matches(game, cards, rules, row.filter, row.state, types, parameter, here.source)
    shielded = here.strikes & (here.me != OWNERS) & rules.protected
    scene = Record(
        meant=meant,  # who
        found=found,  # … that match
        reached=found & ~shielded,  # … and that effects of an attack reach
        source=here.source,
        chosen=here.chosen,
        by=here.by,
        takers=who_is_meant(game, rules, here, row.arg),
        reader=here,
    )
    list_what_is_picked(game, cards, rules, scene, row)
    wanted, actor, options, may_end = asked_by(game, cards, rules, scene, row)
    answered, option = ask(game, wanted, actor, options, may_end)
    game.r_waits = game.r_waits | (wanted & ~answered)
    scene.answered, scene.option, scene.asks = answered, option, wanted
    game.__dict__.update(moving.nothing())
    game.r_move_filter = row.filter
    for ops, body in ACTS:
        name = ops[0].name.lower()
        ready = one_of(row.op, ops) & ~game.r_waits
        when(name, ready, functools.partial(_carry_out, body, cards, rules, scene, row), game)
    when("move", game.r_move_times > 0, lambda g: moving.carry_out(g, cards), game)
    for name in [name for name in game.__dict__ if name.startswith("r_move_")]:
        del game.__dict__[name]
