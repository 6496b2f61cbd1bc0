"""Triggers: programs that start when something happens (kinds of modifiers from 60 on).

The sweep collects those of one event and `fire` puts them on the stack of programs.  Energy from the Zone is different:
it can come several times within one row of a program, so the sweep notes who would react to what.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tcgjax import board, xp
from tcgjax.arrays import Record, at, bit, first, put, repeat, when_itself, word_of
from tcgjax.board import OWNERS
from tcgjax.codes import Kind, ModifierColumn
from tcgjax.kinds import bit_of
from tcgjax.layout import INSTANCES, NOBODY, PLACES, PROGRAMS, SLOTS
from tcgjax.tables import Cards, Columns

NONE, ON_HIT, ON_KNOCK_OUT, RETREATED, BEGIN, OWN_END, OTHER_END, CHECKUP = range(8)
"""Events; at the end of a turn the ending player's effects and those of the other one, one after the other."""
MOST_UNITS: Final = 128  # of energy that can come at once
M = ModifierColumn
STACK: Final = (
    *[
        "number",
        "me",
        "strikes",
        "played",
        "row",
        "flag",
        "n",
        "healed",
        "source",
        "by",
        "cause",
        "held",
        "chosen",
        "spot",
        "parked",
        "picked",
    ],
    "programs",
    "overflow",
)
"""Fields of the stack of programs."""
KINDS: Final = {
    NONE: (),
    ON_HIT: (Kind.ON_HIT,),
    ON_KNOCK_OUT: (Kind.ON_KO, Kind.ON_KO_FOE),
    RETREATED: (Kind.ON_FOE_RETREAT,),
    BEGIN: (Kind.BEGIN_TURN,),
    OWN_END: (Kind.END_MY_TURN, Kind.END_ANY_TURN, Kind.END_FIRST_TURN, Kind.END_EACH_PLAYERS_TURN),
    OTHER_END: (Kind.END_FOE_TURN, Kind.END_ANY_TURN),
    CHECKUP: (Kind.CHECKUP,),
}


def nothing_found() -> dict[str, Any]:
    """What a sweep notes of triggers, before it begins."""
    none = xp.full((PROGRAMS,), NOBODY, xp.int32)
    zeros = xp.zeros((PROGRAMS,), xp.int32)
    return {
        "present": xp.int32(0),  # bits of the kinds in force, wherever they are
        "found": xp.int32(0),  # triggers of the event
        "found_program": zeros,
        "found_owner": zeros,
        "found_source": none,
        "found_by": none,
        "found_cause": none,
        "found_held": none,
        "found_group": none,  # who runs: 2 before 1 before 0; within 2 the last one first; at the end of a turn 1 first
        "found_origin": none,  # what has its effect at the end of a turn
        "zone_program": xp.zeros((PLACES,), xp.int32),
        "zone_owner": xp.zeros((PLACES,), xp.int32),
        "zone_types": xp.zeros((PLACES,), xp.int32),
        "zone_affects": xp.zeros((PLACES,), xp.uint32),  # of each source, as bits: where the energy comes
    }


def mask_of(event: int) -> np.int32:
    """The kinds of triggers of an event as bits."""
    return np.int32(sum(int(bit_of(kind)) for kind in KINDS[event]))


def kinds_at(event: Any) -> Any:
    """The kinds of triggers of an event that is known at run time, as bits; int32."""
    found = xp.int32(0)
    for code in KINDS:
        found = xp.where(event == code, mask_of(code), found)
    return found


def are_there(rules: Record, event: int) -> Any:
    """Whether any trigger of an event is in force."""
    return (rules.present & mask_of(event)) != 0


def weigh(game: Record, cards: Cards, rules: Record, m: Columns, affects: Any, on_player: Any, found: Record) -> None:
    """Note a modifier if it is a trigger."""
    reacts = m[M.KIND] == Kind.ON_ZONE_ENERGY
    due = (cards.kind_bits(found.modifier) & game.event_kinds) != 0
    when_itself("event", due, lambda r: weigh_event(game, r, m, affects, on_player, found), rules)
    when_itself("zone energy", reacts, lambda r: weigh_reaction(r, m, affects, found), rules)


def weigh_reaction(rules: Record, m: Columns, affects: Any, found: Record) -> None:
    """Note who reacts to energy from the Zone."""
    reacts = xp.where(m[M.KIND] == Kind.ON_ZONE_ENERGY, found.place, NOBODY)
    rules.zone_program = put(rules.zone_program, reacts, m[M.PROGRAM])
    rules.zone_owner = put(rules.zone_owner, reacts, found.owner)
    rules.zone_types = put(rules.zone_types, reacts, m[M.ARG])
    rules.zone_affects = put(rules.zone_affects, reacts, word_of(affects))


