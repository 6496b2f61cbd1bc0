"""Speed, which is computed at some points only and remembered in between (``Pokemon.updateSpeed``)."""

from __future__ import annotations

from typing import Any

from pokejax import rows
from pokejax.battle import Battle
from pokejax.picking import pick
from pokejax.rules.mechanics.numbers import (
    NEUTRAL,
    chain,
    facts_word,
    modify,
    multiplier,
    quotient,
    staged_stat,
    weather_facts,
)
from pokejax.rules.mechanics.paradox import growth

TRUNCATED = 2**13 - 1
REVERSED = 10_000
"""In a Trick Room speed is what is missing to this, of which thirteen bits are kept."""


def current_speed(b: Battle, number: int) -> Any:
    """An active Pokémon's speed as it is now."""
    side, pokemon = b.side(number), b.pokemon(number)
    ailing = side.status != 0
    facts = facts_word(has_status=ailing, slow=side.slow > 0, **weather_facts(b))
    by = chain(
        multiplier(b, "ModifySpe", "ability", b.ability_number(number), facts, 0),
        multiplier(b, "ModifySpe", "item", side.item, facts, 0),
    )
    by = chain(by, pick(side.unburdened & (side.item == 0), 2 * NEUTRAL, NEUTRAL))
    by = chain(by, growth(b, number, rows.SPE))
    by = pick(side.tailwind > 0, 2 * by, by)
    speed = modify(staged_stat(pokemon.spe, side, rows.SPE), by)
    slowed = (side.status == rows.PAR) & ~b.ability(number).quick_feet
    speed = pick(slowed, quotient(speed, 2), speed)
    return pick(b.view.trick_room > 0, REVERSED - speed, speed) & TRUNCATED


def update_speeds(b: Battle) -> None:
    """Both active Pokémon's speeds are looked at again, if they stand."""
    for number in (0, 1):
        side = b.side(number)
        with b.when(~side.fainted):
            b.ask_unaware()
            side.speed = current_speed(b, number)
