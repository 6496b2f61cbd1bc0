"""What moves do that do no damage: stages, healing, status, and what belongs to one move alone (``runMoveEffects``)."""

from __future__ import annotations

from typing import Any, Final

import jax.numpy as jnp

from pokejax import rows, stages
from pokejax.battle import Battle, any_of, gated
from pokejax.picking import pick
from pokejax.rules.flow.requests import fallen, has_reserve
from pokejax.rules.mechanics import volatiles
from pokejax.rules.mechanics.boosts import boost
from pokejax.rules.mechanics.copying import assume
from pokejax.rules.mechanics.faint import drain, heal, hurt
from pokejax.rules.mechanics.hazards import anything_lies, defog, sweep
from pokejax.rules.mechanics.items import give_back
from pokejax.rules.mechanics.numbers import fraction, modify, quotient, staged_stat
from pokejax.rules.mechanics.revealed import tell_ability, tell_item
from pokejax.rules.mechanics.status import (
    add_volatile,
    cure,
    eat_at_once,
    guarded_by_sun,
    inflict,
    kept_awake,
    notice_status,
)
from pokejax.rules.mechanics.wishes import wish

REST_TURNS = 3
SUN_SHARE = 2732  # 0.667 in 4096ths


@gated("status move")
def effects_of_status_move(b: Battle, move: Any) -> Any:
    """Stages, healing and status of a move that does no damage; whether any of it worked (``runMoveEffects``)."""
    at_self = move.target == rows.AT_SELF
    haunted = move.curse & at_self & (move.self_boosts == 0)
    cost = quotient(b.pokemon(0).max_hp * move.pays, 100)
    affordable = b.side(0).hp * 100 > b.pokemon(0).max_hp * move.pays
    with b.when((move.boosts != 0) & affordable):
        with b.when(at_self):
            worked = boost(b, 0, move.boosts, by_foe=False)
        with b.when(worked & (move.pays > 0)):
            hurt(b, 0, cost, indirectly=False)
        with b.when(~at_self):
            worked = worked | boost(b, 1, move.boosts, by_foe=True)
    user, most = b.side(0), b.pokemon(0).max_hp
    with b.when((move.heal_share > 0) & (user.hp < most)) as heals:
        heal(b, 0, fraction(most, move.heal_share))
    weather = b.weather
    share = pick(weather == 0, 2048, pick(weather == rows.SUN, SUN_SHARE, 1024))
    in_sand = pick(weather == rows.SAND, SUN_SHARE, 2048)
    share = pick(move.shore_up, in_sand, share)
    with b.when(move.heals_by_weather | move.shore_up) as rested:  # counts as done even in full health
        heal(b, 0, modify(most, share))
    with b.when(move.status != 0) as tries:
        given = inflict(b, 1, move.status, by_status_move=True)
    worked = worked | heals | rested | given
    with b.when(move.volatile != 0):
        worked = worked | add_volatile(b, 1, move.volatile)
    with b.when((move.volatile == rows.CONFUSION) & b.ability(1).own_tempo):
        tell_ability(b, 1)
    worked = worked | volatile_of_status_move(b, move)
    for field, rule in OF_ONE_MOVE.items():
        with b.when(getattr(move, field)):
            worked = worked | rule(b)
    with b.when(move.curse & at_self & ~haunted) as strengthened:
        worked = worked | strengthened
    with b.when(haunted):
        worked = worked | volatiles.curse_itself(b)
    with b.when(move.no_retreat & ~b.side(0).spirit_shackle) as cornered:  # of who is held already, stages alone count
        b.side(0).no_retreat = True
    user = b.side(0)
    with b.when(heals & move.roost & ~user.terastallized):
        user.roosting = True
    return (worked | cornered) & ~(tries & ~given)


def volatile_of_status_move(b: Battle, move: Any) -> Any:
    """Conditions that status moves bring; whether it is new."""
    rules = {
        rows.PROTECT: volatiles.protect, rows.SUBSTITUTE: volatiles.make_substitute, rows.LEECH_SEED: volatiles.seed,
        rows.TAUNT: volatiles.taunt, rows.ENCORE: volatiles.encore, rows.YAWN: volatiles.yawn,
        rows.CURSE: volatiles.curse, rows.DESTINY_BOND: volatiles.bond, rows.MAGNET_RISE: volatiles.rise,
    }  # fmt: skip
    new = []
    for code, rule in rules.items():
        with b.when(move.volatile == code):
            new.append(rule(b))
    return any_of(new)


