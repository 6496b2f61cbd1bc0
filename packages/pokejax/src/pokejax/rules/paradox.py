"""Protosynthesis and Quark Drive: the best stat grows in the sun, or by Booster Energy."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from pokejax import rows
from pokejax.battle import Battle
from pokejax.rules.faint import use_up
from pokejax.rules.numbers import NEUTRAL, staged
from pokejax.rules.telling import tell_ability

GROWN, GROWN_SPEED = 5325, 6144


def best_stat(b: Battle, number: int) -> Any:
    """One plus the number of the highest stat after its stage; of equals the first."""
    side, pokemon = b.side(number), b.pokemon(number)
    best, found = jnp.zeros_like(pokemon.atk), jnp.zeros_like(pokemon.atk)
    for stat, bare in enumerate((pokemon.atk, pokemon.def_, pokemon.spa, pokemon.spd, pokemon.spe)):
        value = staged(bare, side.boosts[stat])
        found = jnp.where(value > best, stat + 1, found)
        best = jnp.maximum(value, best)
    return found


def notice_weather(b: Battle, number: int, where: Any) -> None:
    """The sun comes or goes (``onWeatherChange``)."""
    side = b.side(number)
    where = where & ~side.fainted & (b.ability(number).paradox == rows.SUNLIGHT)
    sunny = b.view.weather == rows.SUN
    wakes = where & sunny & (side.best_stat == 0)
    tell_ability(b, number, wakes)
    side.set("best_stat", best_stat(b, number), where=wakes)
    side.set("best_stat", 0, where=where & ~sunny & ~side.from_booster)


def use_booster(b: Battle, number: int, where: Any) -> None:
    """Booster Energy is used up where nothing else wakes the ability."""
    side, wakes = b.side(number), b.ability(number).paradox
    idle = (wakes == rows.CURRENT) | ((wakes == rows.SUNLIGHT) & (b.view.weather != rows.SUN))
    where = where & b.item(number).booster & idle & (side.hp > 0) & ~side.fainted & ~side.queued_run_switch
    new = where & (side.best_stat == 0)
    side.set("best_stat", best_stat(b, number), where=new)
    side.set("from_booster", True, where=new)
    tell_ability(b, number, new)
    use_up(b, number, where)


def growth(b: Battle, number: int, stat: Any) -> Any:
    """By what a stat is multiplied (`rows.BOOSTS` numbers it)."""
    grown = b.side(number).best_stat == stat + 1
    return jnp.where(grown, jnp.where(stat == rows.SPE, GROWN_SPEED, GROWN), NEUTRAL)
