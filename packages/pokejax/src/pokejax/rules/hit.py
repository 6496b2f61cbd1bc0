"""One hit of a move, and the loop over the hits of moves that have several."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from pokejax import rows
from pokejax.battle import Battle, any_of
from pokejax.rules import volatiles
from pokejax.rules.boosts import boost
from pokejax.rules.damage import FIRE, Matchup, damage
from pokejax.rules.faint import faint_messages, heal, hurt
from pokejax.rules.hazards import defog, sweep
from pokejax.rules.numbers import fraction, modify, staged
from pokejax.rules.requests import has_reserve
from pokejax.rules.status import add_volatile, cure, inflict
from pokejax.rules.telling import tell_ability, tell_item
from pokejax.rules.volatiles import behind_substitute
from pokejax.rules.wishes import wish

MOST_HITS = 10
HALF = rows.FRACTIONS.index((1, 2))
REST_TURNS = 3
SUN_SHARE = 2732  # 0.667 in 4096ths
MULTIHIT_THRESHOLDS = (7, 14, 17)
"""Of a draw of twenty: below the first two hits, below the second three, below the third four, else five."""


def hits_of(b: Battle, move: Any, where: Any) -> Any:
    """How often the move strikes."""
    varies = move.least_hits != move.most_hits
    drawn = b.draw(where & varies, 20, "hits")
    count = 2 + sum((drawn >= limit).astype(jnp.int32) for limit in MULTIHIT_THRESHOLDS)
    loaded = where & varies & b.item(0).loaded_dice & (count < 4)
    count = jnp.where(loaded, 5 - b.draw(loaded, 2, "Loaded Dice"), count)
    return jnp.where(varies, count, move.most_hits)


def hit_loop(b: Battle, move: Any, meets: Matchup, where: Any) -> Any:
    """Strike until all hits are done or somebody is down (``hitStepMoveHitLoop``).

    Returns:
        Whether the move did something.
    """
    count = hits_of(b, move, where)
    zero = jnp.zeros_like(count)
    move_words = move.words()

    def goes_on(carry: Any) -> Any:
        return carry[1]

    def strike(carry: Any) -> Any:
        words, going, done, total, landed, struck = carry
        inner, row = Battle(words, b.params, b.ops), rows.MOVE.view(move_words)  # views belong to one trace
        dealt, worked, shielded = one_hit(inner, row, meets, going)
        done = done + (going & worked).astype(jnp.int32)
        total = total + jnp.where(going, dealt, 0)
        landed = landed | (going & worked)
        struck = jnp.where(going, worked & ~shielded, struck)
        inner.draw(going & worked & inner.tied(), 2, "Update after a hit")
        user, target = inner.side(0), inner.side(1)
        going = going & worked & (done < count) & (user.hp > 0) & (target.hp > 0)
        return inner.words, going, done, total, landed, struck

    start = (b.words, where, zero, zero, jnp.zeros_like(where), jnp.zeros_like(where))
    words, _, _, total, landed, struck = b.ops.loop(goes_on, strike, start, MOST_HITS)
    b.reopen(words)
    faint_messages(b, check_win=b.side(0).hp == 0, last=0, by_move=landed)
    recoil(b, move, total, landed)
    b.draw(landed & b.tied(), 2, "Update after the hits")
    cure(b, 1, struck & ~move.forced & move.thaws_target & (b.side(1).status == rows.FRZ))
    return landed


def one_hit(b: Battle, move: Any, meets: Matchup, where: Any) -> tuple[Any, Any, Any]:
    """Damage and effects of one hit (``spreadMoveHit``).

    Returns:
        ``(damage dealt to the Pokémon itself, whether it worked, whether a substitute took it)``.
    """
    at_self = move.target == rows.AT_SELF
    shielded = where & ~at_self & behind_substitute(b, move)
    harms = where & (move.category != rows.STATUS)
    tell_item(b, 1, harms & move.needs_item)
    full = damage(b, move, meets, harms)
    strike_substitute(b, move, full, harms & shielded)
    harmful = harms & ~shielded
    dealt = strike_target(b, full, harmful)
    heal(b, 0, fraction(dealt, move.drain), harmful & (move.drain > 0) & (dealt > 0))
    # A status move that a substitute takes counts as done.
    worked = harms | shielded | effects_of_status_move(b, move, where & ~harms & ~shielded)
    self_change(b, move, where & worked)
    for number in (0, 1):
        secondary(b, move, number, where & worked, shielded)
    drag(b, harmful & move.drags)
    damaging_hit(b, move, harmful)
    after_hit(b, move, harmful, harms)
    return jnp.where(harmful, dealt, 0), worked, shielded


def strike_substitute(b: Battle, move: Any, amount: Any, where: Any) -> None:
    """The substitute takes the hit; recoil and drain follow at once (``TryPrimaryHit``)."""
    target = b.side(1)
    dealt = jnp.minimum(amount, target.substitute)
    target.set("substitute", target.substitute - dealt, where=where)
    recoil(b, move, dealt, where)
    # rounded up; there are two kinds
    drained = jnp.where(move.drain == HALF, (dealt + 1) // 2, (3 * dealt + 3) // 4)
    heal(b, 0, drained, where & (move.drain > 0))


def strike_target(b: Battle, amount: Any, where: Any) -> Any:
    """The target loses hit points; Sturdy keeps the last one of a full bar."""
    target = b.side(1)
    survives = b.ability(1).sturdy & (target.hp == b.pokemon(1).max_hp) & (amount >= target.hp)
    tell_ability(b, 1, where & survives)
    dealt = jnp.minimum(jnp.where(survives, target.hp - 1, amount), target.hp)
    target.set("hp", target.hp - dealt, where=where)
    return jnp.where(where, dealt, 0)


def effects_of_status_move(b: Battle, move: Any, where: Any) -> Any:
    """Stages, healing and status of a move that does no damage; whether any of it worked (``runMoveEffects``)."""
    at_self = move.target == rows.AT_SELF
    changes = where & (move.boosts != 0)
    worked = boost(b, 0, move.boosts, changes & at_self, by_foe=False)
    worked = worked | boost(b, 1, move.boosts, changes & ~at_self, by_foe=True)
    user, most = b.side(0), b.pokemon(0).max_hp
    heals = where & (move.heal > 0) & (user.hp < most)
    heal(b, 0, fraction(most, move.heal), heals)
    weather = b.view.weather
    share = jnp.where(weather == 0, 2048, jnp.where(weather == rows.SUN, SUN_SHARE, 1024))
    resting = where & move.heals_by_weather  # counts as done even in full health
    heal(b, 0, modify(most, share), resting)
    given = inflict(b, 1, move.status, where & (move.status != 0), by_status_move=True)
    worked = worked | heals | resting | given
    refused = where & (move.status != 0) & ~given
    worked = worked | add_volatile(b, 1, move.volatile, where & (move.volatile != 0))
    worked = worked | volatile_of_status_move(b, move, where) | rest(b, where & move.rests)
    worked = worked | share_hp(b, where & move.shares_hp) | sap_strength(b, where & move.saps_strength)
    worked = worked | wish(b, where & move.wishes) | swap_items(b, where & move.swaps_items)
    worked = worked | defog(b, where & move.clears_ground) | drag(b, where & move.drags)
    user = b.side(0)
    user.set("roosting", True, where=heals & move.roosts & ~user.terastallized)
    return worked & ~refused


def volatile_of_status_move(b: Battle, move: Any, where: Any) -> Any:
    """Conditions that status moves bring; whether it is new."""
    rules = {
        rows.PROTECT: volatiles.protect, rows.SUBSTITUTE: volatiles.make_substitute, rows.LEECH_SEED: volatiles.seed,
        rows.TAUNT: volatiles.taunt, rows.ENCORE: volatiles.encore,
    }  # fmt: skip
    return any_of(rule(b, where & (move.volatile == code)) for code, rule in rules.items())


def drag(b: Battle, where: Any) -> Any:
    """The target will be dragged out after the action, if both stand and somebody can come in."""
    where = where & has_reserve(b, 1) & (b.side(1).hp > 0)
    b.side(1).set("dragged", True, where=where & (b.side(0).hp > 0))
    return where


def swap_items(b: Battle, where: Any) -> Any:
    """Both exchange what they hold; a choice item in new hands binds nobody yet."""
    user, target = b.side(0), b.side(1)
    own, other = user.item, target.item
    where = where & ((own != 0) | (other != 0))
    user.set("choice_lock", 0, where=where & b.item(1).choice)
    target.set("choice_lock", 0, where=where & b.item(0).choice)
    user.set("item", other, where=where)
    target.set("item", own, where=where)
    for number in (0, 1):
        tell_item(b, number, where)
    return where


def sap_strength(b: Battle, where: Any) -> Any:
    """The user gains as many hit points as the target has Attack, which falls."""
    target = b.side(1)
    where = where & (target.boosts[rows.ATK] > -6)
    attack = staged(b.pokemon(1).atk, target.boosts[rows.ATK])
    lowered = boost(b, 1, b.params.intimidate, where, by_foe=True)
    heals = where & (b.side(0).hp < b.pokemon(0).max_hp)
    heal(b, 0, jnp.maximum(attack, 1), heals)
    return lowered | heals


def share_hp(b: Battle, where: Any) -> Any:
    """Pain Split: both have half of what they have together."""
    user, target = b.side(0), b.side(1)
    share = jnp.maximum((user.hp + target.hp) // 2, 1)
    for number, side in enumerate((user, target)):
        side.set("hp", jnp.minimum(share, b.pokemon(number).max_hp), where=where)
    return where


def rest(b: Battle, where: Any) -> Any:
    """The user sleeps two turns and is healthy; whether it is awake and hurt."""
    user, most = b.side(0), b.pokemon(0).max_hp
    sleepless = ((b.ability(0).immune_statuses >> rows.SLP) & 1) != 0
    tries = where & (user.status != rows.SLP) & (user.hp < most)
    tell_ability(b, 0, tries & sleepless)
    works = tries & ~sleepless
    b.draw(works, 3, "sleep")  # its result is not used: Rest always takes three
    for field, value in (("status", rows.SLP), ("stage", REST_TURNS), ("slept", REST_TURNS), ("hp", most)):
        user.set(field, value, where=works)
    user.set("status_by", b.place(0), where=works)
    return works


def self_change(b: Battle, move: Any, where: Any) -> None:
    """Stages that the user pays or gains with each hit; the draw is made even if they always come (``selfDrops``)."""
    where = where & (move.self_boosts != 0)
    chance = jnp.where(b.ability(0).serene_grace, move.self_chance * 2, move.self_chance)
    drawn = b.draw(where, 100, "self")
    boost(b, 0, move.self_boosts, where & ((chance == 0) | (drawn < chance)), by_foe=False)


def secondary(b: Battle, move: Any, number: int, where: Any, shielded: Any) -> None:
    """One secondary effect of a hit; the draw is made whatever has become of the target."""
    chance, status, volatile, boosts, self_boosts = (
        getattr(move, f"{name}{number}") for name in ("chance", "status", "volatile", "boosts", "self_boosts")
    )
    where = where & (move.secondaries > number) & ~(b.ability(1).no_secondaries & (self_boosts == 0))
    chance = jnp.where(b.ability(0).serene_grace, chance * 2, chance)
    happens = where & (b.draw(where, 100, "secondary") < chance)
    own = happens
    happens = happens & ~shielded
    boost(b, 1, boosts, happens & (boosts != 0), by_foe=True, silent=True)
    inflict(b, 1, status, happens & (status != 0))
    add_volatile(b, 1, volatile, happens & (volatile != 0))
    boost(b, 0, self_boosts, own & (self_boosts != 0), by_foe=False)


def damaging_hit(b: Battle, move: Any, where: Any) -> None:
    """What being hit brings about: thawing, Rough Skin, Rocky Helmet, Static, Stamina (``DamagingHit``)."""
    ability, touched = b.ability(1), where & move.contact
    most, hurts_before = b.pokemon(0).max_hp, b.side(0).hp > 0
    hurt(b, 0, most // jnp.maximum(ability.contact_damage, 1), touched & (ability.contact_damage > 0))
    tell_ability(b, 1, touched & (ability.contact_damage > 0) & hurts_before)
    tell_item(b, 1, touched & b.item(1).helmet & (b.side(0).hp > 0) & ~b.ability(0).no_indirect_damage)
    hurt(b, 0, most // 6, touched & b.item(1).helmet)
    cure(b, 1, where & (move.type == FIRE) & (b.side(1).status == rows.FRZ))
    catching = touched & (ability.contact_status > 0)
    caught = catching & (b.draw(catching, 10, "contact") < 3)
    tell_ability(b, 1, inflict(b, 0, ability.contact_status, caught))
    fits = (ability.hit_type == 0) | (ability.hit_type == move.type)
    fits = fits & (~ability.hit_physical | (move.category == rows.PHYSICAL))
    own = b.ability(0)
    poisoning = where & (own.poisons_by_hitting > 0) & ~ability.no_secondaries
    poisoning = poisoning & (move.contact | ~own.poisons_by_contact_only)
    poisoned = poisoning & (b.draw(poisoning, 10, "poisoning") < 3)
    boost(b, 1, ability.hit_boosts, where & fits & (ability.hit_boosts != 0), by_foe=False, by_ability=True)
    tell_ability(b, 0, inflict(b, 1, own.poisons_by_hitting, poisoned))


def after_hit(b: Battle, move: Any, where: Any, even_shielded: Any) -> None:
    """What the user does once it has struck: Knock Off, Rapid Spin (``AfterHit``, ``AfterSubDamage``)."""
    alive = b.side(0).hp > 0
    knocked = where & alive & move.knocks_off & (b.side(1).item != 0)
    tell_item(b, 1, knocked)
    b.side(1).set("item", 0, where=knocked)
    spins = even_shielded & alive & move.spins & ~move.forced
    b.side(0).set("seeded", False, where=spins)
    sweep(b, 0, spins)


def recoil(b: Battle, move: Any, total: Any, where: Any) -> None:
    """The user is hurt by its own blow, or by struggling."""
    pokemon = b.pokemon(0)
    amount = jnp.maximum(fraction(total, move.recoil), 1)
    hurt(b, 0, amount, where & (move.recoil > 0) & (total > 0) & ~b.ability(0).no_recoil)
    hurt(b, 0, (pokemon.max_hp + np.int32(2)) // 4, where & move.struggles & (total > 0), indirectly=False)
