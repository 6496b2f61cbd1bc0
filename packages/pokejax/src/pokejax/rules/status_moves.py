"""What moves do that do no damage: stages, healing, status, and what belongs to one move alone (``runMoveEffects``)."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from pokejax import rows, stages
from pokejax.battle import Battle, any_of, gated
from pokejax.picking import pick
from pokejax.rules import volatiles
from pokejax.rules.boosts import boost
from pokejax.rules.copying import assume
from pokejax.rules.faint import drain, heal, hurt
from pokejax.rules.hazards import defog, sweep
from pokejax.rules.items import give_back
from pokejax.rules.numbers import fraction, modify, quotient, staged_stat
from pokejax.rules.requests import fallen, has_reserve
from pokejax.rules.status import add_volatile, cure, eat_at_once, guarded_by_sun, inflict, kept_awake, notice_status
from pokejax.rules.telling import tell_ability, tell_item
from pokejax.rules.wishes import wish

REST_TURNS = 3
SUN_SHARE = 2732  # 0.667 in 4096ths


@gated("status move")
def effects_of_status_move(b: Battle, move: Any, where: Any) -> Any:
    """Stages, healing and status of a move that does no damage; whether any of it worked (``runMoveEffects``)."""
    at_self = move.target == rows.AT_SELF
    haunted = move.curses & at_self & (move.self_boosts == 0)
    cost = quotient(b.pokemon(0).max_hp * move.pays, 100)
    affordable = b.side(0).hp * 100 > b.pokemon(0).max_hp * move.pays
    changes = where & (move.boosts != 0) & affordable
    worked = boost(b, 0, move.boosts, changes & at_self, by_foe=False)
    hurt(b, 0, cost, worked & (move.pays > 0), indirectly=False)
    worked = worked | boost(b, 1, move.boosts, changes & ~at_self, by_foe=True)
    user, most = b.side(0), b.pokemon(0).max_hp
    heals = where & (move.heal_share > 0) & (user.hp < most)
    heal(b, 0, fraction(most, move.heal_share), heals)
    weather = b.weather
    share = pick(weather == 0, 2048, pick(weather == rows.SUN, SUN_SHARE, 1024))
    in_sand = pick(weather == rows.SAND, SUN_SHARE, 2048)
    share = pick(move.heals_in_sand, in_sand, share)
    resting = where & (move.heals_by_weather | move.heals_in_sand)  # counts as done even in full health
    heal(b, 0, modify(most, share), resting)
    given = inflict(b, 1, move.status, where & (move.status != 0), by_status_move=True)
    worked = worked | heals | resting | given
    refused = where & (move.status != 0) & ~given
    worked = worked | add_volatile(b, 1, move.volatile, where & (move.volatile != 0))
    tell_ability(b, 1, where & (move.volatile == rows.CONFUSION) & b.ability(1).no_confusion)
    worked = worked | volatile_of_status_move(b, move, where) | rest(b, where & move.rests)
    worked = worked | share_hp(b, where & move.shares_hp) | sap_strength(b, where & move.saps_strength)
    worked = worked | wish(b, where & move.wishes) | swap_items(b, where & move.swaps_items)
    worked = worked | drum(b, where & move.drums) | cure_user(b, where & move.cures_user)
    worked = worked | (where & move.curses & at_self & ~haunted)
    worked = worked | volatiles.curse_itself(b, where & haunted)
    worked = worked | tidy_up(b, where & move.tidies) | part(b, where & move.parts)
    worked = worked | defog(b, where & move.clears_ground) | drag(b, where & move.drags)
    worked = worked | shed_tail(b, where & move.sheds_tail) | teleport(b, where & move.teleports)
    worked = worked | heal_next(b, where & move.heals_next) | ask_revival(b, where & move.revives)
    worked = worked | assume(b, where & move.transforms)
    cornered = where & move.corners & ~b.side(0).shackled  # of who is held already, stages alone count
    b.side(0).set("cornered", True, where=cornered)
    worked = worked | cornered
    user = b.side(0)
    user.set("roosting", True, where=heals & move.roosts & ~user.terastallized)
    return worked & ~refused


def volatile_of_status_move(b: Battle, move: Any, where: Any) -> Any:
    """Conditions that status moves bring; whether it is new."""
    rules = {
        rows.PROTECT: volatiles.protect, rows.SUBSTITUTE: volatiles.make_substitute, rows.LEECH_SEED: volatiles.seed,
        rows.TAUNT: volatiles.taunt, rows.ENCORE: volatiles.encore, rows.YAWN: volatiles.yawn,
        rows.CURSE: volatiles.curse, rows.DESTINY_BOND: volatiles.bond, rows.MAGNET_RISE: volatiles.rise,
    }  # fmt: skip
    return any_of(rule(b, where & (move.volatile == code)) for code, rule in rules.items())


def drag(b: Battle, where: Any) -> Any:
    """The target will be dragged out after the action, if both stand and somebody can come in."""
    where = where & has_reserve(b, 1) & (b.side(1).hp > 0)
    b.side(1).set("dragged", True, where=where & (b.side(0).hp > 0))
    return where


def shed_tail(b: Battle, where: Any) -> Any:
    """Half of the user's hit points become a substitute for whoever takes its place; whether that was possible."""
    user, most = b.side(0), b.pokemon(0).max_hp
    cost = quotient(most + 1, 2)
    works = where & has_reserve(b, 0) & (user.substitute == 0) & (user.hp > cost)
    user.set("substitute", quotient(most, 4), where=works)
    user.set("bound", 0, where=works)
    hurt(b, 0, cost, works, indirectly=False)
    user.set("switch_flag", True, where=works)
    user.set("sheds_tail", True, where=works)
    return works


