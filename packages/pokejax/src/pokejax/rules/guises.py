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
from pokejax.rules.telling import next_to_appear, percent
from pokejax.state import BEHIND, FAINTED, MAX_PP, MOVES, TEAM


def appear(b: Battle, number: int, where: Any) -> None:
    """A side's Pokémon has come in, as itself or, if it has Illusion, as the last that stands behind it."""
    side = b.side(number)
    doubtful = where & (b.ability(number).feigns | side.member[side.order[0]].veiled)
    b.when("appear in a guise", doubtful, lambda inner: _come_out(inner, number, doubtful))
    side = b.side(number)
    side.set("appeared", next_to_appear(side), where=where & (side.guise == 0) & (side.appeared == 0))


def _come_out(b: Battle, number: int, where: Any) -> None:
    """Put a guise on (``onBeforeSwitchIn``), or be seen as what one is again."""
    side = b.side(number)
    behind = jnp.zeros_like(side.guise)
    for place in range(1, TEAM):
        behind = pick(side.member[side.order[place]].fainted, behind, side.order[place] + 1)
    name, itself = side.member[behind - 1], side.member[side.order[0]]
    barred = side.terastallized & b.row("pokemon", rows.POKEMON, name.row).masked
    feigns = where & b.ability(number).feigns
    puts_on = feigns & (behind > 0) & ~barred
    side.set("guise", pick(puts_on, behind, 0), where=feigns)
    side.set("wearer", side.order[0] + 1, where=puts_on)
    for field, value in (("told_status", side.status), ("told_tera", side.terastallized)):
        itself.set(field, value, where=puts_on & ~itself.veiled)
    itself.set("told_item", side.item + 1, where=puts_on & side.item_shown)
    name.set("percent", 100, where=puts_on & (name.appeared == 0))
    name.set("appeared", next_to_appear(side), where=puts_on & (name.appeared == 0))
    before = pick(puts_on, _told_status(name), _told_status(itself))
    rested = pick(puts_on, name.rested, side.rested)
    goes_on = (side.status == rows.SLP) & (before == rows.SLP)
    side.set("rested", pick(goes_on, rested, 0), where=where)
    for field in ("moves_shown", "gone"):
        side.set(field, 0, where=puts_on)
    for one in (side, itself):
        one.set("item_shown", False, where=puts_on)
    itself.set("veiled", puts_on, where=where)


def _told_status(member: Any) -> Any:
    """What the other player has been told of the status of one who is not out."""
    return pick(member.veiled, member.told_status, member.status)


def drop(b: Battle, number: int, where: Any) -> None:
    """What an active Pokémon seems to be falls off it, and what was seen meanwhile was seen of itself (``onEnd``)."""
    where = where & (b.side(number).guise > 0)
    b.when("drop a guise", where, lambda inner: _drop(inner, number, where))


def _drop(b: Battle, number: int, where: Any) -> None:
    side = b.side(number)
    itself = side.member[side.order[0]]
    side.set("appeared", next_to_appear(side), where=where & (side.appeared == 0))
    side.set("moves_shown", side.moves_shown | itself.moves_shown, where=where)
    side.set("gone", itself.gone, where=where & (side.gone == 0))
    side.set("ability_shown", True, where=where)
    side.set("guise", 0, where=where)
    itself.set("veiled", False, where=where)


def drop_before_terastallizing(b: Battle, where: Any) -> None:
    """Who seems to be one that changes with its types cannot do the same, and shows itself."""
    where = where & (b.side(0).guise > 0)

    def rule(inner: Battle) -> None:
        side = inner.side(0)
        _drop(inner, 0, where & inner.row("pokemon", rows.POKEMON, side.member[side.guise - 1].row).masked)

    b.when("drop a guise to Terastallize", where, rule)


def vanish(b: Battle, where: Any) -> None:
    """The first side's Pokémon leaves, in its guise if it has one; what heals it then, nobody sees."""
    side = b.side(0)
    shown = percent(side.hp, b.pokemon(0).max_hp)
    side.set("percent", shown, where=where & ~side.fainted & (side.guise == 0))
    disguised = where & (side.guise > 0)
    b.when("leave in a guise", disguised, lambda inner: _leave(inner, shown, disguised))


def _leave(b: Battle, shown: Any, where: Any) -> None:
    """What was told of who leaves is told of who it seemed to be, whether it stands or has fainted."""
    side = b.side(0)
    name, itself = side.member[side.guise - 1], side.member[side.order[0]]
    told = {
        "veiled": True, "told_status": pick(side.fainted, FAINTED, side.status), "told_tera": side.terastallized,
        "percent": shown, "rested": side.rested, "false_moves": name.false_moves | side.moves_shown,
    }  # fmt: skip
    for field, value in told.items():
        name.set(field, value, where=where)
    name.set("told_item", side.item + 1, where=where & side.item_shown)
    name.set("item_shown", False, where=where & side.item_shown)
    name.set("gone", side.gone, where=where & (side.gone > 0))
    for slot in range(MOVES):
        spent = name.false_spent[slot] + jnp.maximum(itself.pp[slot] - side.pp[slot], 0)
        name.false_spent.set(slot, jnp.minimum(spent, MAX_PP - 1), where=where)
    for field in BEHIND:
        side.set(field, getattr(itself, field), where=where)
    side.set("guise", 0, where=where & side.fainted)


def told_healthy(b: Battle, number: int, place: int, where: Any) -> None:
    """One behind is cured, by the name under which it was last out."""
    side = b.side(number)
    other = side.member[side.member[place].guise - 1]
    own = where & (side.member[place].guise == 0)
    for member, here in ((side.member[place], own), (other, where & ~own)):
        member.set("told_status", 0, where=here & (member.told_status != FAINTED))
