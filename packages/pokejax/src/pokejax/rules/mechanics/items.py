"""Items that are used up: berries, White Herb, and what losing one means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from pokejax import rows, stages
from pokejax.battle import Battle, any_of, gated
from pokejax.picking import pick
from pokejax.rules.mechanics import pp
from pokejax.rules.mechanics.copying import trace_in_vain
from pokejax.rules.mechanics.eating import ask_to_eat, enjoy, ruminate, unnerved
from pokejax.rules.mechanics.faint import heal, lose_item, use_up
from pokejax.rules.mechanics.numbers import quotient
from pokejax.rules.mechanics.paradox import notice_weather, use_booster
from pokejax.rules.mechanics.revealed import tell_ability, tell_item
from pokejax.rules.mechanics.status import cure
from pokejax.state import MOVES

LEPPA_POINTS = 10


def update(b: Battle, site: str, *, waits: Any = False, first: Callable[[], None] | None = None) -> None:
    """Everybody looks whether it is time to eat (``eachEvent('Update')``); two of one speed are shuffled.

    Args:
        b: the battle.
        site: of the shuffle.
        waits: whether the second Pokémon keeps a berry that heals until the move is over, as Berserk wants it.
        first: what an ability does before anybody eats.
    """
    with b.when(b.tied()):
        b.shuffle(site)
    if first is not None:
        first()
    for number in (0, 1):
        with b.when(~b.side(number).queued_run_switch):
            trace_in_vain(b, number)
        wants = hungry(b, number)
        waits_now = b.item(number).sitrus_berry & (b.side(number).berserk_pending | (waits & (number == 1)))
        with b.when(wants):
            ask_and_eat(b, number, waits_now)


@gated("ask and eat")
def ask_and_eat(b: Battle, number: int, waits: Any) -> None:
    """Eat, unless the other one unnerves it, or it ``waits`` for Berserk or Anger Shell."""
    ask_to_eat(b, number)
    with b.when(~unnerved(b, number) & ~waits):
        eat(b, number)


def settle(b: Battle) -> None:
    """What `update` does besides, after an action: nothing between asks for it."""
    for number in (0, 1):
        side, other = b.side(number), b.side(1 - number)  # who comes in has still to say so
        unheard = side.queued_run_switch | (other.queued_run_switch & b.ability_out(1 - number).suppresses)
        with b.when(~unheard):
            notice_weather(b, number)  # Cloud Nine may be gone
        use_booster(b, number)
        recover(b, number)


def steal(b: Battle, number: int) -> None:
    """The other Pokémon takes the item of this one, if it has none of its own."""
    victim, thief = b.side(number), b.side(1 - number)
    item = b.item(number)
    with b.when((thief.item == 0) & (victim.item != 0) & ~b.keeps(number, number, 1 - number)):
        held = b.ability(number).sticky_hold & (victim.hp > 0)
        with b.when(held):
            tell_ability(b, number)
        with b.when(~held):
            with b.when((thief.hp == 0) & ~thief.fainted):
                give_back(b, number)
            with b.when(thief.hp > 0):
                thief.unstarted = False
                with b.when(item.choice):
                    thief.choice_lock = 0
                thief.item = victim.item
                tell_ability(b, 1 - number)
                tell_item(b, 1 - number)
                lose_item(b, number)


def give_back(b: Battle, number: int) -> None:
    """An item that was taken comes back, since the other one can't have it: Unburden has noticed all the same."""
    side = b.side(number)
    with b.when((side.item != 0) & ~b.keeps(number, number, 1 - number)):
        with b.when((side.hp > 0) & b.ability(number).unburden):
            side.unburdened = True
        with b.when(b.item(number).booster_energy):
            side.unstarted = True


def hungry(b: Battle, number: int) -> Any:
    """Whether an active Pokémon holds a berry that would help it now, if nobody unnerves it."""
    side, item = b.side(number), b.item(number)
    hurt = item.sitrus_berry & (side.hp * 2 <= b.pokemon(number).max_hp) & (side.heal_block == 0)
    asleep = item.chesto_berry & (side.status == rows.SLP)
    ails = item.lum_berry & ((side.status != 0) | (side.confusion > 0))
    with b.when(item.leppa_berry):
        spent = b.gate("spent", lambda inner: inner.here & out_of_power(inner, number), jnp.zeros_like(asleep))
    return (side.hp > 0) & ~side.fainted & (hurt | asleep | ails | spent)


