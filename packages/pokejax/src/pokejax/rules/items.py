"""Items that are used up: berries, White Herb, and what losing one means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from pokejax import rows, stages
from pokejax.battle import Battle, any_of, gated
from pokejax.picking import pick
from pokejax.rules import power
from pokejax.rules.copying import trace_in_vain
from pokejax.rules.eating import ask_to_eat, enjoy, ruminate, unnerved
from pokejax.rules.faint import heal, lose_item, use_up
from pokejax.rules.numbers import quotient
from pokejax.rules.paradox import notice_weather, use_booster
from pokejax.rules.status import cure
from pokejax.rules.telling import tell_ability, tell_item
from pokejax.state import MOVES

LEPPA_POINTS = 10


def update(b: Battle, where: Any, site: str, *, waits: Any = False, first: Callable[[], None] | None = None) -> None:
    """Everybody looks whether it is time to eat (``eachEvent('Update')``); two of one speed are shuffled.

    Args:
        b: the battle.
        where: bool.
        site: of the shuffle.
        waits: whether the second Pokémon keeps a berry that heals until the move is over, as Berserk wants it.
        first: what an ability does before anybody eats.
    """
    b.shuffle(where & b.tied(), site)
    if first is not None:
        first()
    for number in (0, 1):
        trace_in_vain(b, number, where & ~b.side(number).queued_run_switch)
        wants = where & hungry(b, number)
        waits_now = b.item(number).heals_quarter & (b.side(number).unchecked | (waits & (number == 1)))
        ask_and_eat(b, number, wants, waits_now)


@gated("ask and eat")
def ask_and_eat(b: Battle, number: int, where: Any, waits: Any) -> None:
    """Eat, unless the other one unnerves it, or it ``waits`` for Berserk or Anger Shell."""
    ask_to_eat(b, number, where)
    eat(b, number, where & ~unnerved(b, number) & ~waits)


def settle(b: Battle, where: Any) -> None:
    """What `update` does besides, after an action: nothing between asks for it."""
    for number in (0, 1):
        side, other = b.side(number), b.side(1 - number)  # who comes in has still to say so
        unheard = side.queued_run_switch | (other.queued_run_switch & b.ability_out(1 - number).suppresses)
        notice_weather(b, number, where & ~unheard)  # Cloud Nine may be gone
        use_booster(b, number, where)
        recover(b, number, where)


def steal(b: Battle, number: int, where: Any) -> None:
    """The other Pokémon takes the item of this one, if it has none of its own."""
    victim, thief = b.side(number), b.side(1 - number)
    item = b.item(number)
    where = where & (thief.item == 0) & (victim.item != 0) & ~b.keeps(number, number, 1 - number)
    held = where & b.ability(number).holds_fast & (victim.hp > 0)
    tell_ability(b, number, held)
    where = where & ~held
    give_back(b, number, where & (thief.hp == 0) & ~thief.fainted)
    where = where & (thief.hp > 0)
    thief.set("unstarted", False, where=where)
    thief.set("choice_lock", 0, where=where & item.choice)
    thief.set("item", victim.item, where=where)
    tell_ability(b, 1 - number, where)
    tell_item(b, 1 - number, where)
    lose_item(b, number, where)


def give_back(b: Battle, number: int, where: Any) -> None:
    """An item that was taken comes back, since the other one can't have it: Unburden has noticed all the same."""
    side = b.side(number)
    where = where & (side.item != 0) & ~b.keeps(number, number, 1 - number)
    side.set("unburdened", True, where=where & (side.hp > 0) & b.ability(number).unburdens)
    side.set("unstarted", True, where=where & b.item(number).booster)


def hungry(b: Battle, number: int) -> Any:
    """Whether an active Pokémon holds a berry that would help it now, if nobody unnerves it."""
    side, item = b.side(number), b.item(number)
    hurt = item.heals_quarter & (side.hp * 2 <= b.pokemon(number).max_hp) & (side.heal_block == 0)
    asleep = item.wakes & (side.status == rows.SLP)
    ails = item.cures & ((side.status != 0) | (side.confusion > 0))
    spent = b.gate("spent", item.restores, lambda inner: out_of_power(inner, number), jnp.zeros_like(asleep))
    return (side.hp > 0) & ~side.fainted & (hurt | asleep | ails | spent)


def out_of_power(b: Battle, number: int) -> Any:
    """Whether an active Pokémon with a Leppa Berry has a move and no power left for it."""
    return b.item(number).restores & any_of(spent_slots(b, number))


