"""What players are told: the points at which Showdown's messages give away a move, an ability, an item, hit points.

The state keeps it beside the truth, so that `pokejax.observation` shows each player what they have seen and no more.
Nothing here changes what happens in a battle.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from pokejax.battle import Battle
from pokejax.picking import pick
from pokejax.rules.numbers import quotient
from pokejax.state import MOVES, NOT_ASKED, TEAM


def tell_ability(b: Battle, number: int, where: Any) -> None:
    """A message names an active Pokémon's ability: its own, if it has not transformed."""
    side = b.side(number)
    side.set("ability_shown", True, where=where & ~side.transformed)


def tell_item(b: Battle, number: int, where: Any) -> None:
    """A message names an active Pokémon's item, or says that it has none."""
    b.side(number).set("item_shown", True, where=where)


def tell_move(b: Battle, slot: Any, where: Any) -> None:
    """A message names a move of whoever acts: its own, if it has not transformed."""
    user = b.side(0)
    user.set("moves_shown", user.moves_shown | (1 << slot), where=where & ~user.transformed)


def tell_copies(b: Battle) -> None:
    """Who has transformed is asked with the moves and the ability of the other one, which its player now knows."""
    for number in (0, 1):
        side, foe = b.side(number), b.side(1 - number)
        learns = side.transformed & (b.view.request != NOT_ASKED)
        for one in (foe, *(foe.member[place] for place in range(TEAM))):
            here = learns & (one.row == side.copied_row)
            itself = here & (foe.guise == 0) if one is foe else here
            one.set("moves_shown", 2**MOVES - 1, where=itself)
            one.set("ability_shown", True, where=here)


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
