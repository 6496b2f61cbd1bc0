"""Using a move: what it costs, whom it reaches, whether it hits (``runMove``, ``useMove``, ``trySpreadMoveHit``)."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from pokejax import rows
from pokejax.battle import FLYING, Battle, any_of, number_of
from pokejax.rules.boosts import boost
from pokejax.rules.damage import GROUND, Matchup, matchup
from pokejax.rules.faint import faint_messages, heal, hurt, win
from pokejax.rules.field import set_weather
from pokejax.rules.hazards import lay
from pokejax.rules.hit import hit_loop
from pokejax.rules.numbers import chain, facts_word, modify, multiplier, staged
from pokejax.rules.status import POWDER_IMMUNE, PRANKSTER_IMMUNE, before_move, cure
from pokejax.rules.telling import tell_ability, tell_item, tell_move
from pokejax.rules.volatiles import GRASS, chosen_slot
from pokejax.state import FALSE, NULL, STRUGGLE_SLOT, TRUE

POISON = number_of("type", "Poison")
STRUGGLE = number_of("move", "struggle")


def run_move(b: Battle, where: Any) -> None:
    """The first side's Pokémon carries out the move that it chose."""
    user = b.side(0)
    user.set("move_actions", jnp.minimum(user.move_actions + 1, 3), where=where)
    slot = chosen_slot(b)
    own = jnp.minimum(slot, STRUGGLE_SLOT - 1)
    index = jnp.where(slot == STRUGGLE_SLOT, STRUGGLE, b.pokemon(0).moves[own])
    move = b.move(index)
    take_tera_type(b, move)
    force(b, move)

    able = before_move(b, move, own, where)
    user.set("this_result", FALSE, where=where & ~able)
    spend(b, own, 1, able & (slot != STRUGGLE_SLOT))
    tell_move(b, own, able & (slot != STRUGGLE_SLOT))
    user.set("last_move", slot + 1, where=able)
    user.set("choice_lock", 0, where=able & ~b.item(0).choice)
    locks = able & b.item(0).choice & (user.choice_lock == 0)
    user.set("choice_lock", slot + 1, where=locks)
    cure(b, 0, able & move.defrost & (user.status == rows.FRZ))

    result, blocked = use_move(b, move, own, able)
    b.side(0).set("this_result", jnp.where(result, TRUE, jnp.where(blocked, NULL, FALSE)), where=able)
    faint_messages(b, check_win=able, last=0)
    win(b, able & ~b.view.over, 0)


def take_tera_type(b: Battle, move: Any) -> None:
    """Tera Blast has the user's tera type, and strikes with its better stat."""
    user, pokemon = b.side(0), b.pokemon(0)
    becomes = move.becomes_tera & user.terastallized
    move.set("type", pokemon.tera_type, where=becomes)
    stronger = staged(pokemon.atk, user.boosts[rows.ATK]) > staged(pokemon.spa, user.boosts[rows.SPA])
    move.set("category", rows.PHYSICAL, where=becomes & stronger)


def force(b: Battle, move: Any) -> None:
    """Sheer Force gives up what a move does besides damage, and what it costs, for power."""
    forced = b.ability(0).forces & (move.secondaries > 0)
    move.set("forced", True, where=forced)
    move.set("secondaries", 0, where=forced)
    move.set("self_boosts", 0, where=forced)


def spend(b: Battle, slot: Any, amount: int, where: Any) -> None:
    """Take power points from a slot."""
    pp = b.side(0).pp
    pp.set(slot, jnp.maximum(pp[slot] - amount, 0), where=where)


