"""Arithmetic as Showdown rounds it: stages of stats, products in 4096ths, and what multiplies them."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from pokejax import rows, stages
from pokejax.battle import Battle
from pokejax.picking import pick
from pokejax.tables import NAMES

NEUTRAL = 4096
FIRST_ITEM = len(NAMES["ability"])
"""Of the effects that multiply, abilities come first."""


def quotient(value: Any, by: Any) -> Any:
    """``value // by`` of what is not negative, so that the sign need not be looked at."""
    return jax.lax.div(value, jnp.asarray(by, value.dtype))


def modify(value: Any, by: Any) -> Any:
    """``value * by / 4096``, halves down (``Battle.modify``)."""
    product = value.astype(jnp.uint32) * by.astype(jnp.uint32) + np.uint32(2047)
    return (product >> np.uint32(12)).astype(jnp.int32)


def chain(first: Any, second: Any) -> Any:
    """The product of two multipliers, halves up (``Battle.chain``)."""
    return (first * second + 2048) >> 12


def staged(stat: Any, stage: Any) -> Any:
    """A stat after its stage, -6 to 6."""
    return pick(stage >= 0, quotient(stat * (2 + stage), 2), quotient(stat * 2, 2 - stage))


def staged_stat(bare: Any, side: Any, stat: int) -> Any:
    """A stat after the stage that its bearer has."""
    return staged(bare, stages.one(side.boosts, stat))


def fraction(value: Any, code: Any) -> Any:
    """``value`` times one of `rows.FRACTIONS`, rounded half up."""
    result = jnp.zeros_like(value)
    for number, (above, below) in enumerate(rows.FRACTIONS[1:], start=1):
        result = pick(code == number, quotient(2 * value * above + below, 2 * below), result)
    return result


def multiplier(b: Battle, event: str, kind: str, effect: Any, facts: Any, move_type: Any) -> Any:
    """By what an ability or item multiplies in an event, in 4096ths.

    Args:
        b: the battle.
        event: one of `rows.EVENTS`.
        kind: "ability" or "item".
        effect: its number.
        facts: what holds (`facts_word`).
        move_type: type of the move, or 0.
    """
    first = effect if kind == "ability" else effect + np.int32(FIRST_ITEM)
    base = (first * np.int32(len(rows.EVENTS)) + np.int32(rows.EVENTS.index(event))) * np.int32(rows.ROWS_PER_EVENT)
    by = jnp.full_like(base, NEUTRAL)
    for k in range(rows.ROWS_PER_EVENT):
        row = b.row("modifiers", rows.MODIFIER, base + np.int32(k))
        needed = row.facts.astype(jnp.uint32)
        fits = ((facts & needed) == needed) & ((row.type == 0) | (row.type == move_type))
        by = chain(by, pick(fits, row.by, NEUTRAL))
    return by


def facts_word(**facts: Any) -> Any:
    """uint32 with a bit for each of `rows.FACTS` that holds."""
    word = None
    for name, holds in facts.items():
        bit = holds.astype(jnp.uint32) << np.uint32(rows.FACTS.index(name))
        word = bit if word is None else word | bit
    return word


def weather_facts(b: Battle) -> dict[str, Any]:
    """The weather and the terrain, as facts."""
    weather = b.weather
    return {"sun": weather == rows.SUN, "rain": weather == rows.RAIN, "sand": weather == rows.SAND,
            "snow": weather == rows.SNOW, "dull": (weather != 0) & (weather != rows.SUN),
            "current": b.view.terrain == rows.ELECTRIC_TERRAIN}  # fmt: skip
