"""Fainting: what a Pokémon loses, and when the battle is won."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from pokejax.battle import Battle
from pokejax.rules.boosts import boost
from pokejax.state import NOBODY, VOLATILE


def hurt(b: Battle, number: int, amount: Any, where: Any, *, indirectly: bool = True) -> None:
    """Take hit points away from an active Pokémon, at least one; Magic Guard spares it what is not a move's blow."""
    side = b.side(number)
    where = where & ~b.ability(number).no_indirect_damage if indirectly else where
    left = jnp.maximum(side.hp - jnp.maximum(amount, 1), 0)
    side.set("hp", left, where=where & (side.hp > 0))


def heal(b: Battle, number: int, amount: Any, where: Any) -> None:
    """Give hit points back, up to the most, to who has some left."""
    side = b.side(number)
    side.set("hp", jnp.minimum(side.hp + amount, b.pokemon(number).max_hp), where=where & (side.hp > 0))


def clear_volatile(b: Battle, number: int, where: Any) -> None:
    """What ends when a Pokémon leaves or faints; its cached speed is the bare stat again (``clearVolatile``)."""
    side = b.side(number)
    for field in VOLATILE:
        side.clear(field.name, where=where)
    side.set("newly_switched", True, where=where)
    side.set("speed", b.pokemon(number).spe, where=where)


def faint_messages(b: Battle, *, check_win: Any, last: Any, by_move: Any = None) -> None:
    """Who has no hit points left faints now (``faintMessages``).

    Args:
        b: the battle.
        check_win: bool: whether to look who has won.
        last: number of the side whose faint came last, should both have; int32 array or int.
        by_move: where the user's move did it, which Moxie and its like ask.
    """
    going = ~b.view.over
    newly = [going & (b.side(n).hp == 0) & ~b.side(n).fainted for n in (0, 1)]
    for number in (0, 1):
        side = b.side(number)
        side.set("fainted", True, where=newly[number])
        side.set("left", side.left - 1, where=newly[number])
        side.set("switch_flag", False, where=newly[number])
        side.set("terastallized", False, where=newly[number])
        clear_volatile(b, number, newly[number])
    anybody = newly[0] | newly[1]
    last = jnp.where(newly[0] & newly[1], last, jnp.where(newly[0], 0, 1))
    win(b, going & check_win & anybody, last)
    if by_move is not None:
        avenges = by_move & newly[1] & ~newly[0] & ~b.view.over
        boost(b, 0, b.ability(0).ko_boosts, avenges, by_foe=False, by_ability=True)


def win(b: Battle, where: Any, last: Any) -> None:
    """The battle is over where a side has nobody left; if neither has, the side wins whose faint came last."""
    lost = [b.side(n).left == 0 for n in (0, 1)]
    winner = jnp.where(lost[0] & lost[1], last, jnp.where(lost[0], 1, 0))
    truly = jnp.where(b.view.swapped, 1 - winner, winner)
    ends = where & (lost[0] | lost[1])
    b.view.set("winner", truly, where=ends)
    b.view.set("over", True, where=ends)


def tie(b: Battle, where: Any) -> None:
    """Nobody wins."""
    b.view.set("winner", NOBODY, where=where)
    b.view.set("over", True, where=where)