def heal_next(b: Battle, where: Any) -> Any:
    """Healing Wish: the user falls, for the good of whoever comes next; whether no other such wish waits."""
    user = b.side(0)
    where = where & has_reserve(b, 0)
    works = where & ~user.healing
    user.set("healing", True, where=works)
    user.set("hp", 0, where=where)
    return works


def ask_revival(b: Battle, where: Any) -> Any:
    """Revival Blessing: the player is asked who of the fallen comes back; whether there is anybody."""
    where = where & any_of(fallen(b, 0))
    b.side(0).set("reviving", True, where=where)
    b.side(0).set("switch_flag", True, where=where)
    return where


def can_try_itself(b: Battle, move: Any) -> Any:
    """Whether a move at the user itself, its side or the field is tried at all (``onTry``, its own ``onPrepareHit``).

    It can pay, needs to rest, has snow for a veil, somebody to take its place, nothing to do once more, or it sleeps.
    """
    user, most, ability = b.side(0), b.pokemon(0).max_hp, b.ability(0)
    pays = (user.hp * 100 > most * move.pays) & (most > 1)
    sleepless = (((ability.immune_statuses >> rows.SLP) & 1) != 0) & (ability.cures_itself | ability.comatose)
    rests = (user.status != rows.SLP) & (user.hp < most) & ~sleepless
    again = (move.corners & user.cornered) | ((move.volatile == rows.DESTINY_BOND) & user.bonded)
    possible = ((move.pays == 0) | pays) & (~move.rests | rests) & ~again
    possible = possible & ((move.side_condition != rows.AURORA_VEIL) | (b.weather == rows.SNOW))
    possible = possible & (~move.teleports | has_reserve(b, 0))
    return possible & (~move.calls_own | (user.status == rows.SLP) | ability.comatose)


def teleport(b: Battle, where: Any) -> Any:
    """The user leaves, if somebody can take its place."""
    where = where & has_reserve(b, 0)
    b.side(0).set("switch_flag", True, where=where)
    return where


def swap_items(b: Battle, where: Any) -> Any:
    """Both exchange what they hold; a choice item in new hands binds nobody yet."""
    user, target = b.side(0), b.side(1)
    own, other = user.item, target.item
    kept = any_of(b.keeps(number, holder, 1 - holder) for number in (0, 1) for holder in (0, 1))
    possible = ((own != 0) | (other != 0)) & ~kept
    for number in (0, 1):
        give_back(b, number, where & ~possible)
    where = where & possible
    user.set("choice_lock", 0, where=where & b.item(1).choice)
    target.set("choice_lock", 0, where=where & b.item(0).choice)
    for number, side in enumerate((user, target)):
        side.set("unstarted", False, where=where)
        side.set("unburdened", True, where=where & (side.item != 0) & b.ability(number).unburdens)
    user.set("item", other, where=where)
    target.set("item", own, where=where)
    b.forget("item")
    for number in (0, 1):
        tell_item(b, number, where)
    return where


