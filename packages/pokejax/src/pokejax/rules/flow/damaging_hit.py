"""What a blow brings upon both Pokémon: Rough Skin, Static, Weakness Policy, Knock Off (``DamagingHit``)."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from pokejax import rows
from pokejax.battle import Battle
from pokejax.picking import pick
from pokejax.rules.flow.hazards import lay, sweep
from pokejax.rules.mechanics import volatiles
from pokejax.rules.mechanics.boosts import boost
from pokejax.rules.mechanics.damage import FIRE, Matchup, has_power
from pokejax.rules.mechanics.faint import change_form, hurt, lose_item, use_up
from pokejax.rules.mechanics.field import clear_terrain, set_terrain
from pokejax.rules.mechanics.numbers import quotient
from pokejax.rules.mechanics.revealed import tell_ability, tell_item
from pokejax.rules.mechanics.status import POWDER_IMMUNE, cure, inflict

GULPING, GORGING = 1, 2
"""Formes of Cramorant with something in its beak."""


def damaging_hit(b: Battle, move: Any, meets: Matchup, dealt: Any) -> None:
    """What being hit brings about: thawing, Rough Skin, Rocky Helmet, Static, Stamina (``DamagingHit``)."""
    ability, touched = b.ability(1), move.contact
    with b.when(b.side(1).coated & (move.category == rows.SPECIAL)):
        b.side(1).coat = 1 + 2 * dealt
    with b.when(ability.electromorphosis & (b.side(1).hp > 0)):
        b.side(1).charged_up = True
        tell_ability(b, 1)
    with b.when(touched & ability.gooey):
        tell_ability(b, 1)
        boost(b, 0, b.params.speed_drop, by_foe=True, stats=(rows.SPE,))
    most, hurts_before = b.pokemon(0).max_hp, b.side(0).hp > 0
    rough, bursts = ability.contact_damage > 0, ability.aftermath & (b.side(1).hp == 0) & ~b.ability(0).damp
    with b.when(touched):
        with b.when(rough):
            hurt(b, 0, quotient(most, jnp.maximum(ability.contact_damage, 1)))
        with b.when(bursts):
            hurt(b, 0, quotient(most, 4))
        with b.when((rough | bursts) & hurts_before):
            tell_ability(b, 1)
        with b.when(b.item(1).rocky_helmet):
            with b.when((b.side(0).hp > 0) & ~b.ability(0).magic_guard):
                tell_item(b, 1)
            hurt(b, 0, quotient(most, 6))
    gorged = b.side(1).form == GORGING
    with b.when(ability.gulp_missile & (b.side(1).form > 0) & (b.side(0).hp > 0) & ~b.side(0).absent) as spits:
        tell_ability(b, 1)  # Magic Guard tells it too
        hurt(b, 0, quotient(most, 4))
        with b.when(~gorged):
            boost(b, 0, b.params.defense_drop, by_foe=True, stats=(rows.DEF,))
        change_form(b, 1, 0)
    with b.when((move.type == FIRE) & (b.side(1).status == rows.FRZ)):
        cure(b, 1)
    give_status_back(b, move, spits & gorged)
    with b.when(touched & ability.cute_charm):
        charmed = b.draw(10, "Cute Charm") < 3
        with b.when(charmed), b.when(volatiles.attract(b)):
            tell_ability(b, 1)
    with b.when(ability.cursed_body & (b.side(0).disable == 0) & ~move.struggle & ~move.future_sight):
        cursed = b.draw(10, "Cursed Body") < 3
        with b.when(cursed), b.when(volatiles.disable(b, b.side(0).last_move - 1)):
            tell_ability(b, 1)
    fits = (ability.hit_types == 0) | (((ability.hit_types >> move.type) & 1) != 0)
    fits = fits & (~ability.weak_armor | (move.category == rows.PHYSICAL))
    with b.when(fits & (ability.hit_boosts != 0)):
        boost(b, 1, ability.hit_boosts, by_foe=False, by_ability=True)
    with b.when(ability.seed_sower), b.when(set_terrain(b, jnp.full_like(b.view.terrain, rows.GRASSY_TERRAIN))):
        tell_ability(b, 1)
    debris = ability.toxic_debris & (move.category == rows.PHYSICAL)
    with b.when(debris), b.when(lay(b, 0, jnp.full_like(move.strews, rows.TOXIC_SPIKES))):
        tell_ability(b, 1)
    provoked = b.item(1).weakness_policy & (meets.exponent > 0) & has_power(move)
    with b.when((dealt > 0) & provoked & (b.side(1).hp > 0)):
        boost(b, 1, b.params.weakness_policy, by_foe=False, stats=(rows.ATK, rows.SPA))
        use_up(b, 1)
    own = b.ability(0)
    poisons = (own.poisons_by_hitting > 0) & ~ability.shield_dust
    with b.when(poisons & (move.contact | ~own.poison_touch)):
        poisoned = b.draw(10, "poisoning") < 3
        with b.when(poisoned), b.when(inflict(b, 1, own.poisons_by_hitting, may_sleep=False)):
            tell_ability(b, 0)


def give_status_back(b: Battle, move: Any, gorged: Any) -> None:
    """Static, Effect Spore, Beak Blast and a gorged Gulp Missile give the user a status."""
    ability, touched = b.ability(1), move.contact
    with b.when(touched & (ability.contact_status > 0)) as catching:
        caught = catching & (b.draw(10, "contact") < 3)
    with b.when(
        touched & ability.effect_spore & ~b.naturally_immune(0, POWDER_IMMUNE) & ~b.ability(0).overcoat
    ) as dusted:
        drawn = b.draw(100, "Effect Spore")
    spore = pick(drawn < 11, rows.SLP, pick(drawn < 21, rows.PAR, rows.PSN))
    status = pick(ability.effect_spore, spore, ability.contact_status)
    scorched = touched & (b.side(1).readied == rows.BEAK_BLAST)
    status = pick(gorged, rows.PAR, pick(scorched, rows.BRN, status))
    with b.when(caught | (dusted & (drawn < 30)) | gorged | scorched):
        given = inflict(b, 0, status)
        with b.when(given & ~gorged & ~scorched):
            tell_ability(b, 1)


def after_hit(b: Battle, move: Any, shielded: Any) -> None:
    """What the user does once it has struck: Knock Off, Rapid Spin (``AfterHit``, ``AfterSubDamage``)."""
    user, target = b.side(0), b.side(1)
    with b.when(user.hp > 0):
        with b.when(~shielded & move.knock_off & ~b.keeps(1, 1, 1)):
            held = b.ability(1).sticky_hold & (target.item != 0) & (target.hp > 0)
            with b.when(held):
                tell_ability(b, 1)
            with b.when(~held):
                lose_item(b, 1)
        with b.when(~move.forced & (move.strews > 0)):
            lay(b, 1, move.strews)
        with b.when(move.ice_spinner):
            clear_terrain(b)
        with b.when(move.spins & ~move.forced):
            user.seeded = False
            user.bound = 0
            sweep(b, 0)