def use_move(b: Battle, move: Any, slot: Any, where: Any) -> tuple[Any, Any]:
    """The move's effects: whether it succeeded, and whether something like Protect kept it away."""
    target = b.side(1)
    at_field, at_side = move.target == rows.AT_FIELD, move.target == rows.AT_FOE_SIDE
    at_self = move.target == rows.AT_SELF
    at_foe = ~at_field & ~at_self & ~at_side
    reaches = where & (~at_foe | ~target.fainted)
    noticed = at_foe | at_field | move.mustpressure
    pressed = reaches & noticed & ~target.fainted & b.ability(1).presses & ~move.struggles
    spend(b, slot, 1, pressed)

    meets = matchup(b, move)
    tries = reaches & at_foe & can_try(b, move)
    blocked = tries & target.protected & move.protect
    hits = (reaches & at_self) | try_hit(b, move, meets, tries & ~blocked)
    changed = set_weather(b, move.weather, reaches & at_field & (move.weather != 0))
    changed = changed | clear_stages(b, reaches & move.clears_stages)
    changed = changed | lay(b, move.side_condition, reaches & at_side)
    landed = hit_loop(b, move, meets, hits)

    result = landed | changed
    boost(b, 0, move.once_boosts, result & (move.once_boosts != 0), by_foe=False)
    leaves = landed & move.self_switch & (b.side(0).hp > 0)
    b.side(0).set("switch_flag", True, where=leaves)
    burdened = result & ~move.forced & b.item(0).life_orb & (move.category != rows.STATUS)
    tell_item(b, 0, burdened & (b.side(0).hp > 0) & ~b.ability(0).no_indirect_damage)
    hurt(b, 0, b.pokemon(0).max_hp // 10, burdened)
    hurt(b, 0, b.pokemon(0).max_hp // 2, reaches & at_foe & ~result & move.crashes)
    return result, blocked


def clear_stages(b: Battle, where: Any) -> Any:
    """Haze sets all stages of both Pokémon back."""
    for number in (0, 1):
        b.side(number).clear("boosts", where=where & ~b.side(number).fainted)
    return where


def can_try(b: Battle, move: Any) -> Any:
    """Sucker Punch needs a foe that is about to attack, Fake Out the user's first action."""
    target = b.side(1)
    has_item = ~move.needs_item | (target.item != 0)
    slot = jnp.minimum(target.chosen_slot, STRUGGLE_SLOT - 1)
    struggles = target.chosen_slot == STRUGGLE_SLOT
    attacks = struggles | (b.move(b.pokemon(1).moves[slot]).category != rows.STATUS)
    return (
        has_item
        & (~move.needs_attack | (target.queued_move & attacks))
        & ~(move.first_action_only & (b.side(0).move_actions > 1))
    )


def try_hit(b: Battle, move: Any, meets: Matchup, where: Any) -> Any:
    """Absorbing abilities, immunities and accuracy, in this order: whether the move reaches its target."""
    where = where & ~absorbed(b, move, where)
    immune = where & meets.immune & ~move.ignores_immunity
    tell_ability(b, 1, immune & (move.type == GROUND) & b.ability(1).levitates & ~b.has_type(1, FLYING))
    where = where & ~immune
    where = where & ~(move.powder & b.naturally_immune(1, POWDER_IMMUNE))
    where = where & ~(quickened(b) & b.naturally_immune(1, PRANKSTER_IMMUNE))
    where = where & ~((move.volatile == rows.LEECH_SEED) & b.has_type(1, GRASS))
    return accurate(b, move, where)


def quickened(b: Battle) -> Any:
    """Whether Prankster has hurried the move that was chosen, which Dark types do not mind."""
    user = b.side(0)
    chosen = b.move(b.pokemon(0).moves[jnp.minimum(user.chosen_slot, STRUGGLE_SLOT - 1)])
    status = (user.chosen_slot != STRUGGLE_SLOT) & (chosen.category == rows.STATUS)
    return b.ability(0).quickens_status_moves & status


def absorbed(b: Battle, move: Any, where: Any) -> Any:
    """Abilities that make nothing of a move, or something good."""
    ability = b.ability(1)
    takes = where & (ability.absorbs != 0) & (ability.absorbs == move.type)
    heal(b, 1, b.pokemon(1).max_hp // 4, takes & ability.absorbs_into_hp)
    boost(b, 1, ability.absorbed_boosts, takes & (ability.absorbed_boosts != 0), by_foe=False)
    blocks = any_of([
        ability.blocks_sound & move.sound,
        ability.blocks_bullets & move.bullet,
        ability.blocks_powder & move.powder & ~b.naturally_immune(1, POWDER_IMMUNE),
    ])  # fmt: skip
    tell_ability(b, 1, takes | (where & blocks))
    return takes | (where & blocks)


def accurate(b: Battle, move: Any, where: Any) -> Any:
    """Whether the move hits; one that can miss draws."""
    user, target = b.side(0), b.side(1)
    weather = b.view.weather
    can_miss = (move.accuracy > 0) & ~((move.sure_in != 0) & (move.sure_in == weather))
    base = jnp.where(move.unsure_in_sun & (weather == rows.SUN), 50, move.accuracy)
    facts = facts_word(
        has_accuracy=can_miss,
        physical=move.category == rows.PHYSICAL,
    )
    by = chain(
        multiplier(b, "SourceModifyAccuracy", "ability", b.pokemon(0).ability, facts, move.type),
        multiplier(b, "SourceModifyAccuracy", "item", user.item, facts, move.type),
    )
    accuracy = modify(base, by)
    evasion = jnp.where(move.ignores_evasion | b.ability(0).ignores_evasion, 0, target.boosts[rows.EVASION])
    stage = jnp.clip(user.boosts[rows.ACCURACY] - evasion, -6, 6)
    accuracy = jnp.where(stage >= 0, accuracy * (3 + stage) // 3, accuracy * 3 // (3 - stage))
    asks = where & can_miss & ~(move.sure_for_poison & b.has_type(0, POISON))
    drawn = b.draw(asks, 100, "accuracy")
    return where & (~asks | (drawn < accuracy.astype(np.int32)))
