"""Whether a move reaches its target: what it needs, what absorbs it, immunities, accuracy (``trySpreadMoveHit``)."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from pokejax import rows, stages
from pokejax.battle import FLYING, Battle, any_of, gated, number_of
from pokejax.picking import pick
from pokejax.rules.flow.hit import accuracy_multiplier
from pokejax.rules.mechanics.boosts import boost
from pokejax.rules.mechanics.damage import FIRE, GROUND, Matchup
from pokejax.rules.mechanics.faint import heal
from pokejax.rules.mechanics.numbers import facts_word, modify, quotient
from pokejax.rules.mechanics.revealed import tell_ability
from pokejax.rules.mechanics.status import POWDER_IMMUNE, PRANKSTER_IMMUNE
from pokejax.rules.mechanics.volatiles import GRASS
from pokejax.state import STRUGGLE_SLOT

POISON = number_of("type", "Poison")
HOOPA, MORPEKO = (number_of("species", name) for name in ("hoopaunbound", "morpeko"))
STICKY_HOLD = number_of("ability", "stickyhold")


def can_try(b: Battle, move: Any) -> Any:
    """Sucker Punch needs a foe that is about to attack, Fake Out the user's first action."""
    target = b.side(1)
    has_item = ~move.poltergeist | (target.item != 0)
    slot = jnp.minimum(target.chosen_slot, STRUGGLE_SLOT - 1)
    able = ~move.aura_wheel | (b.pokemon(0).base == MORPEKO)
    able = (
        able & (~move.hyperspace_fury | (b.pokemon(0).species == HOOPA)) & ~(move.needs_attack & (target.recharge > 0))
    )
    struggles = target.chosen_slot == STRUGGLE_SLOT
    goes_on = (target.lock > 0) | (target.charging > 0)
    attacks = struggles | goes_on | (b.move(b.pokemon(1).moves[slot]).category != rows.STATUS)
    return (
        has_item
        & able
        & (~move.needs_attack | (target.queued_move & attacks))
        & (~move.mirror_coat | (b.side(0).coat > 0))
        & ~(move.first_action_only & (b.side(0).move_actions > 1))
    )


@gated("try to hit")
def try_hit(b: Battle, move: Any, meets: Matchup) -> Any:
    """Absorbing abilities, immunities and accuracy, in this order: whether the move reaches its target."""
    user, target = b.side(0), b.side(1)
    with b.when(~absorbed(b, move)):
        immune = meets.immune & ~move.ignores_immunity
        with b.when(immune & (move.type == GROUND) & b.ability(1).levitate & ~b.has_type(1, FLYING)):
            tell_ability(b, 1)
        fails = any_of([
            immune,
            (target.status != 0) & (move.volatile == rows.YAWN),
            (move.volatile == rows.CURSE) & target.cursed,
            move.powder & b.naturally_immune(1, POWDER_IMMUNE),
            quickened(b) & b.naturally_immune(1, PRANKSTER_IMMUNE),
            (move.volatile == rows.LEECH_SEED) & b.has_type(1, GRASS),
            move.swaps_items & (b.ability_held(1) == STICKY_HOLD),  # which no Mold Breaker passes by
            move.endeavor & (user.hp >= target.hp),
        ])  # fmt: skip
        with b.when(~fails):
            return accurate(b, move)


def quickened(b: Battle) -> Any:
    """Whether Prankster has hurried the move that was chosen, which Dark types do not mind."""
    return b.ability(0).prankster & b.side(0).harmless


def absorbed(b: Battle, move: Any) -> Any:
    """Abilities that make nothing of a move, or something good."""
    ability = b.ability(1)
    takes = (ability.absorbs != 0) & (ability.absorbs == move.type)
    with b.when(takes & (ability.absorbs == FIRE) & (ability.absorbed_boosts == 0)):
        b.side(1).fired_up = True
    takes = takes | (ability.wind_rider & move.wind)
    with b.when(takes):
        with b.when(ability.absorbs_into_hp):
            heal(b, 1, quotient(b.pokemon(1).max_hp, 4))
        with b.when(ability.absorbed_boosts != 0):
            boost(b, 1, ability.absorbed_boosts, by_foe=False)
    blocks = any_of([
        ability.soundproof & move.sound,
        ability.bulletproof & move.bullet,
        ability.good_as_gold & (move.category == rows.STATUS),
        ability.oblivious & (move.volatile == rows.TAUNT),
        ability.overcoat & move.powder & ~b.naturally_immune(1, POWDER_IMMUNE),
    ])  # fmt: skip
    with b.when(takes | blocks) as absorbs:
        tell_ability(b, 1)
    return absorbs


def accurate(b: Battle, move: Any) -> Any:
    """Whether the move hits; one that can miss draws."""
    user, target = b.side(0), b.side(1)
    weather = b.weather
    can_miss = (move.accuracy > 0) & ~((move.sure_in != 0) & (move.sure_in == weather))
    base = pick(move.unsure_in_sun & (weather == rows.SUN), 50, move.accuracy)
    facts = facts_word(has_accuracy=can_miss, physical=move.category == rows.PHYSICAL)
    accuracy = modify(base, accuracy_multiplier(b, move, facts))
    can_number, plain_evasion = can_miss, move.ignores_evasion | b.ability(0).ignores_evasion
    unaware = b.ability(0).unaware & (user.hp > 0)
    evasion = pick(plain_evasion | unaware, 0, stages.one(target.boosts, rows.EVASION))
    own = pick(b.ability(1).unaware, 0, stages.one(user.boosts, rows.ACCURACY))
    stage = jnp.clip(own - evasion, -6, 6)
    accuracy = pick(stage >= 0, quotient(accuracy * (3 + stage), 3), quotient(accuracy * 3, 3 - stage))
    sure = [b.ability(n).no_guard & (b.side(n).hp > 0) for n in (0, 1)]  # not of who has exploded
    can_miss = can_miss & ~sure[0] & ~sure[1] & ~target.exposed
    with b.when(can_number):
        b.ask_unaware()
        with b.when(~plain_evasion):
            b.ask_unaware()
    doubtful = ~(move.toxic & b.has_type(0, POISON))
    with b.when(doubtful & b.tied() & b.both_stand()):
        b.shuffle("No Guard", asked=lambda b: b.both_listed("no_guard"))
    asks = doubtful & can_miss
    with b.when(asks):
        drawn = b.draw(100, "accuracy")
    return b.here & (~asks | (drawn < accuracy.astype(np.int32)))
