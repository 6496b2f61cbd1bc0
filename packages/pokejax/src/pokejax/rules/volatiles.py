"""Conditions that a Pokémon has only while it is out: Protect, Substitute, Leech Seed, Taunt, Encore, Roost."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from pokejax import rows
from pokejax.battle import Battle, number_of
from pokejax.picking import pick
from pokejax.rules import power
from pokejax.rules.boosts import boost
from pokejax.rules.faint import drain, hurt, use_up
from pokejax.rules.numbers import quotient
from pokejax.rules.status import add_volatile, guarded_by_sun, inflict, kept_awake
from pokejax.rules.telling import tell_ability
from pokejax.state import MOVES, STRUGGLE_SLOT

GRASS, STEEL, WATER = (number_of("type", name) for name in ("Grass", "Steel", "Water"))
MOST_STALLS = 6
"""Each Protect in a row makes the next three times less likely, down to one in 729."""
TAUNT_TURNS, ENCORE_TURNS, DISABLE_TURNS, MAGNET_TURNS, SHORTEST_BINDING = 3, 3, 5, 5, 5
MOST_DISABLING = 6


def protect(b: Battle, where: Any) -> Any:
    """Protect, if somebody still acts after the user and luck holds; whether it works (``StallMove``)."""
    user = b.side(0)
    where = where & (b.side(1).queued_move | b.side(1).queued_switch | b.side(1).queued_instaswitch)
    again = where & (user.stall_turns > 0)
    odds = jnp.ones_like(user.stalls)
    for times in range(1, MOST_STALLS + 1):
        odds = pick(user.stalls == times, 3**times, odds)
    lucky = b.draw(again, odds.astype(jnp.uint32), "Protect") < 1
    user.set("stall_turns", 0, where=again & ~lucky)
    works = where & (~again | lucky)
    user.set("protected", True, where=works)
    user.set("stalls", pick(again, jnp.minimum(user.stalls + 1, MOST_STALLS), 1), where=works)
    user.set("stall_turns", 2, where=works)
    return works


def make_substitute(b: Battle, where: Any) -> Any:
    """A quarter of the user's hit points becomes a substitute; whether there were enough."""
    user, most = b.side(0), b.pokemon(0).max_hp
    works = where & (user.substitute == 0) & (user.hp * 4 > most) & (most > 1)
    user.set("substitute", quotient(most, 4), where=works)
    user.set("bound", 0, where=works)
    hurt(b, 0, quotient(most, 4), works, indirectly=False)
    return works


def behind_substitute(b: Battle, move: Any) -> Any:
    """Whether the target's substitute takes the move."""
    return (b.side(1).substitute > 0) & ~move.bypasssub & ~b.ability(0).infiltrates


def faces(b: Battle, move: Any) -> Any:
    """Whether the target's disguise takes the move, or its face of ice if it is physical."""
    target, ability = b.side(1), b.ability(1)
    ice = ability.ices & ~target.changed & (move.category == rows.PHYSICAL)
    return (ability.disguises & ~target.stirred) | ice


def seed(b: Battle, where: Any) -> Any:
    """Plant Leech Seed on the target; whether it was without."""
    target = b.side(1)
    works = where & ~target.seeded & (target.hp > 0)
    target.set("seeded", True, where=works)
    return works


def leech(b: Battle, number: int, where: Any) -> None:
    """Leech Seed takes an eighth and gives it to the other side, if there is anybody."""
    side, other = b.side(number), b.side(1 - number)
    where = where & side.seeded & ~other.fainted & (other.hp > 0)
    taken = jnp.minimum(jnp.maximum(quotient(b.pokemon(number).max_hp, 8), 1), side.hp)
    hurt(b, number, taken, where)
    drain(b, 1 - number, taken, where & ~b.ability(number).no_indirect_damage)


def taunt(b: Battle, where: Any) -> Any:
    """Taunt the target; whether it was not taunted."""
    target = b.side(1)
    works = where & (target.taunt == 0) & (target.hp > 0)
    tell_ability(b, 1, works & b.ability(1).veils)
    works = works & ~b.ability(1).veils
    late = (target.active_turns > 0) & ~target.queued_move
    target.set("taunt", pick(late, TAUNT_TURNS + 1, TAUNT_TURNS), where=works)
    return works


def encore(b: Battle, where: Any) -> Any:
    """The target has to repeat its last move; whether there is one that it can."""
    target = b.side(1)
    slot = jnp.clip(target.last_move - 1, 0, MOVES - 1)
    last = b.move(b.pokemon(1).moves[slot])
    repeatable = (target.last_move > 0) & (target.last_move <= MOVES) & ~last.failencore
    repeatable = repeatable & (power.left(b, 1, slot) > 0)
    tries = where & (target.encore == 0) & (target.hp > 0)
    tell_ability(b, 1, tries & b.ability(1).veils)
    works = tries & repeatable & ~b.ability(1).veils
    target.set("encore", pick(target.queued_move, ENCORE_TURNS, ENCORE_TURNS + 1), where=works)
    target.set("encore_slot", slot, where=works)
    return works


