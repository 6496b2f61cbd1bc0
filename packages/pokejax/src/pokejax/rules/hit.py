"""One hit of a move, and the loop over the hits of moves that have several."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from pokejax import rows
from pokejax.battle import Battle
from pokejax.rules.boosts import boost
from pokejax.rules.damage import FIRE, Matchup, damage
from pokejax.rules.faint import faint_messages, heal, hurt
from pokejax.rules.numbers import fraction
from pokejax.rules.status import add_volatile, cure, inflict

MOST_HITS = 10
MULTIHIT_THRESHOLDS = (7, 14, 17)
"""Of a draw of twenty: below the first two hits, below the second three, below the third four, else five."""


def hits_of(b: Battle, move: Any, where: Any) -> Any:
    """How often the move strikes."""
    varies = move.least_hits != move.most_hits
    drawn = b.draw(where & varies, 20, "hits")
    count = 2 + sum((drawn >= limit).astype(jnp.int32) for limit in MULTIHIT_THRESHOLDS)
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
        words, going, done, total, landed = carry
        inner, row = Battle(words, b.params, b.ops), rows.MOVE.view(move_words)  # views belong to one trace
        dealt, worked = one_hit(inner, row, meets, going)
        done = done + (going & worked).astype(jnp.int32)
        total = total + jnp.where(going, dealt, 0)
        landed = landed | (going & worked)
        inner.draw(going & worked & inner.tied(), 2, "Update after a hit")
        user, target = inner.side(0), inner.side(1)
        going = going & worked & (done < count) & (user.hp > 0) & (target.hp > 0)
        return inner.words, going, done, total, landed

    start = (b.words, where, zero, zero, jnp.zeros_like(where))
    words, _, _, total, landed = b.ops.loop(goes_on, strike, start, MOST_HITS)
    b.reopen(words)
    faint_messages(b, check_win=b.side(0).hp == 0, last=0, by_move=landed)
    recoil(b, move, total, landed)
    b.draw(landed & b.tied(), 2, "Update after the hits")
    cure(b, 1, landed & move.thaws_target & (b.side(1).status == rows.FRZ))
    return landed


def one_hit(b: Battle, move: Any, meets: Matchup, where: Any) -> tuple[Any, Any]:
    """Damage and effects of one hit: ``(damage dealt, whether it worked)`` (``spreadMoveHit``)."""
    harmful = where & (move.category != rows.STATUS)
    full = damage(b, move, meets, harmful)
    dealt = strike_target(b, full, harmful)
    heal(b, 0, fraction(dealt, move.drain), harmful & (move.drain > 0) & (dealt > 0))
    worked = harmful | effects_of_status_move(b, move, where & ~harmful)
    self_change(b, move, where & worked)
    for number in (0, 1):
        secondary(b, move, number, where & worked)
    damaging_hit(b, move, harmful)
    return jnp.where(harmful, dealt, 0), worked


def strike_target(b: Battle, amount: Any, where: Any) -> Any:
    """The target loses hit points; Sturdy keeps the last one of a full bar."""
    target = b.side(1)
    survives = b.ability(1).sturdy & (target.hp == b.pokemon(1).max_hp) & (amount >= target.hp)
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
    given = inflict(b, 1, move.status, where & (move.status != 0))
    worked = worked | heals | given
    refused = where & (move.status != 0) & ~given
    return (worked | add_volatile(b, 1, move.volatile, where & (move.volatile != 0))) & ~refused


def self_change(b: Battle, move: Any, where: Any) -> None:
    """Stages that the user pays or gains with each hit; the draw is made even if they always come (``selfDrops``)."""
    where = where & (move.self_boosts != 0)
    chance = jnp.where(b.ability(0).serene_grace, move.self_chance * 2, move.self_chance)
    drawn = b.draw(where, 100, "self")
    boost(b, 0, move.self_boosts, where & ((chance == 0) | (drawn < chance)), by_foe=False)


def secondary(b: Battle, move: Any, number: int, where: Any) -> None:
    """One secondary effect of a hit; the draw is made whatever has become of the target."""
    chance, status, volatile, boosts, self_boosts = (
        getattr(move, f"{name}{number}") for name in ("chance", "status", "volatile", "boosts", "self_boosts")
    )
    where = where & (move.secondaries > number) & ~(b.ability(1).no_secondaries & (self_boosts == 0))
    chance = jnp.where(b.ability(0).serene_grace, chance * 2, chance)
    happens = where & (b.draw(where, 100, "secondary") < chance)
    boost(b, 1, boosts, happens & (boosts != 0), by_foe=True)
    inflict(b, 1, status, happens & (status != 0))
    add_volatile(b, 1, volatile, happens & (volatile != 0))
    boost(b, 0, self_boosts, happens & (self_boosts != 0), by_foe=False)


def damaging_hit(b: Battle, move: Any, where: Any) -> None:
    """What being hit brings about: thawing, Rough Skin, Rocky Helmet, Static, Stamina (``DamagingHit``)."""
    ability, touched = b.ability(1), where & move.contact
    most = b.pokemon(0).max_hp
    hurt(b, 0, most // jnp.maximum(ability.contact_damage, 1), touched & (ability.contact_damage > 0))
    hurt(b, 0, most // 6, touched & b.item(1).helmet)
    cure(b, 1, where & (move.type == FIRE) & (b.side(1).status == rows.FRZ))
    catching = touched & (ability.contact_status > 0)
    caught = catching & (b.draw(catching, 10, "contact") < 3)
    inflict(b, 0, ability.contact_status, caught)
    fits = (ability.hit_type == 0) | (ability.hit_type == move.type)
    fits = fits & (~ability.hit_physical | (move.category == rows.PHYSICAL))
    boost(b, 1, ability.hit_boosts, where & fits & (ability.hit_boosts != 0), by_foe=False)


def recoil(b: Battle, move: Any, total: Any, where: Any) -> None:
    """The user is hurt by its own blow, or by struggling."""
    pokemon = b.pokemon(0)
    amount = jnp.maximum(fraction(total, move.recoil), 1)
    hurt(b, 0, amount, where & (move.recoil > 0) & (total > 0) & ~b.ability(0).no_recoil)
    hurt(b, 0, (pokemon.max_hp + np.int32(2)) // 4, where & move.struggles & (total > 0))
