"""Protosynthesis and Quark Drive: the best stat grows in the sun, or by Booster Energy."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from pokejax import rows, stages
from pokejax.battle import Battle, gated
from pokejax.picking import pick
from pokejax.rules.mechanics.faint import use_up
from pokejax.rules.mechanics.numbers import NEUTRAL, staged
from pokejax.rules.mechanics.revealed import tell_ability

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


def notice_weather(b: Battle, number: int) -> None:
    """The sun comes or goes (``onWeatherChange``)."""
    with b.when(b.ability(number).paradox == rows.SUNLIGHT):
        b.gate("notice weather", lambda inner: _notice(inner, number, inner.weather == rows.SUN))


def notice_terrain(b: Battle, number: int) -> None:
    """The same of Electric Terrain and Quark Drive (``onTerrainChange``)."""
    with b.when(b.ability(number).paradox == rows.CURRENT):
        _notice(b, number, b.view.terrain == rows.ELECTRIC_TERRAIN)


def notice(b: Battle, number: int) -> None:
    """Whoever comes in looks at what wakes its ability."""
    with b.when(b.ability(number).paradox > 0):
        _notice(b, number, shines(b, number))


def shines(b: Battle, number: int) -> Any:
    """Whether the field wakes a paradox ability."""
    wakes = b.ability(number).paradox
    sunny, charged = b.weather == rows.SUN, b.view.terrain == rows.ELECTRIC_TERRAIN
    return ((wakes == rows.SUNLIGHT) & sunny) | ((wakes == rows.CURRENT) & charged)


def _notice(b: Battle, number: int, shining: Any) -> None:
    side = b.side(number)
    with b.when(~side.fainted):
        with b.when(shining & (side.best_stat == 0)):
            _grow(b, number)
        with b.when(~shining & ~side.from_booster):
            side.best_stat = 0


@gated("paradox")
def _grow(b: Battle, number: int) -> None:
    """The best stat is the one that grows."""
    tell_ability(b, number)
    b.side(number).best_stat = best_stat(b, number)


def use_booster(b: Battle, number: int) -> None:
    """Booster Energy is used up where nothing else wakes the ability."""
    side = b.side(number)
    stands = (side.hp > 0) & ~side.fainted & ~side.queued_run_switch
    with b.when(b.item(number).booster_energy & ~side.unstarted & (b.ability(number).paradox > 0) & stands):
        _use_booster(b, number)


@gated("Booster Energy")
def _use_booster(b: Battle, number: int) -> None:
    side = b.side(number)
    with b.when(~shines(b, number)):
        with b.when(side.best_stat == 0):
            _grow(b, number)
            side.from_booster = True
        use_up(b, number)


def growth(b: Battle, number: int, stat: Any) -> Any:
    """By what a stat is multiplied (`rows.BOOSTS` numbers it)."""
    grown = b.side(number).best_stat == stat + 1
    return pick(grown, pick(stat == rows.SPE, GROWN_SPEED, GROWN), NEUTRAL)