def chosen_slot(b: Battle) -> Any:
    """The slot that the user uses: that of Encore or of its rampage, if it is in one."""
    user = b.side(0)
    forced = (user.encore > 0) & (user.chosen_slot != STRUGGLE_SLOT)
    slot = pick(forced, user.encore_slot, user.chosen_slot)
    slot = pick((user.charging > 0) & ~forced, user.charge_slot, slot)
    return pick((user.lock > 0) & ~forced, user.lock_slot, slot)


def yawn(b: Battle, where: Any) -> Any:
    """Make the target drowsy; whether it was not, and sleeps neither now nor ever (``onTryHit`` comes earlier)."""
    target = b.side(1)
    sleepless = (((b.ability(1).immune_statuses >> rows.SLP) & 1) != 0) & ~b.ability(1).comatose
    sleepless = sleepless | guarded_by_sun(b, 1) | b.flowers(1)
    sleepless = sleepless | (b.ability(1).shields & target.changed)
    tries = where & (target.yawn == 0) & (target.hp > 0)
    tell_ability(b, 1, tries & sleepless)
    works = tries & ~sleepless & ~kept_awake(b, 1)
    target.set("yawn", 2, where=works)
    target.set("yawn_by", b.place(0), where=works)
    return works


def doze_off(b: Battle, number: int, where: Any) -> None:
    """Drowsiness passes, into sleep."""
    side = b.side(number)
    where = where & (side.yawn > 0)
    side.set("yawn", side.yawn - 1, where=where)
    inflict(b, number, jnp.full_like(side.yawn, rows.SLP), where & (side.yawn == 0), by=side.yawn_by, last=True)


def curse(b: Battle, where: Any) -> Any:
    """Half of the user's hit points curse the target; whether it was not cursed."""
    target = b.side(1)
    works = where & ~target.cursed & (target.hp > 0)
    target.set("cursed", True, where=works)
    hurt(b, 0, quotient(b.pokemon(0).max_hp, 2), works, indirectly=False)
    return works


def curse_itself(b: Battle, where: Any) -> Any:
    """Half of the user's hit points curse itself, whom Protean has made a Ghost; whether it was not cursed."""
    user = b.side(0)
    works = where & ~user.cursed
    user.set("cursed", True, where=works)
    hurt(b, 0, quotient(b.pokemon(0).max_hp, 2), works, indirectly=False)
    return works


def attract(b: Battle, where: Any) -> Any:
    """The user falls for the target, if one of both is male and the other female; whether that is new."""
    user, genders = b.side(0), [b.pokemon(number).gender for number in (0, 1)]
    fits = (genders[0] > 0) & (genders[1] > 0) & (genders[0] != genders[1])
    spared = b.ability(0).veils | b.ability(0).no_taunt
    where = where & (user.hp > 0) & ~user.attracted & fits & ~spared
    user.set("attracted", True, where=where)
    return where


def bond(b: Battle, where: Any) -> Any:
    """Whoever strikes the user down before its next move falls with it."""
    b.side(0).set("bonded", True, where=where)
    return where


def rise(b: Battle, where: Any) -> Any:
    """Magnet Rise lifts the user off the ground; whether it stood there."""
    user = b.side(0)
    works = where & (user.risen == 0)
    user.set("risen", MAGNET_TURNS, where=works)
    return works


def bind(b: Battle, where: Any) -> None:
    """Whirlpool and its like hold the target for four or five turns."""
    target = b.side(1)
    works = where & (target.bound == 0) & (target.hp > 0)
    turns = b.draw(works, 2, "binding") + SHORTEST_BINDING
    target.set("bound", turns, where=works)
    target.set("bound_for", 0, where=works)
    target.set("loosened", False, where=works)


def squeeze(b: Battle, number: int, where: Any) -> None:
    """What is bound loses an eighth, if whoever did it is still there."""
    side = b.side(number)
    where = where & (side.bound > 0)
    side.set("bound", side.bound - 1, where=where)
    side.set("bound_for", side.bound_for + 1, where=where)
    loose = where & (side.loosened | (b.side(1 - number).hp == 0))
    hurt(b, number, quotient(b.pokemon(number).max_hp, 8), where & ~loose & (side.bound > 0))
    side.set("bound", 0, where=loose)


def suffer(b: Battle, number: int, where: Any) -> None:
    """A curse takes a quarter."""
    hurt(b, number, quotient(b.pokemon(number).max_hp, 4), where & b.side(number).cursed)


def smart(b: Battle, number: int, where: Any) -> None:
    """Salt Cure takes an eighth, of Water and Steel a quarter."""
    share = pick(b.has_type(number, WATER) | b.has_type(number, STEEL), 4, 8)
    hurt(b, number, quotient(b.pokemon(number).max_hp, share), where & b.side(number).salted)


