"""Triggers: programs that start when something happens (kinds of modifiers from 60 on).

The sweep collects those of one event and `fire` puts them on the stack of programs.  Energy from the Zone is different:
it can come several times within one row of a program, so the sweep notes who would react to what.
"""

from __future__ import annotations

from typing import Any, Final

import jax.numpy as jnp
import numpy as np

from tcgjax import board
from tcgjax.arrays import Record, at, first, put
from tcgjax.board import OWNERS
from tcgjax.codes import Kind, ModifierColumn
from tcgjax.layout import NOBODY, PLACES, PROGRAMS

NONE, ON_HIT, ON_KNOCK_OUT, RETREATED, BEGIN, END, CHECKUP = range(7)
"""Events."""
M = ModifierColumn
BITS: Final = 60  # kinds from here on are triggers
KINDS: Final = {
    NONE: (),
    ON_HIT: (Kind.ON_HIT,),
    ON_KNOCK_OUT: (Kind.ON_KO, Kind.ON_KO_FOE),
    RETREATED: (Kind.ON_FOE_RETREAT,),
    BEGIN: (Kind.BEGIN_TURN,),
    END: (Kind.END_MY_TURN, Kind.END_FOE_TURN, Kind.END_ANY_TURN, Kind.END_FIRST_TURN, Kind.END_EACH_PLAYERS_TURN),
    CHECKUP: (Kind.CHECKUP,),
}


def nothing_found() -> dict[str, Any]:
    """What a sweep notes of triggers, before it begins."""
    none = jnp.full((PROGRAMS,), NOBODY, jnp.int32)
    zeros = jnp.zeros((PROGRAMS,), jnp.int32)
    return {
        "present": jnp.int32(0),  # bits of the kinds in force, wherever they are
        "found": jnp.int32(0),  # triggers of the event
        "found_program": zeros,
        "found_owner": zeros,
        "found_source": none,
        "found_by": none,
        "found_cause": none,
        "found_held": none,
        "found_group": none,  # who runs: 2 before 1 before 0; within 2 the last one first
        "zone_program": jnp.zeros((PLACES,), jnp.int32),
        "zone_owner": jnp.zeros((PLACES,), jnp.int32),
        "zone_types": jnp.zeros((PLACES,), jnp.int32),
        "zone_affects": jnp.zeros((PLACES, PLACES), jnp.bool_),  # [source, where the energy comes]
    }


def are_there(rules: Record, event: int) -> Any:
    """Whether any trigger of an event is in force."""
    mask = sum(1 << (int(kind) - BITS) for kind in KINDS[event])
    return (rules.present & np.int32(mask)) != 0