def drag(b: Battle) -> Any:
    """The target will be dragged out after the action, if both stand and somebody can come in."""
    with b.when(has_reserve(b, 1) & (b.side(1).hp > 0)) as works, b.when(b.side(0).hp > 0):
        b.side(1).dragged = True
    return works


def shed_tail(b: Battle) -> Any:
    """Half of the user's hit points become a substitute for whoever takes its place; whether that was possible."""
    user, most = b.side(0), b.pokemon(0).max_hp
    cost = quotient(most + 1, 2)
    with b.when(has_reserve(b, 0) & (user.substitute == 0) & (user.hp > cost)) as works:
        user.substitute = quotient(most, 4)
        user.bound = 0
        hurt(b, 0, cost, indirectly=False)
        user.switch_flag = True
        user.sheds_tail = True
    return works


def heal_next(b: Battle) -> Any:
    """Healing Wish: the user falls, for the good of whoever comes next; whether no other such wish waits."""
    user = b.side(0)
    with b.when(has_reserve(b, 0)):
        with b.when(~user.healing) as works:
            user.healing = True
        user.hp = 0
    return works


def ask_revival(b: Battle) -> Any:
    """Revival Blessing: the player is asked who of the fallen comes back; whether there is anybody."""
    with b.when(any_of(fallen(b, 0))) as works:
        b.side(0).reviving = True
        b.side(0).switch_flag = True
    return works


def can_try_itself(b: Battle, move: Any) -> Any:
    """Whether a move at the user itself, its side or the field is tried at all (``onTry``, its own ``onPrepareHit``).

    It can pay, needs to rest, has snow for a veil, somebody to take its place, nothing to do once more, or it sleeps.
    """
    user, most, ability = b.side(0), b.pokemon(0).max_hp, b.ability(0)
    pays = (user.hp * 100 > most * move.pays) & (most > 1)
    sleepless = (((ability.immune_statuses >> rows.SLP) & 1) != 0) & (ability.cures_itself | ability.comatose)
    rests = (user.status != rows.SLP) & (user.hp < most) & ~sleepless
    again = (move.no_retreat & user.no_retreat) | ((move.volatile == rows.DESTINY_BOND) & user.bonded)
    possible = ((move.pays == 0) | pays) & (~move.rest | rests) & ~again
    possible = possible & ((move.side_condition != rows.AURORA_VEIL) | (b.weather == rows.SNOW))
    possible = possible & (~move.teleport | has_reserve(b, 0))
    return possible & (~move.sleep_talk | (user.status == rows.SLP) | ability.comatose)


def teleport(b: Battle) -> Any:
    """The user leaves, if somebody can take its place."""
    with b.when(has_reserve(b, 0)) as works:
        b.side(0).switch_flag = True
    return works


def swap_items(b: Battle) -> Any:
    """Both exchange what they hold; a choice item in new hands binds nobody yet."""
    user, target = b.side(0), b.side(1)
    own, other = user.item, target.item
    kept = any_of(b.keeps(number, holder, 1 - holder) for number in (0, 1) for holder in (0, 1))
    possible = ((own != 0) | (other != 0)) & ~kept
    with b.when(~possible):
        for number in (0, 1):
            give_back(b, number)
    with b.when(possible) as works:
        with b.when(b.item(1).choice):
            user.choice_lock = 0
        with b.when(b.item(0).choice):
            target.choice_lock = 0
        for number, side in enumerate((user, target)):
            side.unstarted = False
            with b.when((side.item != 0) & b.ability(number).unburden):
                side.unburdened = True
        user.item, target.item = other, own
        for number in (0, 1):
            tell_item(b, number)
    return works


