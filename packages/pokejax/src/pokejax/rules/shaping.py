"""What a move becomes in its user's hands before it is used: another type, another power (``ModifyType``)."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from pokejax import rows
from pokejax.battle import STELLAR, Battle, number_of
from pokejax.picking import pick
from pokejax.rules.damage import NORMAL, WATER
from pokejax.rules.numbers import quotient, staged_stat

STELLAR_POWER = 100
"""Of Tera Blast."""
GHOST = number_of("type", "Ghost")
DARK = number_of("type", "Dark")
WEATHER_TYPES = {rows.SUN: "Fire", rows.RAIN: "Water", rows.SAND: "Rock", rows.SNOW: "Ice"}


def shape(b: Battle, move: Any, where: Any) -> None:
    """All of it, in Showdown's order; it draws where ``where``."""
    take_tera_type(b, move)
    take_form(b, move)
    retype(b, move)
    weigh_stats(b, move, where)
    force(b, move)


def take_tera_type(b: Battle, move: Any) -> None:
    """Tera Blast has the user's tera type, and strikes with its better stat; a Stellar one costs stages."""
    user, pokemon = b.side(0), b.pokemon(0)
    stellar = user.terastallized & (pokemon.tera_type == STELLAR)
    move.set("power", STELLAR_POWER, where=move.becomes_tera & stellar)
    move.set("self_boosts", b.params.parting, where=move.becomes_tera & stellar)
    becomes = (move.becomes_tera & user.terastallized) | (move.becomes_stellar & stellar)
    move.set("type", pokemon.tera_type, where=becomes)
    stronger = staged_stat(pokemon.atk, user, rows.ATK) > staged_stat(pokemon.spa, user, rows.SPA)
    move.set("category", rows.PHYSICAL, where=(becomes | move.better_stat) & stronger)


def weigh_stats(b: Battle, move: Any, where: Any) -> None:
    """Shell Side Arm strikes physically, and touches, where that does more; a coin decides between equals."""
    user, target, own, other = b.side(0), b.side(1), b.pokemon(0), b.pokemon(1)

    def strength(attack: Any, defense: Any) -> Any:
        return quotient(quotient((quotient(2 * own.level, 5) + 2) * 90 * attack, jnp.maximum(defense, 1)), 50)

    physical = strength(staged_stat(own.atk, user, rows.ATK), staged_stat(other.def_, target, rows.DEF))
    special = strength(staged_stat(own.spa, user, rows.SPA), staged_stat(other.spd, target, rows.SPD))
    where = where & move.weighs_stats
    even = where & (physical == special)
    touches = where & ((physical > special) | (even & (b.draw(even, 2, "Shell Side Arm") < 1)))
    move.set("category", rows.PHYSICAL, where=touches)
    move.set("contact", True, where=touches)


def take_form(b: Battle, move: Any) -> None:
    """Weather Ball follows the weather, Judgment a plate, Raging Bull the breed, Curse its user's type."""
    weather = b.weather
    for number, name in WEATHER_TYPES.items():
        move.set("type", number_of("type", name), where=move.follows_weather & (weather == number))
    move.set("power", 2 * move.power, where=move.follows_weather & (weather != 0))
    move.set("type", b.item(0).plate, where=move.follows_plate & (b.item(0).plate > 0))
    breed = b.pokemon(0)
    own = (move.follows_breed > 0) & (move.follows_breed == breed.base)
    move.set("type", pick(breed.type2 > 0, breed.type2, breed.type1), where=own)
    move.set("type", b.types(0)[0], where=move.follows_user)
    move.set("type", DARK, where=move.follows_form & (b.side(0).form > 0))
    haunts = b.has_type(0, GHOST)
    move.set("self_boosts", 0, where=move.curses & haunts)
    move.set("volatile", 0, where=move.curses & ~haunts)
    move.set("target", rows.AT_SELF, where=move.curses & ~haunts)


def retype(b: Battle, move: Any) -> None:
    """Pixilate and Galvanize give moves of type Normal another, Liquid Voice sounds (``ModifyType``)."""
    ability = b.ability(0)
    own_way = move.follows_plate | move.follows_weather | (move.becomes_tera & b.side(0).terastallized)
    changes = (ability.retypes > 0) & (move.type == NORMAL) & ~own_way
    move.set("type", ability.retypes, where=changes)
    move.set("retyped", True, where=changes)
    move.set("type", WATER, where=ability.liquid_voice & move.sound)


def force(b: Battle, move: Any) -> None:
    """Sheer Force gives up what a move does besides damage, and what it costs, for power."""
    forced = b.ability(0).forces & (move.secondaries > 0)
    move.set("forced", True, where=forced)
    move.set("secondaries", 0, where=forced)
    move.set("self_boosts", 0, where=forced)
