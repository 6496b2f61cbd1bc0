"""Conditions that a Pokémon has only while it is out: Protect, Substitute, Leech Seed, Taunt, Encore, Roost."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from pokejax import rows
from pokejax.battle import Battle, number_of
from pokejax.picking import pick
from pokejax.rules.mechanics import pp
from pokejax.rules.mechanics.boosts import boost
from pokejax.rules.mechanics.faint import drain, hurt, use_up
from pokejax.rules.mechanics.numbers import quotient
from pokejax.rules.mechanics.revealed import tell_ability
from pokejax.rules.mechanics.status import add_volatile, guarded_by_sun, inflict, kept_awake
from pokejax.state import MOVES, STRUGGLE_SLOT

GRASS, STEEL, WATER = (number_of("type", name) for name in ("Grass", "Steel", "Water"))
MOST_STALLS = 6
"""Each Protect in a row makes the next three times less likely, down to one in 729."""
TAUNT_TURNS, ENCORE_TURNS, DISABLE_TURNS, MAGNET_TURNS, SHORTEST_BINDING = 3, 3, 5, 5, 5
MOST_DISABLING = 6


def protect(b: Battle) -> Any:
    """Protect, if somebody still acts after the user and luck holds; whether it works (``StallMove``)."""
    user = b.side(0)
    with b.when(b.side(1).queued_move | b.side(1).queued_switch | b.side(1).queued_instaswitch):
        odds = jnp.ones_like(user.stalls)
        for times in range(1, MOST_STALLS + 1):
            odds = pick(user.stalls == times, 3**times, odds)
        again = user.stall_turns > 0
        with b.when(again):
            lucky = b.draw(odds.astype(jnp.uint32), "Protect") < 1
            with b.when(~lucky):
                user.stall_turns = 0
        with b.when(~again | lucky) as works:
            user.protected = True
            user.stalls = pick(again, jnp.minimum(user.stalls + 1, MOST_STALLS), 1)
            user.stall_turns = 2
    return works


def make_substitute(b: Battle) -> Any:
    """A quarter of the user's hit points becomes a substitute; whether there were enough."""
    user, most = b.side(0), b.pokemon(0).max_hp
    with b.when((user.substitute == 0) & (user.hp * 4 > most) & (most > 1)) as works:
        user.substitute = quotient(most, 4)
        user.bound = 0
        hurt(b, 0, quotient(most, 4), indirectly=False)
    return works


def behind_substitute(b: Battle, move: Any) -> Any:
    """Whether the target's substitute takes the move."""
    return (b.side(1).substitute > 0) & ~move.bypasssub & ~b.ability(0).infiltrator


def faces(b: Battle, move: Any) -> Any:
    """Whether the target's disguise takes the move, or its face of ice if it is physical."""
    target, ability = b.side(1), b.ability(1)
    ice = ability.ice_face & ~target.changed & (move.category == rows.PHYSICAL)
    return (ability.disguise & ~target.ability_used) | ice


def seed(b: Battle) -> Any:
    """Plant Leech Seed on the target; whether it was without."""
    target = b.side(1)
    with b.when(~target.seeded & (target.hp > 0)) as works:
        target.seeded = True
    return works


def leech(b: Battle, number: int) -> None:
    """Leech Seed takes an eighth and gives it to the other side, if there is anybody."""
    side, other = b.side(number), b.side(1 - number)
    taken = jnp.minimum(jnp.maximum(quotient(b.pokemon(number).max_hp, 8), 1), side.hp)
    with b.when(side.seeded & ~other.fainted & (other.hp > 0)):
        hurt(b, number, taken)
        with b.when(~b.ability(number).magic_guard):
            drain(b, 1 - number, taken)


def taunt(b: Battle) -> Any:
    """Taunt the target; whether it was not taunted."""
    target, veiled = b.side(1), b.ability(1).aroma_veil
    late = (target.active_turns > 0) & ~target.queued_move
    with b.when((target.taunt == 0) & (target.hp > 0)):
        with b.when(veiled):
            tell_ability(b, 1)
        with b.when(~veiled) as works:
            target.taunt = pick(late, TAUNT_TURNS + 1, TAUNT_TURNS)
    return works


