"""Abilities: what each does at Showdown's events.

Handlers of ``onStart`` get the battle and the number of the bearer's side, those of ``onDamagingHit`` the hit, too: its
target is the bearer, who is side 1.
"""

from __future__ import annotations

import jax.numpy as jnp

from pokejax import rows
from pokejax.battle import Battle
from pokejax.picking import pick
from pokejax.rules.effects.handlers import on
from pokejax.rules.effects.hits import MISSILE, STATUS, Hit
from pokejax.rules.mechanics import volatiles
from pokejax.rules.mechanics.boosts import boost
from pokejax.rules.mechanics.faint import change_form, heal, hurt
from pokejax.rules.mechanics.field import set_terrain, set_weather
from pokejax.rules.mechanics.hazards import lay
from pokejax.rules.mechanics.numbers import quotient, staged_stat
from pokejax.rules.mechanics.paradox import notice_weather
from pokejax.rules.mechanics.revealed import tell_ability, tell_item
from pokejax.rules.mechanics.status import POWDER_IMMUNE, cure, inflict
from pokejax.state import UNDEFINED

SLOW_TURNS = 5
GULPING, GORGING = 1, 2
"""Formes of Cramorant with something in its beak."""

on_switch_out = on("onSwitchOut")
on_switch_in = on("onSwitchIn")
on_start = on("onStart")
on_damaging_hit = on("onDamagingHit")
on_source_damaging_hit = on("onSourceDamagingHit")


# --- onSwitchOut: its bearer leaves, and stands --------------------------------------------------------------------


@on_switch_out(ability="natural_cure")
def natural_cure(b: Battle, number: int) -> None:
    """It ends a status."""
    with b.when(b.side(number).status != 0):
        tell_ability(b, number)
    cure(b, number)


@on_switch_out(ability="regenerator")
def regenerator(b: Battle, number: int) -> None:
    """It heals a third."""
    heal(b, number, quotient(b.pokemon(number).max_hp, 3), blockable=False)


@on_switch_out(ability="zero_to_hero")
def become_a_hero(b: Battle, number: int) -> None:
    """Palafin comes back as a hero."""
    b.side(number).changed = True


# --- onSwitchIn, onStart: its bearer comes in, or has got it ------------------------------------------------------


@on_start(ability=("pressure", "breaks_abilities", "unnerves", "comatose", "suppresses", "slow_start"))
def announce(b: Battle, number: int) -> None:
    """Pressure, Mold Breaker, Unnerve, Comatose, Cloud Nine, Slow Start say that they are there."""
    tell_ability(b, number)


@on_start(ability="ruins")
def sword_of_ruin(b: Battle, number: int) -> None:
    """So do those of ruin, which are not even broken."""
    with b.when(~b.passed_by(number)):
        tell_ability(b, number)


@on_start(ability="supreme_overlord")
def supreme_overlord(b: Battle, number: int) -> None:
    """It says so if anybody has fallen."""
    with b.when(b.side(number).fallen > 0):
        tell_ability(b, number)


@on_switch_in(ability="zero_to_hero")
def zero_to_hero(b: Battle, number: int) -> None:
    """The hero is announced."""
    with b.when(b.side(number).changed):
        tell_ability(b, number)


@on_start(ability="slow_start")
def slow_start(b: Battle, number: int) -> None:
    """It holds its bearer still for five turns."""
    b.side(number).slow = SLOW_TURNS


@on_start(ability="truant")
def truant(b: Battle, number: int) -> None:
    """Who got it after having acted loafs at once."""
    side = b.side(number)
    side.loafing = (side.active_turns > 0) & ((side.this_result != UNDEFINED) | ~side.queued_move)


@on_start(ability="sets_weather")
def drizzle(b: Battle, number: int) -> None:
    """Drizzle, Drought, Sand Stream, Snow Warning, Orichalcum Pulse bring their weather."""
    with b.when(set_weather(b, b.ability(number).sets_weather)):
        tell_ability(b, number)


@on_start(ability="sets_terrain")
def electric_surge(b: Battle, number: int) -> None:
    """The four Surges and Hadron Engine bring their terrain."""
    with b.when(set_terrain(b, b.ability(number).sets_terrain)):
        tell_ability(b, number)


