"""The end of a turn, in its order: weather, Leftovers, poison, burns, Speed Boost, what lasts one turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from pokejax import rows
from pokejax.battle import Battle
from pokejax.rules import volatiles
from pokejax.rules.boosts import boost
from pokejax.rules.faint import faint_messages, heal, hurt
from pokejax.rules.field import clear_weather
from pokejax.rules.speed import update_speeds
from pokejax.rules.status import SAND_IMMUNE, inflict
from pokejax.rules.telling import tell_item
from pokejax.rules.wishes import come_true

MOST_SHUFFLES = 5
"""Of three conditions on each of two Pokémon of one speed."""
Handler = Callable[[Battle, int, Any], None]


def residual(b: Battle, where: Any) -> None:
    """Everything that happens when both have moved.

    All handlers are sorted before the first of them runs, so every shuffle is drawn first.  Who has fainted still
    counts in the sort and is passed over afterwards.
    """
    update_speeds(b, where)
    tied = where & (b.side(0).speed == b.side(1).speed)
    second_faster = b.side(1).speed > b.side(0).speed

    def contested(holds: Callable[[int], Any], site: str) -> Any:
        """Whether the second Pokémon's handler comes first."""
        return second_faster | b.tie(tied & holds(0) & holds(1), site)

    def poisoned(n: int) -> Any:
        return (b.side(n).status == rows.PSN) | (b.side(n).status == rows.TOX)

    def burnt(n: int) -> Any:
        return b.side(n).status == rows.BRN

    b.draw(tied & (b.side(0).wish_turns > 0) & (b.side(1).wish_turns > 0), 2, "Wish")
    b.draw(tied & b.item(0).leftovers & b.item(1).leftovers, 2, "Leftovers")
    second_seeded_first = contested(lambda n: b.side(n).seeded, "Leech Seed")
    second_poisoned_first = contested(poisoned, "poison")
    second_burnt_first = contested(burnt, "burns")
    b.draw(tied & (b.side(0).taunt > 0) & (b.side(1).taunt > 0), 2, "Taunt")
    b.draw(tied & (b.side(0).encore > 0) & (b.side(1).encore > 0), 2, "Encore")
    b.draw(tied & b.side(0).roosting & b.side(1).roosting, 2, "Roost")
    b.draw(tied & b.ability(0).speeds_up & b.ability(1).speeds_up, 2, "Speed Boost")
    b.draw(tied & (b.item(0).orb > 0) & (b.item(1).orb > 0), 2, "orbs")
    counts = [volatiles.one_turn_conditions(b, n) for n in (0, 1)]
    alone = [jnp.maximum(count - 1, 0) for count in counts]
    shuffles = jnp.where(tied, jnp.maximum(counts[0] + counts[1] - 1, 0), alone[0] + alone[1])
    for number in range(MOST_SHUFFLES):
        b.draw(where & (shuffles > number), 2, "conditions of some turns")

    weather(b, where, second_faster)
    come_true(b, where)
    for number in (0, 1):
        heals = where & b.item(number).leftovers & ~b.side(number).fainted & ~b.view.over
        most = b.pokemon(number).max_hp
        tell_item(b, number, heals & (b.side(number).hp < most))
        heal(b, number, jnp.maximum(most // 16, 1), heals)
    in_order(b, where, second_seeded_first, volatiles.leech)
    in_order(b, where, second_poisoned_first, poison)
    in_order(b, where, second_burnt_first, burn)
    for number in (0, 1):
        side = b.side(number)
        speeds_up = where & b.ability(number).speeds_up & ~side.fainted & (side.active_turns > 0) & ~b.view.over
        boost(b, number, b.params.speed_boost, speeds_up, by_foe=False, by_ability=True)
        given = inflict(
            b,
            number,
            b.item(number).orb,
            where & ~side.fainted & (b.item(number).orb > 0) & ~b.view.over,
            by_itself=True,
        )
        tell_item(b, number, given)
        volatiles.pass_turn(b, number, where & ~side.fainted & ~b.view.over)


def in_order(b: Battle, where: Any, second_first: Any, handler: Handler) -> None:
    """Run a handler for both Pokémon, the one that comes first first; who faints faints at once."""
    for place in (0, 1):
        for number in (0, 1):
            turn = second_first if number != place else ~second_first
            handler(b, number, where & turn & ~b.side(number).fainted & ~b.view.over)
        faint_messages(b, check_win=where, last=0)


def poison(b: Battle, number: int, where: Any) -> None:
    """Poison takes an eighth, bad poison one more sixteenth each turn."""
    side, most = b.side(number), b.pokemon(number).max_hp
    badly = side.status == rows.TOX
    stage = jnp.minimum(side.stage + 1, 15)
    side.set("stage", stage, where=where & badly)
    amount = jnp.where(badly, jnp.maximum(most // 16, 1) * stage, most // 8)
    hurt(b, number, amount, where & (badly | (side.status == rows.PSN)))


def burn(b: Battle, number: int, where: Any) -> None:
    """Burns take a sixteenth."""
    hurt(b, number, b.pokemon(number).max_hp // 16, where & (b.side(number).status == rows.BRN))


def weather(b: Battle, where: Any, second_faster: Any) -> None:
    """The weather goes on, and sand hurts; or it ends."""
    view = b.view
    present = where & (view.weather != 0)
    left = view.weather_turns - 1
    view.set("weather_turns", left, where=present)
    ends = present & (left == 0)
    clear_weather(b, ends)
    goes_on = present & ~ends
    sand = goes_on & (b.view.weather == rows.SAND)
    shuffled = b.tie(goes_on & b.tied(), "Weather")
    for number in (0, 1):
        side = b.side(number)
        spared = b.naturally_immune(number, SAND_IMMUNE) | b.ability(number).no_sand
        hurt(b, number, b.pokemon(number).max_hp // 16, sand & ~side.fainted & ~spared)
    b.draw(goes_on & b.tied(), 2, "Update in the weather")
    last = jnp.where(second_faster | shuffled, 0, 1)
    faint_messages(b, check_win=where, last=last)
