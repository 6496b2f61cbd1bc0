"""Illusion: who comes out as the last of its team, and what the other player makes of that (``illusion``).

What players are told they are told of a name.  While somebody seems to be another one, moves and item that are told of
it wait in the state of who is out; when the guise falls they are its own, when it leaves in it they are the other
one's, of whom something untrue has been told then (`state.TOLD`).  In a team there is one with Illusion at most.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from pokejax import rows
from pokejax.battle import Battle
from pokejax.picking import pick
from pokejax.rules.mechanics.revealed import next_to_appear, percent
from pokejax.state import BEHIND, FAINTED, MAX_PP, MOVES, TEAM


def appear(b: Battle, number: int) -> None:
    """A side's Pokémon has come in, as itself or, if it has Illusion, as the last that stands behind it."""
    side = b.side(number)
    with b.when(b.ability(number).illusion | side.member[side.order[0]].misreported):
        b.gate("appear in a guise", lambda inner: _come_out(inner, number))
    side = b.side(number)
    with b.when((side.illusion_as == 0) & (side.appeared == 0)):
        side.appeared = next_to_appear(side)


def _come_out(b: Battle, number: int) -> None:
    """Put a guise on (``onBeforeSwitchIn``), or be seen as what one is again."""
    side = b.side(number)
    behind = jnp.zeros_like(side.illusion_as)
    for place in range(1, TEAM):
        behind = pick(side.member[side.order[place]].fainted, behind, side.order[place] + 1)
    name, itself = side.member[behind - 1], side.member[side.order[0]]
    barred = side.terastallized & b.row("pokemon", rows.POKEMON, name.row).masked
    feigns = b.ability(number).illusion
    puts_on = feigns & (behind > 0) & ~barred
    with b.when(feigns):
        side.illusion_as = pick(puts_on, behind, 0)
    with b.when(puts_on):
        side.illusion_user = side.order[0] + 1
        with b.when(~itself.misreported):
            itself.told_status = side.status
            itself.told_tera = side.terastallized
        with b.when(side.item_shown):
            itself.told_item = side.item + 1
        with b.when(name.appeared == 0):
            name.percent = 100
            name.appeared = next_to_appear(side)
    before = pick(puts_on, _told_status(name), _told_status(itself))
    rested = pick(puts_on, name.rested, side.rested)
    goes_on = (side.status == rows.SLP) & (before == rows.SLP)
    side.rested = pick(goes_on, rested, 0)
    with b.when(puts_on):
        for field in ("moves_shown", "gone"):
            side.set(field, 0)
        for one in (side, itself):
            one.item_shown = False
    itself.misreported = puts_on


def _told_status(member: Any) -> Any:
    """What the other player has been told of the status of one who is not out."""
    return pick(member.misreported, member.told_status, member.status)


def drop(b: Battle, number: int) -> None:
    """What an active Pokémon seems to be falls off it, and what was seen meanwhile was seen of itself (``onEnd``)."""
    with b.when(b.side(number).illusion_as > 0):
        b.gate("drop a guise", lambda inner: _drop(inner, number))


def _drop(b: Battle, number: int) -> None:
    side = b.side(number)
    itself = side.member[side.order[0]]
    with b.when(side.appeared == 0):
        side.appeared = next_to_appear(side)
    side.moves_shown = side.moves_shown | itself.moves_shown
    with b.when(side.gone == 0):
        side.gone = itself.gone
    side.ability_shown = True
    side.illusion_as = 0
    itself.misreported = False


def drop_before_terastallizing(b: Battle) -> None:
    """Who seems to be one that changes with its types cannot do the same, and shows itself."""

    def rule(inner: Battle) -> None:
        side = inner.side(0)
        with inner.when(inner.row("pokemon", rows.POKEMON, side.member[side.illusion_as - 1].row).masked):
            _drop(inner, 0)

    with b.when(b.side(0).illusion_as > 0):
        b.gate("drop a guise to Terastallize", rule)


def vanish(b: Battle) -> None:
    """The first side's Pokémon leaves, in its guise if it has one; what heals it then, nobody sees."""
    side = b.side(0)
    shown = percent(side.hp, b.pokemon(0).max_hp)
    disguised = side.illusion_as > 0
    with b.when(~side.fainted & ~disguised):
        side.percent = shown
    with b.when(disguised):
        b.gate("leave in a guise", lambda inner: _leave(inner, shown))


def _leave(b: Battle, shown: Any) -> None:
    """What was told of who leaves is told of who it seemed to be, whether it stands or has fainted."""
    side = b.side(0)
    name, itself = side.member[side.illusion_as - 1], side.member[side.order[0]]
    told = {
        "misreported": True, "told_status": pick(side.fainted, FAINTED, side.status), "told_tera": side.terastallized,
        "percent": shown, "rested": side.rested, "false_moves": name.false_moves | side.moves_shown,
    }  # fmt: skip
    for field, value in told.items():
        name.set(field, value)
    with b.when(side.item_shown):
        name.told_item = side.item + 1
        name.item_shown = False
    with b.when(side.gone > 0):
        name.gone = side.gone
    for slot in range(MOVES):
        spent = name.false_spent[slot] + jnp.maximum(itself.pp[slot] - side.pp[slot], 0)
        name.false_spent[slot] = jnp.minimum(spent, MAX_PP - 1)
    for field in BEHIND:
        side.set(field, getattr(itself, field))
    with b.when(side.fainted):
        side.illusion_as = 0


def told_healthy(b: Battle, number: int, place: int) -> None:
    """One behind is cured, by the name under which it was last out."""
    side = b.side(number)
    other = side.member[side.member[place].illusion_as - 1]
    own = side.member[place].illusion_as == 0
    for member, here in ((side.member[place], own), (other, ~own)):
        with b.when(here & (member.told_status != FAINTED)):
            member.told_status = 0