def rampage(b: Battle, slot: Any, where: Any) -> None:
    """Outrage and its like go on for two or three turns."""
    user = b.side(0)
    starts = where & (user.lock == 0)
    turns = b.draw(starts, 2, "rampage") + 2
    user.set("lock_turns", turns, where=starts)
    user.set("lock_slot", slot, where=starts)
    user.set("lock", 2, where=starts | (where & (user.lock_turns >= 2)))


def end_rampage(b: Battle, number: int, where: Any) -> None:
    """A rampage is over; at its natural end the Pokémon is confused."""
    side = b.side(number)
    side.set("lock", 0, where=where)
    tired = where & (side.lock_turns <= 1)
    add_volatile(b, number, jnp.full_like(side.lock, rows.CONFUSION), tired)


def pass_rampage(b: Battle, number: int, where: Any) -> None:
    """A turn of a rampage has passed; sleep ends it."""
    side = b.side(number)
    where = where & (side.lock > 0)
    side.set("lock", side.lock - 1, where=where)
    ends = where & (side.lock == 0)
    end_rampage(b, number, ends)
    goes_on = where & ~ends
    side.set("lock", 0, where=goes_on & (side.status == rows.SLP))
    side.set("lock_turns", jnp.maximum(side.lock_turns - 1, 0), where=goes_on)


def charge(b: Battle, move: Any, slot: Any, where: Any) -> Any:
    """A move that charges first: whether it has to wait for the next turn (``onTryMove``)."""
    user = b.side(0)
    where = where & move.charges
    ready = where & user.charged
    user.set("charged", False, where=ready)
    begins = where & ~ready
    boost(b, 0, b.params.special_attack, begins & move.grows_charging, by_foe=False, stats=(rows.SPA,))
    begins = begins & ~(move.ready_in_sun & (b.weather == rows.SUN))
    herb = begins & b.item(0).power_herb
    use_up(b, 0, herb)
    waits = begins & ~herb
    user = b.side(0)
    user.set("charging", 2, where=waits)
    user.set("charge_slot", jnp.minimum(slot, MOVES - 1), where=waits)
    user.set("charged", True, where=waits)
    return waits


def stop_charging(b: Battle, where: Any) -> None:
    """Who is kept from moving does not go on with what it had begun (``MoveAborted``)."""
    b.side(0).set("charging", 0, where=where)
    b.side(0).set("charged", False, where=where)


def disable(b: Battle, slot: Any, where: Any) -> Any:
    """The user cannot use the move any more that it has just used (Cursed Body); whether that worked."""
    user = b.side(0)
    where = where & (user.hp > 0) & ~b.ability(0).veils & (power.left(b, 0, jnp.minimum(slot, MOVES - 1)) > 0)
    user.set("disable", DISABLE_TURNS - 1, where=where)
    user.set("disable_slot", slot, where=where)
    return where


def wear_off(b: Battle, number: int, where: Any) -> None:
    """What ends before Yawn after some turns lasts one less: from then on one may heal, and stands on the ground."""
    side = b.side(number)
    side.set("taunt", side.taunt - 1, where=where & (side.taunt > 0))
    side.set("encore", side.encore - 1, where=where & (side.encore > 0))
    for field in ("disable", "heal_block", "throat_chop", "risen"):
        side.set(field, getattr(side, field) - 1, where=where & (getattr(side, field) > 0))
    spent = power.left(b, number, side.encore_slot) == 0
    side.set("encore", 0, where=where & spent)


def pass_turn(b: Battle, number: int, where: Any) -> None:
    """What lasts one turn ends, and what is left lasts one less."""
    side = b.side(number)
    for field in ("roosting", "flinched", "protected", "readied", "unfocused", "coated", "coat"):
        side.clear(field, where=where)
    side.set("charged", False, where=where & (side.charging == 1))
    for field in ("stall_turns", "recharge", "charging"):
        side.set(field, getattr(side, field) - 1, where=where & (getattr(side, field) > 0))


def one_turn_conditions(b: Battle, number: int) -> Any:
    """How many conditions that only have a duration are sorted, last of all, at the end of a turn."""
    side = b.side(number)
    present = (side.flinched, side.protected, side.stall_turns > 0, side.lock > 0, side.recharge > 0,
               side.charging > 0, side.readied > 0, side.coated)  # fmt: skip
    return sum(flag.astype(jnp.int32) for flag in present)


def disabling_conditions(b: Battle, number: int) -> Any:
    """How many volatile conditions disable moves; they are equals in ``DisableMove``."""
    side = b.side(number)
    present = (
        side.choice_lock > 0, side.taunt > 0, side.encore > 0, side.disable > 0, side.heal_block > 0,
        side.throat_chop > 0,
    )  # fmt: skip
    return sum(flag.astype(jnp.int32) for flag in present)
