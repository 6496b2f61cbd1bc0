"""Wish, which is made by one Pokémon and comes true for whoever is out a turn later."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from pokejax.battle import Battle
from pokejax.picking import pick
from pokejax.rules.mechanics.faint import heal
from pokejax.rules.mechanics.numbers import quotient

TURNS, LOST = 2, 3
CLOCK = 255
"""Turns are counted modulo 256 here, so a wish of the last of them never comes true and none can follow it."""


def wish(b: Battle) -> Any:
    """Wish for half of the user's hit points; whether no other wish is under way."""
    side = b.side(0)
    lost = ((b.view.turn - 1) & CLOCK) == CLOCK
    with b.when(side.wish_turns == 0) as wishes:
        side.wish_turns = pick(lost, LOST, TURNS)
        side.wish = b.pokemon(0).max_hp
    return wishes


def come_true(b: Battle) -> None:
    """Wishes of the turn before are granted, if anybody stands there."""
    for number in (0, 1):
        side = b.side(number)
        left = side.wish_turns - 1
        with b.when(~b.view.over & (side.wish_turns > 0) & (side.wish_turns != LOST)):
            side.wish_turns = left
            with b.when((left == 0) & ~side.fainted):
                heal(b, number, jnp.maximum(quotient(side.wish, 2), 1))