@on_start(ability="pulses")
def orichalcum_pulse(b: Battle, number: int) -> None:
    """Orichalcum Pulse and Hadron Engine speak also where their weather or terrain is there already."""
    ability = b.ability(number)
    shining = (b.weather == rows.SUN) & (ability.sets_weather > 0)
    charged = (b.view.terrain == rows.ELECTRIC_TERRAIN) & (ability.sets_terrain > 0)
    with b.when(shining | charged):
        tell_ability(b, number)


@on_start(ability="suppresses")
def cloud_nine(b: Battle, number: int) -> None:
    """Cloud Nine and Air Lock end what the weather does."""
    with b.when(b.tied()):
        b.shuffle("WeatherChange")
    for each in (0, 1):
        notice_weather(b, each)


@on_start(ability="entry_boosts")
def intrepid_sword(b: Battle, number: int) -> None:
    """Intrepid Sword and Dauntless Shield raise a stage, once in a battle; Embody Aspect each time."""
    side, ability = b.side(number), b.ability(number)
    spent = ((ability.once == 1) & side.ability_used) | ((ability.once == 2) & side.ability2_used)
    with b.when(~spent):
        with b.when(ability.once == 1):
            side.ability_used = True
        with b.when(ability.once == 2):
            side.ability2_used = True
        boost(b, number, ability.entry_boosts, by_foe=False, by_ability=True)


@on_start(ability="wind_rider")
def wind_rider(b: Battle, number: int) -> None:
    """A tailwind raises its Attack."""
    with b.when(b.side(number).tailwind > 0):
        boost(b, number, b.params.attack, by_foe=False, by_ability=True, stats=(rows.ATK,))


@on_start(ability="download")
def download(b: Battle, number: int) -> None:
    """The attacking stat grows that meets the foe's weaker defence."""
    foe, pokemon = b.side(1 - number), b.pokemon(1 - number)
    hard = staged_stat(pokemon.def_, foe, rows.DEF) >= staged_stat(pokemon.spd, foe, rows.SPD)
    change = pick(hard, b.params.special_attack, b.params.attack)
    with b.when(~foe.fainted):
        boost(b, number, change, by_foe=False, by_ability=True, stats=(rows.ATK, rows.SPA))


@on_start(ability="frisk")
def frisk(b: Battle, number: int) -> None:
    """It tells what the foe holds."""
    foe = b.side(1 - number)
    with b.when((foe.item != 0) & ~foe.fainted):
        tell_item(b, 1 - number)
        tell_ability(b, number)


@on_start(ability="intimidate")
def intimidate(b: Battle, number: int) -> None:
    """It lowers the foe's Attack, unless a substitute stands before that."""
    foe = b.side(1 - number)
    with b.when(foe.hp > 0):
        tell_ability(b, number)
        with b.when(foe.substitute == 0):
            boost(b, 1 - number, b.params.intimidate, by_foe=True, intimidating=True, stats=(rows.ATK,))


# --- onDamagingHit: its bearer has been struck ---------------------------------------------------------------------


@on_damaging_hit(ability="electromorphosis", order=0)
def electromorphosis(b: Battle, number: int, hit: Hit) -> None:
    """It charges its bearer."""
    with b.when(b.side(number).hp > 0):
        b.side(number).charged_up = True
        tell_ability(b, number)


@on_damaging_hit(ability="gooey", order=0)
def gooey(b: Battle, number: int, hit: Hit) -> None:
    """Gooey and Tangling Hair slow who has touched them."""
    with b.when(hit.move.contact):
        tell_ability(b, number)
        boost(b, 0, b.params.speed_drop, by_foe=True, stats=(rows.SPE,))


@on_damaging_hit(ability="contact_damage", order=1)
def rough_skin(b: Battle, number: int, hit: Hit) -> None:
    """Who has touched it loses an eighth."""
    hurts = b.side(0).hp > 0
    with b.when(hit.move.contact):
        hurt(b, 0, quotient(b.pokemon(0).max_hp, jnp.maximum(b.ability(number).contact_damage, 1)))
        with b.when(hurts):
            tell_ability(b, number)


@on_damaging_hit(ability="aftermath", order=1)
def aftermath(b: Battle, number: int, hit: Hit) -> None:
    """Who has struck it down by touching it loses a quarter, unless that is damp."""
    hurts = b.side(0).hp > 0
    with b.when(hit.move.contact & (b.side(number).hp == 0) & ~b.ability(0).damp):
        hurt(b, 0, quotient(b.pokemon(0).max_hp, 4))
        with b.when(hurts):
            tell_ability(b, number)