def weigh_event(game: Record, rules: Record, m: Columns, affects: Any, on_player: Any, found: Record) -> None:
    """Note a modifier if it is a trigger of the event that is due."""
    kind, event = m[M.KIND], game.event
    owner, place, card = found.owner, found.place, found.card
    current = game.current.astype(xp.int32)
    holds = at(affects, place) & (place >= 0)
    mine = owner == current
    ends = (kind == Kind.END_ANY_TURN) | xp.where(mine, kind == Kind.END_MY_TURN, kind == Kind.END_FOE_TURN)
    ends = ends | (mine & (kind == Kind.END_FIRST_TURN) & (at(game.turns, current) == 1))
    each = (kind == Kind.END_EACH_PLAYERS_TURN) & at(on_player, current)
    names = board.identity(game)
    origin = xp.where(card >= 0, card, xp.where(place >= 0, at(names, place), NOBODY))
    fresh = ~at(game.ended, origin)
    suffered = victims_of(game, rules, event)
    victims = affects & suffered
    victim = first(victims)
    attacker_in_play = game.attacker_place >= 0
    scored = at(affects, game.attacker_place) & attacker_in_play & suffered.any()
    group = xp.int32(-1)
    for where, number in (
        ((event == OWN_END) & ends & holds & mine & fresh, 1),
        ((event == OWN_END) & each & fresh, 2),
        ((event == OTHER_END) & ends & holds & ~mine & fresh, 0),
        ((event == CHECKUP) & (kind == Kind.CHECKUP) & holds & mine, 1),
        ((event == CHECKUP) & (kind == Kind.CHECKUP) & holds & ~mine, 0),
        ((event == BEGIN) & (kind == Kind.BEGIN_TURN) & holds & mine, 1),
        ((event == RETREATED) & (kind == Kind.ON_FOE_RETREAT) & holds & ~mine, 2),
        ((event == ON_HIT) & (kind == Kind.ON_HIT) & victims.any(), 1),
        ((event == ON_KNOCK_OUT) & (kind == Kind.ON_KO) & victims.any(), 1),
        ((event == ON_KNOCK_OUT) & (kind == Kind.ON_KO_FOE) & scored, 2),
    ):
        group = xp.where(where, np.int32(number), group)

    by_attack = (event == ON_HIT) | ((event == ON_KNOCK_OUT) & (kind == Kind.ON_KO))
    holder = xp.where(place >= 0, place, victim)
    holder = xp.where(by_attack, holder, place)
    source = xp.where(holder >= 0, at(names, holder), NOBODY)
    source = xp.where(group == 2, xp.where(event == OWN_END, NOBODY, source), source)
    source = xp.where(kind == Kind.ON_KO_FOE, game.attacker, source)
    cause = xp.where(by_attack, at(names, victim), NOBODY)
    cause = xp.where(kind == Kind.ON_KO_FOE, at(names, first(suffered)), cause)
    cause = xp.where(event == RETREATED, game.retreats_for, cause)
    card = xp.where(kind == Kind.ON_KO_FOE, NOBODY, xp.where(event == RETREATED, NOBODY, card))
    times = xp.where(kind == Kind.ON_KO_FOE, xp.sum(suffered, dtype=xp.int32), 1)  # once for each Knock Out
    times = xp.where(group >= 0, times, 0)
    index = np.arange(PROGRAMS, dtype=np.int32)
    spots = (index >= rules.found) & (index < rules.found + times)
    for name, value in (
        ("program", m[M.PROGRAM]),
        ("owner", xp.where(each, current, owner)),
        ("source", source),
        ("by", xp.where(by_attack, game.attacker, NOBODY)),
        ("cause", cause),
        ("held", card),
        ("group", group),
        ("origin", origin),
    ):
        setattr(rules, f"found_{name}", xp.where(spots, value, getattr(rules, f"found_{name}")))
    rules.found = rules.found + times


def at_the_end(event: Any) -> Any:
    """Whether it is one of the events at the end of a turn, whose effects come one after the other."""
    return (event == OWN_END) | (event == OTHER_END)


def fire(game: Record, rules: Record) -> None:
    """Put the triggers that the sweep collected on the stack; at the end of a turn the first one alone."""
    group, count = rules.found_group, xp.minimum(rules.found, PROGRAMS)
    alone = at_the_end(game.event)
    mine = group == 1
    chosen = first(xp.where(mine.any(), mine, group >= 0))
    origin = xp.where(alone, at(rules.found_origin, chosen), NOBODY)
    game.ended = game.ended | ((origin == np.arange(INSTANCES)) & (origin >= 0))
    index = np.arange(PROGRAMS, dtype=np.int32)
    sizes = [xp.sum(group == number, dtype=xp.int32) for number in range(3)]
    same = group[None, :] == group[:, None]
    before = xp.sum(same & (index[None, :] < index[:, None]), axis=1, dtype=xp.int32)
    to = xp.where(group == 0, sizes[0] - 1 - before, sizes[0] + sizes[1] - 1 - before)
    to = xp.where(group == 2, sizes[0] + sizes[1] + before, to)
    to = xp.where(index < count, to + game.programs, NOBODY)
    to = xp.where(alone, xp.where(index == chosen, game.programs, NOBODY), to)
    values = {name: getattr(rules, f"found_{name}") for name in ("source", "by", "cause", "held")}
    write(game, to, rules.found_program, rules.found_owner, **values)
    game.overflow = game.overflow | (game.programs + rules.found > PROGRAMS)
    game.programs = xp.minimum(game.programs + xp.where(alone, 1, count), PROGRAMS)