def encore(b: Battle) -> Any:
    """The target has to repeat its last move; whether there is one that it can."""
    target, veiled = b.side(1), b.ability(1).aroma_veil
    slot = jnp.clip(target.last_move - 1, 0, MOVES - 1)
    last = b.move(b.pokemon(1).moves[slot])
    repeatable = (target.last_move > 0) & (target.last_move <= MOVES) & ~last.failencore
    repeatable = repeatable & (pp.left(b, 1, slot) > 0)
    with b.when((target.encore == 0) & (target.hp > 0)):
        with b.when(veiled):
            tell_ability(b, 1)
        with b.when(repeatable & ~veiled) as works:
            target.encore = pick(target.queued_move, ENCORE_TURNS, ENCORE_TURNS + 1)
            target.encore_slot = slot
    return works


def chosen_slot(b: Battle) -> Any:
    """The slot that the user uses: that of Encore or of its rampage, if it is in one."""
    user = b.side(0)
    forced = (user.encore > 0) & (user.chosen_slot != STRUGGLE_SLOT)
    slot = pick(forced, user.encore_slot, user.chosen_slot)
    slot = pick((user.charging > 0) & ~forced, user.charge_slot, slot)
    return pick((user.lock > 0) & ~forced, user.lock_slot, slot)


def yawn(b: Battle) -> Any:
    """Make the target drowsy; whether it was not, and sleeps neither now nor ever (``onTryHit`` comes earlier)."""
    target = b.side(1)
    sleepless = (((b.ability(1).immune_statuses >> rows.SLP) & 1) != 0) & ~b.ability(1).comatose
    sleepless = sleepless | guarded_by_sun(b, 1) | b.flower_veil(1)
    sleepless = sleepless | (b.ability(1).shields_down & target.changed)
    with b.when((target.yawn == 0) & (target.hp > 0)):
        with b.when(sleepless):
            tell_ability(b, 1)
        with b.when(~sleepless & ~kept_awake(b, 1)) as works:
            target.yawn = 2
            target.yawn_by = b.place(0)
    return works


def doze_off(b: Battle, number: int) -> None:
    """Drowsiness passes, into sleep."""
    side = b.side(number)
    with b.when(side.yawn > 0):
        side.yawn = side.yawn - 1
        with b.when(side.yawn == 0):
            inflict(b, number, jnp.full_like(side.yawn, rows.SLP), by=side.yawn_by, last=True)


def curse(b: Battle) -> Any:
    """Half of the user's hit points curse the target; whether it was not cursed."""
    target = b.side(1)
    with b.when(~target.cursed & (target.hp > 0)) as works:
        target.cursed = True
        hurt(b, 0, quotient(b.pokemon(0).max_hp, 2), indirectly=False)
    return works


def curse_itself(b: Battle) -> Any:
    """Half of the user's hit points curse itself, whom Protean has made a Ghost; whether it was not cursed."""
    user = b.side(0)
    with b.when(~user.cursed) as works:
        user.cursed = True
        hurt(b, 0, quotient(b.pokemon(0).max_hp, 2), indirectly=False)
    return works


def attract(b: Battle) -> Any:
    """The user falls for the target, if one of both is male and the other female; whether that is new."""
    user, genders = b.side(0), [b.pokemon(number).gender for number in (0, 1)]
    fits = (genders[0] > 0) & (genders[1] > 0) & (genders[0] != genders[1])
    spared = b.ability(0).aroma_veil | b.ability(0).oblivious
    with b.when((user.hp > 0) & ~user.attracted & fits & ~spared) as works:
        user.attracted = True
    return works


def bond(b: Battle) -> Any:
    """Whoever strikes the user down before its next move falls with it."""
    b.side(0).bonded = True
    return b.here


def rise(b: Battle) -> Any:
    """Magnet Rise lifts the user off the ground; whether it stood there."""
    user = b.side(0)
    with b.when(user.risen == 0) as works:
        user.risen = MAGNET_TURNS
    return works


def bind(b: Battle) -> None:
    """Whirlpool and its like hold the target for four or five turns."""
    target = b.side(1)
    with b.when((target.bound == 0) & (target.hp > 0)):
        target.bound = b.draw(2, "binding") + SHORTEST_BINDING
        target.bound_for = 0
        target.bind_source_gone = False


