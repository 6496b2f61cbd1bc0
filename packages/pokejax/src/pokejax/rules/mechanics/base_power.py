"""The power of a move: by weights, stages or blows, and what abilities, items and types make of it (``BasePower``)."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from pokejax import rows, stages
from pokejax.battle import STELLAR, Battle, any_of, number_of
from pokejax.picking import pick
from pokejax.rules.mechanics.field import terrain_multiplier
from pokejax.rules.mechanics.numbers import NEUTRAL, chain, modify, multiplier, quotient
from pokejax.state import FALSE, TEAM

ELECTRIC, FIRE, GROUND, ROCK, STEEL = (
    number_of("type", name) for name in ("Electric", "Fire", "Ground", "Rock", "Steel")
)
LEAST_TERA_POWER = 60
WEIGHT_POWERS = ((100, 40), (250, 60), (500, 80), (1000, 100), (2000, 120))  # least weight in hg, power
WEIGHTS_POWERS = ((2, 60), (3, 80), (4, 100), (5, 120))  # the user weighs so many times the target, power
ONE_AND_A_HALF, ONE_AND_A_QUARTER, GROWN = 6144, 5120, 5325
FALLEN_POWERS = (4096, 4506, 4915, 5325, 5734, 6144)
"""What Supreme Overlord makes of a power, by how many have fallen."""


def base_power(b: Battle, move: Any, facts: Any, hit: Any) -> Any:
    """Power after abilities, items and Terastallization."""
    user, pokemon = b.side(0), b.pokemon(0)
    doubled = (move.acrobatics & (user.item == 0)) | (move.hex & (b.side(1).status != 0))
    doubled = doubled | (move.hex & b.ability(1).comatose)
    doubled = doubled | (move.doubles_after_failure & (user.last_result == FALSE))
    acted = ~b.side(1).queued_move
    doubled = doubled | (move.payback & acted & ~b.side(1).newly_switched)
    doubled = doubled | (move.avalanche & user.struck)
    own = pick(move.beat_up, beat_power(b, hit), own_power(b, move))
    power = pick(doubled, own * 2, pick(move.triple_axel, own * hit, own))
    technician = b.ability(0).technician & (power <= 60)
    by = pick(technician, ONE_AND_A_HALF, pick(b.ability(0).analytic & acted, GROWN, NEUTRAL))
    for count, grown in enumerate(FALLEN_POWERS):
        by = pick(b.ability(0).supreme_overlord & (user.fallen == count), grown, by)
    by = chain(by, multiplier(b, "BasePower", "ability", b.ability_number(0), facts, move.type))
    by = chain(by, pick(user.absent & b.ability_out(0).power_spot, GROWN, NEUTRAL))
    of_the_ground = any_of(move.type == type_ for type_ in (ROCK, GROUND, STEEL))
    by = chain(by, pick(b.ability(0).sand_force & (b.weather == rows.SAND) & of_the_ground, GROWN, NEUTRAL))
    dry = b.ability(1).dry_skin & (move.type == FIRE)
    by = chain(by, pick(dry, ONE_AND_A_QUARTER, NEUTRAL))
    by = chain(by, multiplier(b, "BasePower", "item", user.item, facts, move.type))
    by = pick(user.charged_up & (move.type == ELECTRIC), 2 * by, by)
    by = chain(by, terrain_multiplier(b, move))
    asked = (facts >> (move.power_fact - 1).astype(jnp.uint32)) & jnp.uint32(1)
    by = chain(by, pick((move.power_fact > 0) & (asked != 0), move.power_by, NEUTRAL))
    after_the_other = (move.fuses > 0) & (b.view.fused == 3 - move.fuses)
    by = pick(after_the_other, 2 * by, by)
    with b.when(move.fickle_beam):
        all_out = move.fickle_beam & (b.draw(10, "Fickle Beam") < 3)
    by = pick(all_out, 2 * by, by)
    power = jnp.maximum(modify(power, by), 1)
    suits = (pokemon.tera_type == move.type) | (pokemon.tera_type == STELLAR)
    raised = user.terastallized & suits & (power < LEAST_TERA_POWER)
    raised = raised & (move.priority <= 0) & (move.most_hits == 1) & ~move.beat_up
    raised = raised & (move.power_from != rows.BY_WEIGHT) & (move.power_from != rows.BY_WEIGHTS)
    raised = raised & (move.power_from != rows.BY_HP)
    return pick(raised, LEAST_TERA_POWER, power)


def own_power(b: Battle, move: Any) -> Any:
    """The move's power, where it depends on weights, stages or hit points too (``basePowerCallback``)."""
    user, pokemon = b.side(0), b.pokemon(0)
    weight, other = weight_of(b, 0), weight_of(b, 1)
    by_weight, by_weights = jnp.full_like(weight, 20), jnp.full_like(weight, 40)
    for least, power in WEIGHT_POWERS:
        by_weight = pick(other >= least, power, by_weight)
    for times, power in WEIGHTS_POWERS:
        by_weights = pick(weight >= other * times, power, by_weights)
    raised = jnp.maximum(stages.several(user.boosts), 0).sum(dtype=jnp.int32)
    found = pick(move.power_from == rows.BY_WEIGHT, by_weight, move.power)
    found = pick(move.power_from == rows.BY_WEIGHTS, by_weights, found)
    found = pick(move.power_from == rows.BY_BOOSTS, move.power + 20 * raised, found)
    found = pick(move.power_from == rows.BY_BLOWS, move.power * (1 + user.blows), found)
    by_hp = jnp.maximum(quotient(move.power * user.hp, pokemon.max_hp), 1)
    return pick(move.power_from == rows.BY_HP, by_hp, found)


def beaters(b: Battle) -> list[Any]:
    """Who of the team, in its present order, strikes in Beat Up: the user, and whoever stands and is healthy."""
    side = b.side(0)
    members = [side.member[side.order[place]] for place in range(1, TEAM)]
    return [jnp.ones_like(side.fainted), *((member.hp > 0) & (member.status == 0) for member in members)]


def beat_power(b: Battle, hit: Any) -> Any:
    """The power of the blow of number ``hit`` in Beat Up, which the next of them strikes."""
    side, power, passed = b.side(0), b.pokemon(0).beat_power, jnp.zeros_like(hit)
    for place, strikes in enumerate(beaters(b)):
        passed = passed + strikes.astype(jnp.int32)
        row = side.member[side.order[place]].row if place else side.row
        power = pick(strikes & (passed == hit), b.row("pokemon", rows.POKEMON, row).beat_power, power)
    return power


def weight_of(b: Battle, number: int) -> Any:
    """An active Pokémon's weight; metal can be light or heavy."""
    ability = b.ability(number)
    return jnp.maximum((b.pokemon(number).weight << ability.doublings) >> ability.halvings, 1)