def push(game: Record, number: Any, me: Any, where: Any = True, **parts: Any) -> None:
    """Put a program on the stack; `overflow` if there is no room for it.

    Args:
        game: changed.
        number: of the program.
        me: the player whose effect it is.
        where: flag.
        parts: ``source``, ``by``, ``cause`` (Pokémon), ``held`` (instance), ``strikes``, ``played`` (flags).
    """
    push_all(game, xp.asarray(where)[None], xp.asarray(number)[None], xp.asarray(me)[None], **parts)


def push_all(game: Record, where: Any, numbers: Any, me: Any, **parts: Any) -> None:
    """Put several programs on the stack, the last one on top; arguments as of `push`, with a first axis or without."""
    before = xp.stack([xp.sum(where[:i], dtype=xp.int32) for i in range(where.shape[0])])
    to = xp.where(where, game.programs + before, PROGRAMS)
    write(game, xp.where(to < PROGRAMS, to, NOBODY), numbers, me, **parts)
    count = game.programs + xp.sum(where, dtype=xp.int32)
    game.overflow = game.overflow | (count > PROGRAMS)
    game.programs = xp.minimum(count, PROGRAMS)


def write(
    game: Record,
    to: Any,
    number: Any,
    me: Any,
    source: Any = NOBODY,
    by: Any = NOBODY,
    cause: Any = NOBODY,
    held: Any = NOBODY,
    strikes: Any = False,
    played: Any = False,
) -> None:
    """Write programs that have not begun into places of the stack (int32 [k]; nowhere for -1)."""
    hot = np.arange(PROGRAMS, dtype=np.int32)[:, None] == to  # [place, program]
    fresh = hot.any(axis=1)

    def spread(value: Any) -> Any:
        return xp.sum(xp.where(hot, value, 0), axis=1, dtype=xp.int32)

    given = {"number": number, "source": source, "by": by, "cause": cause, "held": held}
    for name, value in given.items():
        setattr(game, name, xp.where(fresh, spread(value), getattr(game, name)))
    for name, value in (("me", me), ("strikes", strikes), ("played", played)):
        setattr(game, name, xp.where(fresh, spread(xp.asarray(value).astype(xp.int32)) != 0, getattr(game, name)))
    empty = {"row": 0, "flag": False, "n": 0, "healed": 0, "chosen": NOBODY, "spot": NOBODY, "parked": NOBODY}
    for name, value in empty.items():
        setattr(game, name, xp.where(fresh, value, getattr(game, name)))
    game.picked = game.picked & ~fresh[:, None]


def victims_of(game: Record, rules: Record, event: Any) -> Any:
    """Whom triggers of the attack speak of: who was damaged while Active, or everybody Knocked Out; bool [8]."""
    foes = (game.attacker_owner != OWNERS) & game.damaged & rules.there
    return foes & xp.where(event == ON_HIT, game.hit_turn == game.turn, rules.max_hp <= game.damage)


def note_energy(game: Record, place_: Any, kinds: Any, count: Any) -> None:
    """So much energy of some types (bool [9]) came from the Zone to a place; `react` runs what that triggers."""
    game.came = game.came + xp.where((place_ == board.PLACE)[:, None] & kinds, count, 0)


def react(game: Record, cards: Cards, rules: Record) -> None:
    """Put on the stack what energy from the Zone triggers, Pokémon after Pokémon, own ones first, unit by unit."""
    me, names = game.came_to, board.identity(game)
    # the turn player's are the first to run and so on top
    order = xp.where(game.current, np.roll(board.PLACE[::-1], SLOTS), board.PLACE[::-1])

    def once(game: Record, came: Any) -> Any:
        mine = (came > 0) & (me == OWNERS)[:, None]
        next_ = first(xp.where(mine.any(), mine, came > 0).reshape(-1))
        there, kind = next_ // 9, next_ % 9
        reacts = bit(rules.zone_affects, there) & (((rules.zone_types >> kind) & 1) != 0) & came.any()
        parts = [at(part, order) for part in (reacts, rules.zone_program, rules.zone_owner, names)]
        push_all(game, *parts[:3], source=parts[3], cause=at(names, there))
        return came - (np.arange(PLACES * 9).reshape(PLACES, 9) == next_)

    repeat(STACK, lambda game, came: came.any(), once, game, game.came, MOST_UNITS)
