"""What lies on a side's ground and meets who comes in: Stealth Rock, Spikes, Toxic Spikes, Sticky Web."""

from __future__ import annotations

import itertools
from typing import Any

import jax.numpy as jnp

from pokejax import rows
from pokejax.battle import Battle, any_of, number_of
from pokejax.picking import pick
from pokejax.rules.mechanics.boosts import boost
from pokejax.rules.mechanics.damage import ROCK, effectiveness
from pokejax.rules.mechanics.faint import faint_messages, hurt
from pokejax.rules.mechanics.field import clear_terrain
from pokejax.rules.mechanics.numbers import quotient
from pokejax.rules.mechanics.screens import LASTING, LONG, shatter
from pokejax.rules.mechanics.status import inflict

POISON, STEEL = number_of("type", "Poison"), number_of("type", "Steel")
MOST_SPIKES, MOST_TOXIC_SPIKES = 3, 2
HAZARDS = (
    *("stealth_rock", "sticky_web", "spikes", "toxic_spikes", "rock_before_toxic", "spikes_before_toxic"),
    *("rock_before_web", "spikes_before_web", "rock_before_spikes", "toxic_before_web"),
)
COURT = (*HAZARDS, *LASTING, *LONG)


def lay(b: Battle, number: int, condition: Any) -> Any:
    """Put a hazard on a side; whether there was room for it."""
    side = b.side(number)
    rocks = (condition == rows.STEALTH_ROCK) & ~side.stealth_rock
    spikes = (condition == rows.SPIKES) & (side.spikes < MOST_SPIKES)
    toxic = (condition == rows.TOXIC_SPIKES) & (side.toxic_spikes < MOST_TOXIC_SPIKES)
    web = (condition == rows.STICKY_WEB) & ~side.sticky_web
    comes = {
        "rock": rocks, "spikes": spikes & (side.spikes == 0),
        "toxic": toxic & (side.toxic_spikes == 0), "web": web,
    }  # fmt: skip
    present = {"rock": side.stealth_rock, "spikes": side.spikes > 0, "toxic": side.toxic_spikes > 0}
    with b.when(rocks | spikes | toxic | web) as laid:
        for earlier, later in itertools.combinations(comes, 2):
            with b.when(comes[later]):
                side.set(f"{earlier}_before_{later}", present[earlier])
            with b.when(comes[earlier]):
                side.set(f"{earlier}_before_{later}", False)
        with b.when(rocks):
            side.stealth_rock = True
        with b.when(web):
            side.sticky_web = True
        with b.when(spikes):
            side.spikes = jnp.minimum(side.spikes + 1, MOST_SPIKES)
        with b.when(toxic):
            side.toxic_spikes = jnp.minimum(side.toxic_spikes + 1, MOST_TOXIC_SPIKES)
    return laid


def anything_lies(side: Any) -> Any:
    """Whether there is a hazard on a side's ground."""
    return side.stealth_rock | side.sticky_web | (side.spikes > 0) | (side.toxic_spikes > 0)


def sweep(b: Battle, number: int) -> None:
    """Take everything off a side's ground."""
    side = b.side(number)
    side.stealth_rock = False
    side.sticky_web = False
    side.spikes = 0
    side.toxic_spikes = 0


def change_courts(b: Battle) -> Any:
    """What lies on both sides changes places; whether there is anything."""
    first, second = b.side(0), b.side(1)
    present = any_of(anything_lies(s) for s in (first, second))
    present = present | any_of(getattr(s, field) > 0 for s in (first, second) for field in LASTING)
    for field in COURT:
        own, other = getattr(first, field), getattr(second, field)
        first.set(field, other)
        second.set(field, own)
    return b.here & present


def defog(b: Battle) -> Any:
    """Blow away what lies on both sides and lower the target's evasion; whether any of it happened.

    The terrain goes, too, but does not count.
    """
    with b.when((b.side(1).substitute == 0) | b.ability(0).infiltrator):
        lowered = boost(b, 1, b.params.evasion_drop, by_foe=True, stats=(rows.EVASION,))
    sides = [b.side(number) for number in (0, 1)]
    present = any_of(anything_lies(s) for s in sides)
    shatter(b, 1)
    for number in (0, 1):
        sweep(b, number)
    clear_terrain(b)
    return lowered | (b.here & present)


def oldest(side: Any) -> tuple[Any, Any, Any, Any]:
    """Which of Stealth Rock, Spikes, Toxic Spikes and Sticky Web was laid before the others that are there."""
    present = {
        "rock": side.stealth_rock, "spikes": side.spikes > 0, "toxic": side.toxic_spikes > 0, "web": side.sticky_web,
    }  # fmt: skip
    first = dict(present)
    for earlier, later in itertools.combinations(present, 2):
        before = getattr(side, f"{earlier}_before_{later}")
        first[earlier] = first[earlier] & (before | ~present[later])
        first[later] = first[later] & ~(before & present[earlier])
    return first["rock"], first["spikes"], first["toxic"], first["web"]


def meet(b: Battle, number: int, alone: Any) -> None:
    """Who comes in is hurt, poisoned and slowed, in the order in which hazards were laid; ``alone``, by the first."""
    side, most = b.side(number), b.pokemon(number).max_hp
    by_rock, by_spikes, by_toxic, by_web = (first | ~alone for first in oldest(side))
    grounded, boots = b.grounded(number), b.item(number).heavy_duty_boots
    exponent = effectiveness(b, number, ROCK).exponent
    rocks = by_rock & side.stealth_rock & ~boots
    spikes = by_spikes & (side.spikes > 0) & grounded & ~boots
    rock_damage = quotient(most << (exponent + 2), 32)
    layers = side.spikes
    spike_damage = quotient(pick(layers == 1, 3, pick(layers == 2, 4, 6)) * most, 24)
    before_web = pick(rocks & side.rock_before_web, jnp.maximum(rock_damage, 1), 0)
    before_web = before_web + pick(spikes & side.spikes_before_web, jnp.maximum(spike_damage, 1), 0)
    gets_there = (side.hp > before_web) | b.ability(number).magic_guard
    with b.when(by_web & side.sticky_web & grounded & ~boots & gets_there):
        boost(b, number, b.params.speed_drop, by_foe=True, stats=(rows.SPE,))  # which changes nothing of the others
    rock_first, spikes_first = side.rock_before_toxic, side.spikes_before_toxic
    with b.when(rocks & rock_first):
        hurt(b, number, rock_damage)
    with b.when(spikes & spikes_first):
        hurt(b, number, spike_damage)
    with b.when(by_toxic & grounded & (side.toxic_spikes > 0) & (side.hp > 0)):
        step_in_poison(b, number, boots)
    with b.when(rocks & ~rock_first):
        hurt(b, number, rock_damage)
    with b.when(spikes & ~spikes_first):
        hurt(b, number, spike_damage)
    faint_messages(b, check_win=True, last=number)


def step_in_poison(b: Battle, number: int, boots: Any) -> None:
    """Toxic Spikes poison, or vanish under a Poison type."""
    side, absorbs = b.side(number), b.has_type(number, POISON)
    status = pick(side.toxic_spikes == MOST_TOXIC_SPIKES, rows.TOX, rows.PSN)
    with b.when(~absorbs & ~b.has_type(number, STEEL) & ~boots):
        inflict(b, number, status, last=True, may_sleep=False)
    with b.when(absorbs):
        side.toxic_spikes = 0