def squeeze(b: Battle, number: int) -> None:
    """What is bound loses an eighth, if whoever did it is still there."""
    side = b.side(number)
    with b.when(side.bound > 0):
        side.bound = side.bound - 1
        side.bound_for = side.bound_for + 1
        loose = side.bind_source_gone | (b.side(1 - number).hp == 0)
        with b.when(~loose & (side.bound > 0)):
            hurt(b, number, quotient(b.pokemon(number).max_hp, 8))
        with b.when(loose):
            side.bound = 0


def suffer(b: Battle, number: int) -> None:
    """A curse takes a quarter."""
    with b.when(b.side(number).cursed):
        hurt(b, number, quotient(b.pokemon(number).max_hp, 4))


def smart(b: Battle, number: int) -> None:
    """Salt Cure takes an eighth, of Water and Steel a quarter."""
    share = pick(b.has_type(number, WATER) | b.has_type(number, STEEL), 4, 8)
    with b.when(b.side(number).salted):
        hurt(b, number, quotient(b.pokemon(number).max_hp, share))


def rampage(b: Battle, slot: Any) -> None:
    """Outrage and its like go on for two or three turns."""
    user = b.side(0)
    with b.when(user.lock == 0) as starts:
        user.lock_turns = b.draw(2, "rampage") + 2
        user.lock_slot = slot
    with b.when(starts | (user.lock_turns >= 2)):
        user.lock = 2


def end_rampage(b: Battle, number: int) -> None:
    """A rampage is over; at its natural end the Pokémon is confused."""
    side = b.side(number)
    side.lock = 0
    with b.when(side.lock_turns <= 1):
        add_volatile(b, number, jnp.full_like(side.lock, rows.CONFUSION))


def pass_rampage(b: Battle, number: int) -> None:
    """A turn of a rampage has passed; sleep ends it."""
    side = b.side(number)
    with b.when(side.lock > 0):
        side.lock = side.lock - 1
        ends = side.lock == 0
        with b.when(ends):
            end_rampage(b, number)
        with b.when(~ends):
            with b.when(side.status == rows.SLP):
                side.lock = 0
            side.lock_turns = jnp.maximum(side.lock_turns - 1, 0)


def charge(b: Battle, move: Any, slot: Any) -> Any:
    """A move that charges first: whether it has to wait for the next turn (``onTryMove``)."""
    user, ready = b.side(0), b.side(0).charged
    with b.when(move.charges):
        with b.when(ready):
            user.charged = False
        with b.when(~ready):
            with b.when(move.meteor_beam):
                boost(b, 0, b.params.special_attack, by_foe=False, stats=(rows.SPA,))
            with b.when(~(move.solar_beam & (b.weather == rows.SUN))):
                herb = b.item(0).power_herb
                with b.when(herb):
                    use_up(b, 0)
                with b.when(~herb) as waits:
                    user.charging = 2
                    user.charge_slot = jnp.minimum(slot, MOVES - 1)
                    user.charged = True
    return waits


def stop_charging(b: Battle) -> None:
    """Who is kept from moving does not go on with what it had begun (``MoveAborted``)."""
    b.side(0).charging = 0
    b.side(0).charged = False


def disable(b: Battle, slot: Any) -> Any:
    """The user cannot use the move any more that it has just used (Cursed Body); whether that worked."""
    user = b.side(0)
    able = ~b.ability(0).aroma_veil & (pp.left(b, 0, jnp.minimum(slot, MOVES - 1)) > 0)
    with b.when((user.hp > 0) & able) as works:
        user.disable = DISABLE_TURNS - 1
        user.disable_slot = slot
    return works


def wear_off(b: Battle, number: int) -> None:
    """What ends before Yawn after some turns lasts one less: from then on one may heal, and stands on the ground."""
    side = b.side(number)
    for field in ("taunt", "encore", "disable", "heal_block", "throat_chop", "risen"):
        _lasts_one_less(b, side, field)
    with b.when(pp.left(b, number, side.encore_slot) == 0):
        side.encore = 0


def pass_turn(b: Battle, number: int) -> None:
    """What lasts one turn ends, and what is left lasts one less."""
    side = b.side(number)
    for field in ("roosting", "flinched", "protected", "readied", "unfocused", "coated", "coat"):
        side.clear(field)
    with b.when(side.charging == 1):
        side.charged = False
    for field in ("stall_turns", "recharge", "charging"):
        _lasts_one_less(b, side, field)


def _lasts_one_less(b: Battle, side: Any, field: str) -> None:
    left = getattr(side, field)
    with b.when(left > 0):
        side.set(field, left - 1)


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