def sap_strength(b: Battle) -> Any:
    """The user gains as many hit points as the target has Attack, which falls."""
    target = b.side(1)
    with b.when(stages.one(target.boosts, rows.ATK) > -6):
        attack = staged_stat(b.pokemon(1).atk, target, rows.ATK)
        lowered = boost(b, 1, b.params.intimidate, by_foe=True, stats=(rows.ATK,))
        with b.when((b.side(0).hp < b.pokemon(0).max_hp) | b.ability(1).liquid_ooze) as heals:
            drain(b, 0, jnp.maximum(attack, 1))
    return lowered | heals


def drum(b: Battle) -> Any:
    """Belly Drum: half of the hit points for all the Attack there is."""
    user, most = b.side(0), b.pokemon(0).max_hp
    weaker = stages.one(user.boosts, rows.ATK) < stages.HIGHEST
    with b.when((user.hp * 2 > most) & weaker & (most > 1)) as works:
        hurt(b, 0, quotient(most, 2), indirectly=False)
        for _ in range(2):  # twelve stages, of which a row holds six
            boost(b, 0, b.params.drum, by_foe=False, stats=(rows.ATK,))
    return works


def tidy_up(b: Battle) -> Any:
    """Substitutes and hazards are cleared away, and the user is the stronger for it; whether anything changed."""
    sides = [b.side(number) for number in (0, 1)]
    present = any_of(anything_lies(s) for s in sides)
    present = present | any_of(s.substitute > 0 for s in sides)
    for number, side in enumerate(sides):
        side.substitute = 0
        sweep(b, number)
    return boost(b, 0, b.params.tidying, by_foe=False, stats=(rows.ATK, rows.SPE)) | (b.here & present)


def part(b: Battle) -> Any:
    """Parting Shot: the user leaves if it has lowered the target's stages; it counts as done even if it has not."""
    lowered = boost(b, 1, b.params.parting, by_foe=True, stats=(rows.ATK, rows.SPA))
    with b.when((lowered | b.ability(1).mirror_armor) & has_reserve(b, 0) & (b.side(0).hp > 0)):
        b.side(0).switch_flag = True
    return b.here


def cure_user(b: Battle) -> Any:
    """The user's status ends; whether it had one."""
    with b.when(b.side(0).status != 0) as works:
        cure(b, 0)
    return works


def share_hp(b: Battle) -> Any:
    """Pain Split: both have half of what they have together."""
    user, target = b.side(0), b.side(1)
    share = jnp.maximum(quotient(user.hp + target.hp, 2), 1)
    for number, side in enumerate((user, target)):
        side.hp = jnp.minimum(share, b.pokemon(number).max_hp)
    return b.here


def rest(b: Battle) -> Any:
    """The user sleeps two turns and is healthy; whether it is awake and hurt."""
    user, most = b.side(0), b.pokemon(0).max_hp
    sleepless = ((b.ability(0).immune_statuses >> rows.SLP) & 1) != 0
    with b.when((user.status != rows.SLP) & ~b.ability(0).comatose & (user.hp < most)):
        with b.when(sleepless):
            tell_ability(b, 0)
        with b.when(~sleepless & ~guarded_by_sun(b, 0) & ~kept_awake(b, 0)) as works:
            b.shuffle("sleep", n=3)  # its result is not used: Rest always takes three
            slept = ("stage", REST_TURNS), ("slept", REST_TURNS), ("rested", 0)
            for field, value in (("status", rows.SLP), *slept, ("hp", most)):
                user.set(field, value)
            user.status_by = b.place(0)
            notice_status(b, 0)
            with b.when(b.item(0).lum_berry):
                eat_at_once(b, 0)
    return works


OF_ONE_MOVE: Final = {
    "rest": rest, "pain_split": share_hp, "strength_sap": sap_strength, "wish": wish, "swaps_items": swap_items,
    "belly_drum": drum, "take_heart": cure_user, "tidy_up": tidy_up, "parting_shot": part, "defog": defog,
    "drags": drag, "shed_tail": shed_tail, "teleport": teleport, "healing_wish": heal_next,
    "revival_blessing": ask_revival, "transform": assume,
}  # fmt: skip
"""What a move's field says that it does: each a rule that says whether it worked."""