def weigh(
    game: Record, rules: Record, m: dict, affects: Any, on_player: Any, owner: Any, place: Any, card: Any
) -> None:
    """Note a modifier if it is a trigger."""
    kind, event = m[M.KIND], game.event
    here = kind >= BITS
    rules.present = rules.present | jnp.where(here, np.int32(1) << jnp.maximum(kind - BITS, 0), 0)

    current = game.current.astype(jnp.int32)
    holds = at(affects, place) & (place >= 0)
    mine = owner == current
    ends = (kind == Kind.END_ANY_TURN) | jnp.where(mine, kind == Kind.END_MY_TURN, kind == Kind.END_FOE_TURN)
    ends = ends | (mine & (kind == Kind.END_FIRST_TURN) & (at(game.turns, current) == 1))
    each = (kind == Kind.END_EACH_PLAYERS_TURN) & at(on_player, current)
    suffered = victims_of(game, rules, event)
    victims = affects & suffered
    victim = first(victims)
    attacker_in_play = game.attacker_place >= 0
    scored = at(affects, game.attacker_place) & attacker_in_play & suffered.any()
    group = jnp.int32(-1)
    for where, number in (
        ((event == END) & ends & holds & mine, 1),
        ((event == END) & ends & holds & ~mine, 0),
        ((event == END) & each, 2),
        ((event == CHECKUP) & (kind == Kind.CHECKUP) & holds & mine, 1),
        ((event == CHECKUP) & (kind == Kind.CHECKUP) & holds & ~mine, 0),
        ((event == BEGIN) & (kind == Kind.BEGIN_TURN) & holds & mine, 1),
        ((event == RETREATED) & (kind == Kind.ON_FOE_RETREAT) & holds & ~mine, 2),
        ((event == ON_HIT) & (kind == Kind.ON_HIT) & victims.any(), 1),
        ((event == ON_KNOCK_OUT) & (kind == Kind.ON_KO) & victims.any(), 1),
        ((event == ON_KNOCK_OUT) & (kind == Kind.ON_KO_FOE) & scored, 2),
    ):
        group = jnp.where(where, np.int32(number), group)

    names = board.identity(game)
    by_attack = (event == ON_HIT) | ((event == ON_KNOCK_OUT) & (kind == Kind.ON_KO))
    holder = jnp.where(place >= 0, place, victim)
    holder = jnp.where(by_attack, holder, place)
    source = jnp.where(holder >= 0, at(names, holder), NOBODY)
    source = jnp.where(group == 2, jnp.where(event == END, NOBODY, source), source)
    source = jnp.where(kind == Kind.ON_KO_FOE, game.attacker, source)
    cause = jnp.where(by_attack, at(names, victim), NOBODY)
    cause = jnp.where(kind == Kind.ON_KO_FOE, at(names, first(suffered)), cause)
    cause = jnp.where(event == RETREATED, game.retreats_for, cause)
    card = jnp.where(kind == Kind.ON_KO_FOE, NOBODY, jnp.where(event == RETREATED, NOBODY, card))
    spot = jnp.where(group >= 0, rules.found, NOBODY)
    for name, value in (
        ("program", m[M.PROGRAM]),
        ("owner", jnp.where(each, current, owner)),
        ("source", source),
        ("by", jnp.where(by_attack, game.attacker, NOBODY)),
        ("cause", cause),
        ("held", card),
        ("group", group),
    ):
        setattr(rules, f"found_{name}", put(getattr(rules, f"found_{name}"), spot, value))
    rules.found = rules.found + (group >= 0)

    reacts = jnp.where((kind == Kind.ON_ZONE_ENERGY) & here, place, NOBODY)
    rules.zone_program = put(rules.zone_program, reacts, m[M.PROGRAM])
    rules.zone_owner = put(rules.zone_owner, reacts, owner)
    rules.zone_types = put(rules.zone_types, reacts, m[M.ARG])
    rules.zone_affects = put(rules.zone_affects, reacts, affects)


def fire(game: Record, rules: Record) -> None:
    """Put the triggers that the sweep collected on the stack."""
    group, count = rules.found_group, jnp.minimum(rules.found, PROGRAMS)
    index = np.arange(PROGRAMS, dtype=np.int32)
    sizes = [jnp.sum(group == number, dtype=jnp.int32) for number in range(3)]
    same = group[None, :] == group[:, None]
    before = jnp.sum(same & (index[None, :] < index[:, None]), axis=1, dtype=jnp.int32)
    to = jnp.where(group == 0, sizes[0] - 1 - before, sizes[0] + sizes[1] - 1 - before)
    to = jnp.where(group == 2, sizes[0] + sizes[1] + before, to)
    to = jnp.where(index < count, to + game.programs, NOBODY)
    for entry in range(PROGRAMS):
        values = {name: at(getattr(rules, f"found_{name}"), entry) for name in ("source", "by", "cause", "held")}
        number, owner = at(rules.found_program, entry), at(rules.found_owner, entry)
        place(game, at(to, entry), number, owner, **values)
    game.overflow = game.overflow | (game.programs + rules.found > PROGRAMS)
    game.programs = jnp.minimum(game.programs + count, PROGRAMS)


