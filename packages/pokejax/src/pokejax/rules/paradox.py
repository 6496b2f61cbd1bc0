"""Protosynthesis and Quark Drive: the best stat grows in the sun, or by Booster Energy."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from pokejax import rows, stages
from pokejax.battle import Battle, gated
from pokejax.picking import pick
from pokejax.rules.faint import use_up
from pokejax.rules.numbers import NEUTRAL, staged
from pokejax.rules.telling import tell_ability

GROWN, GROWN_SPEED = 5325, 6144


def best_stat(b: Battle, number: int) -> Any:
    """One plus the number of the highest stat after its stage; of equals the first."""
    pokemon = b.pokemon(number)
    bare = (pokemon.atk, pokemon.def_, pokemon.spa, pokemon.spd, pokemon.spe)
    word = b.side(number).boosts

    def make() -> Any:
        best, found = jnp.zeros_like(pokemon.atk), jnp.zeros_like(pokemon.atk)
        for stat, value in enumerate(bare):
            value = staged(value, stages.one(word, stat))
            found = pick(value > best, stat + 1, found)
            best = jnp.maximum(value, best)
        return found

    return b.once(("best stat", number), (*bare, word), make)


def notice_weather(b: Battle, number: int, where: Any) -> None:
    """The sun comes or goes (``onWeatherChange``)."""
    where = where & (b.ability(number).paradox == rows.SUNLIGHT)
    b.gate("notice weather", where, lambda inner: _notice(inner, number, where, inner.weather == rows.SUN))


def notice_terrain(b: Battle, number: int, where: Any) -> None:
    """The same of Electric Terrain and Quark Drive (``onTerrainChange``)."""
    wakes = b.ability(number).paradox == rows.CURRENT
    _notice(b, number, where & wakes, b.view.terrain == rows.ELECTRIC_TERRAIN)


def notice(b: Battle, number: int, where: Any) -> None:
    """Whoever comes in looks at what wakes its ability."""
    _notice(b, number, where & (b.ability(number).paradox > 0), shines(b, number))


def shines(b: Battle, number: int) -> Any:
    """Whether the field wakes a paradox ability."""
    wakes = b.ability(number).paradox
    sunny, charged = b.weather == rows.SUN, b.view.terrain == rows.ELECTRIC_TERRAIN
    return ((wakes == rows.SUNLIGHT) & sunny) | ((wakes == rows.CURRENT) & charged)


def _notice(b: Battle, number: int, where: Any, shining: Any) -> None:
    side = b.side(number)
    where = where & ~side.fainted
    _grow(b, number, where & shining & (side.best_stat == 0))
    side.set("best_stat", 0, where=where & ~shining & ~side.from_booster)


@gated("paradox")
def _grow(b: Battle, number: int, where: Any) -> None:
    """The best stat is the one that grows."""
    tell_ability(b, number, where)
    b.side(number).set("best_stat", best_stat(b, number), where=where)


def use_booster(b: Battle, number: int, where: Any) -> None:
    """Booster Energy is used up where nothing else wakes the ability."""
    side = b.side(number)
    where = where & b.item(number).booster & ~side.unstarted & (b.ability(number).paradox > 0)
    _use_booster(b, number, where & (side.hp > 0) & ~side.fainted & ~side.queued_run_switch)


@gated("Booster Energy")
def _use_booster(b: Battle, number: int, where: Any) -> None:
    side = b.side(number)
    where = where & ~shines(b, number)
    new = where & (side.best_stat == 0)
    _grow(b, number, new)
    side.set("from_booster", True, where=new)
    use_up(b, number, where)


def growth(b: Battle, number: int, stat: Any) -> Any:
    """By what a stat is multiplied (`rows.BOOSTS` numbers it)."""
    grown = b.side(number).best_stat == stat + 1
    return pick(grown, pick(stat == rows.SPE, GROWN_SPEED, GROWN), NEUTRAL)
