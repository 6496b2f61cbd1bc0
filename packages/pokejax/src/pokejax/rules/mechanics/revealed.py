"""What players are told: the points at which Showdown's messages give away a move, an ability, an item, hit points.

The state keeps it beside the truth, so that `pokejax.observation` shows each player what they have seen and no more.
Nothing here changes what happens in a battle.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from pokejax.battle import Battle
from pokejax.picking import pick
from pokejax.rules.mechanics.numbers import quotient
from pokejax.state import MOVES, NOT_ASKED, TEAM


def tell_ability(b: Battle, number: int) -> None:
    """A message names an active Pokémon's ability: its own, if it has not transformed."""
    side = b.side(number)
    with b.when(~side.transformed):
        side.ability_shown = True


def tell_item(b: Battle, number: int) -> None:
    """A message names an active Pokémon's item, or says that it has none."""
    b.side(number).item_shown = True


def tell_move(b: Battle, slot: Any) -> None:
    """A message names a move of whoever acts: its own, if it has not transformed."""
    user = b.side(0)
    with b.when(~user.transformed):
        user.moves_shown = user.moves_shown | (1 << slot)


def tell_copies(b: Battle) -> None:
    """Who has transformed is asked with the moves and the ability of the other one, which its player now knows."""
    for number in (0, 1):
        side, foe = b.side(number), b.side(1 - number)
        with b.when(side.transformed & (b.view.request != NOT_ASKED)):
            for one in (foe, *(foe.member[place] for place in range(TEAM))):
                with b.when(one.row == side.copied_row):
                    with b.when(foe.illusion_as == 0 if one is foe else None):
                        one.moves_shown = 2**MOVES - 1
                    one.ability_shown = True


def next_to_appear(side: Any) -> Any:
    """As which of its team the next one that has not been seen yet will come out."""
    before = jnp.zeros_like(side.appeared)
    for place in range(TEAM):
        before = jnp.maximum(before, side.member[place].appeared)
    return before + 1


def percent(hp: Any, most: Any) -> Any:
    """Hit points as the other player sees them: rounded up, but 100 only in full health (``Pokemon.getHealth``)."""
    rounded = quotient(100 * hp + most - 1, most)
    return pick((rounded == 100) & (hp < most), 99, rounded)