def out_of_power(b: Battle, number: int) -> Any:
    """Whether an active Pokémon with a Leppa Berry has a move and no power left for it."""
    return b.item(number).leppa_berry & any_of(spent_slots(b, number))


def spent_slots(b: Battle, number: int) -> list[Any]:
    """Which slots of an active Pokémon have a move and no power left for it."""
    moves = b.pokemon(number).moves
    return [(moves[slot] != 0) & (pp.left(b, number, slot) == 0) for slot in range(MOVES)]


def recover(b: Battle, number: int) -> None:
    """What an ability keeps off, and a Mold Breaker has brought, ends."""
    side, ability = b.side(number), b.ability(number)
    kept_off = ((ability.immune_statuses >> side.status) & 1) != 0
    cured = (side.hp > 0) & (side.status != 0) & ability.cures_itself & kept_off
    cleared = ability.own_tempo & (side.confusion > 0)
    freed = ability.oblivious & (side.taunt > 0)
    with b.when(~side.fainted):
        with b.when(cured | cleared | freed):
            tell_ability(b, number)
        with b.when(cured):
            cure(b, number)
        with b.when(cleared):
            side.confusion = 0
        with b.when(freed):
            side.taunt = 0


@gated("eat")
def eat(b: Battle, number: int) -> None:
    """Eat the berry."""
    ruminate(b, number)
    taste(b, number, b.item(number))
    use_up(b, number)


def chew(b: Battle, number: int) -> None:
    """The berry of the turn before is eaten once more."""
    side = b.side(number)
    with b.when(b.ability(number).cud_chew & (side.cud > 0) & (side.hp > 0)):
        side.cud_turns = side.cud_turns - 1
        with b.when(side.cud_turns == 0):
            tell_ability(b, number)
            taste(b, number, b.row("items", rows.ITEM, side.cud))
            side.cud = 0


def eat_for_nothing(b: Battle, number: int) -> None:
    """Eat a Custap Berry, which heals nothing by itself, when choices are taken: the first player's into no queue."""
    ruminate(b, number)
    with b.when(b.ability(number).cud_chew):
        b.side(number).cud_turns = 1 + number
    enjoy(b, number)
    use_up(b, number)


def taste(b: Battle, number: int, item: Any) -> None:
    """What a berry does to who eats it."""
    side, most = b.side(number), b.pokemon(number).max_hp
    with b.when(item.sitrus_berry):
        heal(b, number, jnp.maximum(quotient(most, 4), 1))
    with b.when((item.chesto_berry & (side.status == rows.SLP)) | item.lum_berry):
        cure(b, number)
    with b.when(item.lum_berry):
        side.confusion = 0
    with b.when(item.leppa_berry):
        restore(b, number)
    enjoy(b, number)


def restore(b: Battle, number: int) -> None:
    """A Leppa Berry gives ten power points back: to the first move that has none, else to the first that lacks some."""
    moves, spent = b.pokemon(number).moves, spent_slots(b, number)
    any_spent, restored = any_of(spent), jnp.zeros_like(spent[0])
    for slot in range(MOVES):
        left, most = pp.left(b, number, slot), pp.most(b, number, slot)
        wants = pick(any_spent, spent[slot], (moves[slot] != 0) & (left < most))
        with b.when(wants & ~restored):
            pp.put(b, number, slot, jnp.minimum(left + LEPPA_POINTS, most))
        restored = restored | wants


def lose_balloon(b: Battle) -> None:
    """The target's Air Balloon bursts, or its substitute's."""
    with b.when(b.item(1).air_balloon):
        lose_item(b, 1)


@gated("eat of the target")
def eat_of_target(b: Battle) -> None:
    """Bug Bite: the user eats the target's berry."""
    with b.when((b.side(0).hp > 0) & b.item(1).berry):
        held = b.ability(1).sticky_hold & (b.side(1).hp > 0)
        with b.when(held):
            tell_ability(b, 1)
        with b.when(~held):
            taste(b, 0, b.item(1))
            lose_item(b, 1)


def white_herb(b: Battle, number: int) -> None:
    """Lowered stages are as before, once."""
    with b.when(b.item(number).white_herb):
        _restore_stages(b, number)


@gated("White Herb")
def _restore_stages(b: Battle, number: int) -> None:
    side = b.side(number)
    own = stages.several(side.boosts)
    with b.when((own < 0).any() & (side.hp > 0)):
        side.boosts = stages.put(side.boosts, jnp.maximum(own, 0))
        use_up(b, number)