def spent_slots(b: Battle, number: int) -> list[Any]:
    """Which slots of an active Pokémon have a move and no power left for it."""
    moves = b.pokemon(number).moves
    return [(moves[slot] != 0) & (power.left(b, number, slot) == 0) for slot in range(MOVES)]


def recover(b: Battle, number: int, where: Any) -> None:
    """What an ability keeps off, and a Mold Breaker has brought, ends."""
    side, ability = b.side(number), b.ability(number)
    where = where & ~side.fainted
    kept_off = ((ability.immune_statuses >> side.status) & 1) != 0
    cured = where & (side.hp > 0) & (side.status != 0) & ability.cures_itself & kept_off
    cleared = where & ability.no_confusion & (side.confusion > 0)
    freed = where & ability.no_taunt & (side.taunt > 0)
    tell_ability(b, number, cured | cleared | freed)
    cure(b, number, cured)
    side.set("confusion", 0, where=cleared)
    side.set("taunt", 0, where=freed)


@gated("eat")
def eat(b: Battle, number: int, where: Any) -> None:
    """Eat the berry."""
    ruminate(b, number, where)
    taste(b, number, b.item(number), where)
    use_up(b, number, where)


def chew(b: Battle, number: int, where: Any) -> None:
    """The berry of the turn before is eaten once more."""
    side = b.side(number)
    where = where & b.ability(number).chews & (side.cud > 0) & (side.hp > 0)
    side.set("cud_turns", side.cud_turns - 1, where=where)
    eats = where & (side.cud_turns == 0)
    tell_ability(b, number, eats)
    taste(b, number, b.row("items", rows.ITEM, side.cud), eats)
    side.set("cud", 0, where=eats)


def eat_for_nothing(b: Battle, number: int, where: Any) -> None:
    """Eat a Custap Berry, which heals nothing by itself, when choices are taken: the first player's into no queue."""
    ruminate(b, number, where)
    b.side(number).set("cud_turns", 1 + number, where=where & b.ability(number).chews)
    enjoy(b, number, where)
    use_up(b, number, where)


def taste(b: Battle, number: int, item: Any, where: Any) -> None:
    """What a berry does to who eats it."""
    side, most = b.side(number), b.pokemon(number).max_hp
    heal(b, number, jnp.maximum(quotient(most, 4), 1), where & item.heals_quarter)
    wakes = where & ((item.wakes & (side.status == rows.SLP)) | item.cures)
    cure(b, number, wakes)
    side.set("confusion", 0, where=where & item.cures)
    restore(b, number, where & item.restores)
    enjoy(b, number, where)


def restore(b: Battle, number: int, where: Any) -> None:
    """A Leppa Berry gives ten power points back: to the first move that has none, else to the first that lacks some."""
    moves, spent = b.pokemon(number).moves, spent_slots(b, number)
    any_spent = any_of(spent)
    for slot in range(MOVES):
        left, most = power.left(b, number, slot), power.most(b, number, slot)
        wants = pick(any_spent, spent[slot], (moves[slot] != 0) & (left < most))
        power.put(b, number, slot, jnp.minimum(left + LEPPA_POINTS, most), where & wants)
        where = where & ~wants


def lose_balloon(b: Battle, where: Any) -> None:
    """The target's Air Balloon bursts, or its substitute's."""
    lose_item(b, 1, where & b.item(1).balloon)


@gated("eat of the target")
def eat_of_target(b: Battle, where: Any) -> None:
    """Bug Bite: the user eats the target's berry."""
    where = where & (b.side(0).hp > 0) & b.item(1).berry
    held = where & b.ability(1).holds_fast & (b.side(1).hp > 0)
    tell_ability(b, 1, held)
    taste(b, 0, b.item(1), where & ~held)
    lose_item(b, 1, where & ~held)


def white_herb(b: Battle, number: int, where: Any) -> None:
    """Lowered stages are as before, once."""
    _restore_stages(b, number, where & b.item(number).white_herb)


@gated("White Herb")
def _restore_stages(b: Battle, number: int, where: Any) -> None:
    side = b.side(number)
    own = stages.several(side.boosts)
    where = where & (own < 0).any() & (side.hp > 0)
    side.set("boosts", stages.put(side.boosts, jnp.maximum(own, 0)), where=where)
    use_up(b, number, where)
