"""What a move becomes in its user's hands before it is used: another type, another power (``ModifyType``)."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from pokejax import rows
from pokejax.battle import STELLAR, Battle, number_of
from pokejax.picking import pick
from pokejax.rules.mechanics.damage import NORMAL, WATER
from pokejax.rules.mechanics.numbers import quotient, staged_stat

STELLAR_POWER = 100
"""Of Tera Blast."""
GHOST = number_of("type", "Ghost")
DARK = number_of("type", "Dark")
WEATHER_TYPES = {rows.SUN: "Fire", rows.RAIN: "Water", rows.SAND: "Rock", rows.SNOW: "Ice"}


def shape(b: Battle, move: Any, used: Any) -> None:
    """All of it, in Showdown's order; it draws where the move is ``used``."""
    take_tera_type(b, move)
    take_form(b, move)
    retype(b, move)
    weigh_stats(b, move, used)
    force(b, move)


def take_tera_type(b: Battle, move: Any) -> None:
    """Tera Blast has the user's tera type, and strikes with its better stat; a Stellar one costs stages."""
    user, pokemon = b.side(0), b.pokemon(0)
    stellar = user.terastallized & (pokemon.tera_type == STELLAR)
    with b.when(move.tera_blast & stellar):
        move.power = STELLAR_POWER
        move.self_boosts = b.params.parting
    becomes = (move.tera_blast & user.terastallized) | (move.tera_starstorm & stellar)
    with b.when(becomes):
        move.type = pokemon.tera_type
    stronger = staged_stat(pokemon.atk, user, rows.ATK) > staged_stat(pokemon.spa, user, rows.SPA)
    with b.when((becomes | move.photon_geyser) & stronger):
        move.category = rows.PHYSICAL


def weigh_stats(b: Battle, move: Any, used: Any) -> None:
    """Shell Side Arm strikes physically, and touches, where that does more; a coin decides between equals."""
    user, target, own, other = b.side(0), b.side(1), b.pokemon(0), b.pokemon(1)

    def strength(attack: Any, defense: Any) -> Any:
        return quotient(quotient((quotient(2 * own.level, 5) + 2) * 90 * attack, jnp.maximum(defense, 1)), 50)

    physical = strength(staged_stat(own.atk, user, rows.ATK), staged_stat(other.def_, target, rows.DEF))
    special = strength(staged_stat(own.spa, user, rows.SPA), staged_stat(other.spd, target, rows.SPD))
    with b.when(used & move.shell_side_arm):
        with b.when(physical == special) as even:
            lucky = b.draw(2, "Shell Side Arm") < 1
        with b.when((physical > special) | (even & lucky)):
            move.category = rows.PHYSICAL
            move.contact = True


def take_form(b: Battle, move: Any) -> None:
    """Weather Ball follows the weather, Judgment a plate, Raging Bull the breed, Curse its user's type."""
    weather, plate, breed = b.weather, b.item(0).plate, b.pokemon(0)
    with b.when(move.weather_ball):
        for number, name in WEATHER_TYPES.items():
            with b.when(weather == number):
                move.type = number_of("type", name)
        with b.when(weather != 0):
            move.power = 2 * move.power
    with b.when(move.judgment & (plate > 0)):
        move.type = plate
    with b.when((move.follows_breed > 0) & (move.follows_breed == breed.base)):
        move.type = pick(breed.type2 > 0, breed.type2, breed.type1)
    with b.when(move.revelation_dance):
        move.type = b.types(0)[0]
    with b.when(move.aura_wheel & (b.side(0).form > 0)):
        move.type = DARK
    haunts = b.has_type(0, GHOST)
    with b.when(move.curse & haunts):
        move.self_boosts = 0
    with b.when(move.curse & ~haunts):
        move.volatile = 0
        move.target = rows.AT_SELF


def retype(b: Battle, move: Any) -> None:
    """Pixilate and Galvanize give moves of type Normal another, Liquid Voice sounds (``ModifyType``)."""
    ability = b.ability(0)
    own_way = move.judgment | move.weather_ball | (move.tera_blast & b.side(0).terastallized)
    with b.when((ability.retypes > 0) & (move.type == NORMAL) & ~own_way):
        move.type = ability.retypes
        move.retyped = True
    with b.when(ability.liquid_voice & move.sound):
        move.type = WATER


def force(b: Battle, move: Any) -> None:
    """Sheer Force gives up what a move does besides damage, and what it costs, for power."""
    with b.when(b.ability(0).sheer_force & (move.secondaries > 0)):
        move.forced = True
        move.secondaries = 0
        move.self_boosts = 0