@on_damaging_hit(ability="gulp_missile", order=MISSILE)
def gulp_missile(b: Battle, number: int, hit: Hit) -> None:
    """What it has in its beak costs who struck it a quarter, and its Defense or, by a Pikachu, its freedom to move."""
    bearer, striker = b.side(number), b.side(0)
    gorged = bearer.form == GORGING
    with b.when((bearer.form > 0) & (striker.hp > 0) & ~striker.absent):
        tell_ability(b, number)  # Magic Guard tells it too
        hurt(b, 0, quotient(b.pokemon(0).max_hp, 4))
        with b.when(~gorged):
            boost(b, 0, b.params.defense_drop, by_foe=True, stats=(rows.DEF,))
        with b.when(gorged):
            hit.returns(b, rows.PAR, told=False)
        change_form(b, number, 0)


@on_damaging_hit(ability="contact_status", order=STATUS)
def static(b: Battle, number: int, hit: Hit) -> None:
    """Static and Flame Body, three times in ten, give who has touched them their status."""
    with b.when(hit.move.contact):
        caught = b.draw(10, "contact") < 3
        with b.when(caught):
            hit.returns(b, b.ability(number).contact_status)


@on_damaging_hit(ability="effect_spore", order=STATUS)
def effect_spore(b: Battle, number: int, hit: Hit) -> None:
    """Who has touched it sleeps, is paralysed or poisoned, 11, 10 and 9 times in a hundred."""
    unaffected = b.naturally_immune(0, POWDER_IMMUNE) | b.ability(0).overcoat
    with b.when(hit.move.contact & ~unaffected):
        drawn = b.draw(100, "Effect Spore")
        with b.when(drawn < 30):
            hit.returns(b, pick(drawn < 11, rows.SLP, pick(drawn < 21, rows.PAR, rows.PSN)))


@on_damaging_hit(ability="cute_charm")
def cute_charm(b: Battle, number: int, hit: Hit) -> None:
    """Who has touched it falls for it, three times in ten."""
    with b.when(hit.move.contact):
        charmed = b.draw(10, "Cute Charm") < 3
        with b.when(charmed), b.when(volatiles.attract(b)):
            tell_ability(b, number)


@on_damaging_hit(ability="cursed_body")
def cursed_body(b: Battle, number: int, hit: Hit) -> None:
    """The move is disabled, three times in ten."""
    with b.when((b.side(0).disable == 0) & ~hit.move.struggle & ~hit.move.future_sight):
        cursed = b.draw(10, "Cursed Body") < 3
        with b.when(cursed), b.when(volatiles.disable(b, b.side(0).last_move - 1)):
            tell_ability(b, number)


@on_damaging_hit(ability="hit_boosts")
def stamina(b: Battle, number: int, hit: Hit) -> None:
    """Stamina, Justified, Rattled, Thermal Exchange, Water Compaction, Weak Armor change its stages."""
    ability = b.ability(number)
    fits = (ability.hit_types == 0) | (((ability.hit_types >> hit.move.type) & 1) != 0)
    with b.when(fits & (~ability.weak_armor | (hit.move.category == rows.PHYSICAL))):
        boost(b, number, ability.hit_boosts, by_foe=False, by_ability=True)


@on_damaging_hit(ability="seed_sower")
def seed_sower(b: Battle, number: int, hit: Hit) -> None:
    """Grass grows."""
    with b.when(set_terrain(b, jnp.full_like(b.view.terrain, rows.GRASSY_TERRAIN))):
        tell_ability(b, number)


@on_damaging_hit(ability="toxic_debris")
def toxic_debris(b: Battle, number: int, hit: Hit) -> None:
    """A physical move strews Toxic Spikes on the striker's ground."""
    physical = hit.move.category == rows.PHYSICAL
    with b.when(physical), b.when(lay(b, 0, jnp.full_like(hit.move.strews, rows.TOXIC_SPIKES))):
        tell_ability(b, number)


# --- onSourceDamagingHit: its bearer has struck --------------------------------------------------------------------


@on_source_damaging_hit(ability="poisons_by_hitting")
def poison_touch(b: Battle, number: int, hit: Hit) -> None:
    """Poison Touch and Toxic Chain, three times in ten, poison whom their bearer has struck."""
    own = b.ability(number)
    with b.when(~b.ability(1).shield_dust & (hit.move.contact | ~own.poison_touch)):
        poisoned = b.draw(10, "poisoning") < 3
        with b.when(poisoned), b.when(inflict(b, 1, own.poisons_by_hitting, may_sleep=False)):
            tell_ability(b, number)
