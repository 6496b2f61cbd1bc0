"""Eating a berry: who is kept from it, and what abilities make of it."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from pokejax.battle import Battle, any_of
from pokejax.picking import pick
from pokejax.rules.mechanics.faint import heal
from pokejax.rules.mechanics.numbers import quotient
from pokejax.rules.mechanics.revealed import tell_ability


def ask_to_eat(b: Battle, number: int) -> None:
    """A Pokémon wants to eat (``TryEatItem``): its Berserk is shuffled with what unnerves it."""
    listens = (b.ability_out(number).halfway_boosts > 0) & b.ability_out(1 - number).unnerves
    with b.when(listens & (b.side(1 - number).hp > 0) & b.tied()):
        b.shuffle("TryEatItem")


def unnerved(b: Battle, number: int) -> Any:
    """Whether the other one keeps an active Pokémon from eating."""
    foe = b.side(1 - number)
    return b.ability_out(1 - number).unnerves & (foe.hp > 0) & ~foe.queued_run_switch


def ruminate(b: Battle, number: int) -> None:
    """Cud Chew keeps the berry for the end of the next turn, or of this one if nothing is left to do in it."""
    side = b.side(number)
    with b.when(b.ability(number).cud_chew):
        side.cud = side.item
        side.cud_turns = pick(queue_is_empty(b), 1, 2)


def queue_is_empty(b: Battle) -> Any:
    """Whether no action is left in this turn, whose end is the last but for entries after it."""
    enters = any_of(side.queued_run_switch | side.queued_instaswitch for side in b.view.side)
    return ~b.view.queued_residual & ~enters


def enjoy(b: Battle, number: int) -> None:
    """Cheek Pouch heals whoever eats."""
    share = b.ability(number).berry_heals
    most = b.pokemon(number).max_hp
    with b.when(share > 0), b.when(heal(b, number, quotient(most, jnp.maximum(share, 1)))):
        tell_ability(b, number)