def sap_strength(b: Battle, where: Any) -> Any:
    """The user gains as many hit points as the target has Attack, which falls."""
    target = b.side(1)
    where = where & (stages.one(target.boosts, rows.ATK) > -6)
    attack = staged_stat(b.pokemon(1).atk, target, rows.ATK)
    lowered = boost(b, 1, b.params.intimidate, where, by_foe=True, stats=(rows.ATK,))
    heals = where & (b.side(0).hp < b.pokemon(0).max_hp)
    heals = heals | (where & b.ability(1).oozes)
    drain(b, 0, jnp.maximum(attack, 1), heals)
    return lowered | heals


def drum(b: Battle, where: Any) -> Any:
    """Belly Drum: half of the hit points for all the Attack there is."""
    user, most = b.side(0), b.pokemon(0).max_hp
    where = where & (user.hp * 2 > most) & (stages.one(user.boosts, rows.ATK) < stages.HIGHEST) & (most > 1)
    hurt(b, 0, quotient(most, 2), where, indirectly=False)
    for _ in range(2):  # twelve stages, of which a row holds six
        boost(b, 0, b.params.drum, where, by_foe=False, stats=(rows.ATK,))
    return where


def tidy_up(b: Battle, where: Any) -> Any:
    """Substitutes and hazards are cleared away, and the user is the stronger for it; whether anything changed."""
    sides = [b.side(number) for number in (0, 1)]
    present = any_of(s.stealth_rock | s.sticky_web | (s.spikes > 0) | (s.toxic_spikes > 0) for s in sides)
    present = present | any_of(s.substitute > 0 for s in sides)
    for number, side in enumerate(sides):
        side.set("substitute", 0, where=where)
        sweep(b, number, where)
    return boost(b, 0, b.params.tidying, where, by_foe=False, stats=(rows.ATK, rows.SPE)) | (where & present)


def part(b: Battle, where: Any) -> Any:
    """Parting Shot: the user leaves if it has lowered the target's stages; it counts as done even if it has not."""
    lowered = boost(b, 1, b.params.parting, where, by_foe=True, stats=(rows.ATK, rows.SPA))
    leaves = lowered | (where & b.ability(1).mirrors)
    b.side(0).set("switch_flag", True, where=leaves & has_reserve(b, 0) & (b.side(0).hp > 0))
    return where


def cure_user(b: Battle, where: Any) -> Any:
    """The user's status ends; whether it had one."""
    where = where & (b.side(0).status != 0)
    cure(b, 0, where)
    return where


def share_hp(b: Battle, where: Any) -> Any:
    """Pain Split: both have half of what they have together."""
    user, target = b.side(0), b.side(1)
    share = jnp.maximum(quotient(user.hp + target.hp, 2), 1)
    for number, side in enumerate((user, target)):
        side.set("hp", jnp.minimum(share, b.pokemon(number).max_hp), where=where)
    return where


def rest(b: Battle, where: Any) -> Any:
    """The user sleeps two turns and is healthy; whether it is awake and hurt."""
    user, most = b.side(0), b.pokemon(0).max_hp
    sleepless = ((b.ability(0).immune_statuses >> rows.SLP) & 1) != 0
    tries = where & (user.status != rows.SLP) & ~b.ability(0).comatose & (user.hp < most)
    tell_ability(b, 0, tries & sleepless)
    works = tries & ~sleepless & ~guarded_by_sun(b, 0) & ~kept_awake(b, 0)
    b.shuffle(works, "sleep", n=3)  # its result is not used: Rest always takes three
    slept = ("stage", REST_TURNS), ("slept", REST_TURNS), ("rested", 0)
    for field, value in (("status", rows.SLP), *slept, ("hp", most)):
        user.set(field, value, where=works)
    user.set("status_by", b.place(0), where=works)
    notice_status(b, 0, works)
    eat_at_once(b, 0, works & b.item(0).cures)
    return works