def push(game: Record, number: Any, me: Any, where: Any = True, **parts: Any) -> None:
    """Put a program on the stack; `overflow` if there is no room for it.

    Args:
        game: changed.
        number: of the program.
        me: the player whose effect it is.
        where: flag.
        parts: ``source``, ``by``, ``cause`` (Pokémon), ``held`` (instance), ``strikes``, ``played`` (flags).
    """
    where = jnp.asarray(where)
    fits = where & (game.programs < PROGRAMS)
    place(game, jnp.where(fits, game.programs, NOBODY), number, me, **parts)
    game.programs = game.programs + fits
    game.overflow = game.overflow | (where & ~fits)


def place(
    game: Record,
    index: Any,
    number: Any,
    me: Any,
    source: Any = NOBODY,
    by: Any = NOBODY,
    cause: Any = NOBODY,
    held: Any = NOBODY,
    strikes: Any = False,
    played: Any = False,
) -> None:
    """Write a program that has not begun into a place of the stack."""
    fresh = {
        "number": number,
        "me": jnp.asarray(me) == 1,
        "strikes": strikes,
        "played": played,
        "row": 0,
        "flag": False,
    }
    fresh |= {"n": 0, "healed": 0, "source": source, "by": by, "cause": cause, "chosen": NOBODY, "spot": NOBODY}
    fresh |= {"held": held, "parked": NOBODY, "picked": False}
    for name, value in fresh.items():
        setattr(game, name, put(getattr(game, name), index, value))


def energy_came(game: Record, rules: Record, place_: Any, kind: Any, where: Any) -> None:
    """Triggers of energy of a type that came from the Zone to a place, attached by hand or by an effect."""
    pokemon = board.pokemon_at(game, place_)
    for source in range(PLACES):
        reacts = rules.zone_affects[source] & (((rules.zone_types[source] >> kind) & 1) != 0)
        push(
            game,
            rules.zone_program[source],
            rules.zone_owner[source],
            where & at(reacts, place_) & (place_ >= 0),
            source=board.identity(game)[source],
            cause=pokemon,
        )


def victims_of(game: Record, rules: Record, event: Any) -> Any:
    """Whom triggers of the attack speak of: the damaged Active, or everybody whom it Knocked Out; bool [8]."""
    foes = (game.attacker_owner != OWNERS) & game.damaged & rules.there
    return foes & jnp.where(event == ON_HIT, board.ACTIVE, rules.max_hp <= game.damage)


def note_energy(game: Record, place_: Any, kinds: Any) -> None:
    """Energy of some types (bool [9]) came from the Zone to a place; `react` runs what that triggers."""
    game.came = game.came | ((place_ == board.PLACE)[:, None] & kinds)


def someone_reacts(rules: Record, came: Any) -> Any:
    """Whether energy that came (bool [8, 9]) triggers anything."""
    kinds = ((rules.zone_types[:, None] >> np.arange(9, dtype=np.int32)) & 1) != 0  # [source, type]
    return (rules.zone_affects[:, :, None] & kinds[:, None, :] & came).any()


def react(game: Record, cards: Any, rules: Record, me: Any) -> None:
    """Put on the stack what energy from the Zone triggers, Pokémon after Pokémon (the player's own first), type by type."""

    def goes_on(state: Any) -> Any:
        return state[1].any()

    def once(state: Any) -> Any:
        game, came = state[0].copy(), state[1]
        mine = came & (me == OWNERS)[:, None]
        next_ = first(jnp.where(mine.any(), mine, came).reshape(-1))
        place_, kind = next_ // 9, next_ % 9
        energy_came(game, rules, place_, kind, came.any())
        return game, came & (np.arange(PLACES * 9).reshape(PLACES, 9) != next_)

    after, _ = cards.ops.loop(goes_on, once, (game, game.came), PLACES * 9)
    game.__dict__.update(after.__dict__)
