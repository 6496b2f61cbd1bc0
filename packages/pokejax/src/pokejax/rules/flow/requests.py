"""What players may choose (``getMoveRequestData``, ``chooseMove``, ``chooseSwitch``)."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from pokejax import rows
from pokejax.battle import Battle, any_of, number_of
from pokejax.picking import pick
from pokejax.rules.mechanics import pp
from pokejax.rules.mechanics.faint import finished
from pokejax.rules.mechanics.status import TRAP_IMMUNE
from pokejax.state import ASK_MOVES, ASK_SWITCH, FREE, MOVES, OPENLY, SECRETLY, TEAM
from rlenv_shared import control

STEEL = number_of("type", "Steel")


def enabled_moves(b: Battle, number: int) -> list[Any]:
    """Which slots can be used: there is power left, and nothing forbids the move."""
    return [enabled(b, number, slot, b.pokemon(number).moves[slot]) for slot in range(MOVES)]


def enabled(b: Battle, number: int, slot: Any, index: Any) -> Any:
    """Whether a slot, in which there is a move of this number, can be used."""
    side = b.side(number)
    locked = (side.choice_lock != 0) & (side.choice_lock != slot + 1)
    repeats = (side.encore > 0) & (side.encore_slot != slot)
    disabled = (side.disable > 0) & (side.disable_slot == slot)
    there = (index != 0) & (pp.left(b, number, slot) > 0) & ~locked & ~repeats & ~disabled
    there = there & ~((side.last_move == slot + 1) & used_what_cannot_be_repeated(b, number))
    vested = b.item(number).assault_vest | (side.taunt > 0)

    def unless_barred(there: Any) -> Any:
        move = b.row("moves", rows.MOVE, index)
        kept = ((side.heal_block > 0) & move.heal) | ((side.throat_chop > 0) & move.sound)
        return there & ~(vested & (move.category == rows.STATUS)) & ~kept

    barred = vested | (side.heal_block > 0) | (side.throat_chop > 0)
    return control.gate("moves barred", there & barred, unless_barred, there)


def used_what_cannot_be_repeated(b: Battle, number: int) -> Any:
    """Whether the move that was used last is Blood Moon or its like."""
    slot = jnp.clip(b.side(number).last_move - 1, 0, MOVES - 1)
    return b.row("moves", rows.MOVE, b.pokemon(number).moves[slot]).cantusetwice


def can_come_in(b: Battle, number: int) -> list[Any]:
    """Which members of the team, in its original order, could take the active one's place."""
    side = b.side(number)
    return [(side.member[m].hp > 0) & (side.order[0] != m) for m in range(TEAM)]


def fallen(b: Battle, number: int) -> list[Any]:
    """Which members of the team, in its original order, could be revived."""
    side = b.side(number)
    return [(side.member[m].hp == 0) & (side.order[0] != m) & ~missing(b, side.member[m]) for m in range(TEAM)]


def missing(b: Battle, member: Any) -> Any:
    """Whether a team has no such member, who then counts as fainted."""
    return b.row("pokemon", rows.POKEMON, member.row).species == 0


def has_reserve(b: Battle, number: int) -> Any:
    """Whether anybody could come in."""
    return any_of(can_come_in(b, number))


def legal_actions(b: Battle, number: int) -> list[Any]:
    """Mask of a side's actions (`queue.NUM_ACTIONS`); all hold when the battle is over, who is not asked passes."""
    side, view = b.side(number), b.view
    chooses = side.asked & (view.request == ASK_MOVES)
    replaces = side.asked & (view.request == ASK_SWITCH)
    rampages = (side.lock > 0) | (side.recharge > 0) | (side.charging > 0)
    enabled = [can & ~rampages for can in enabled_moves(b, number)]
    struggles = ~any_of(enabled)  # in a rampage, the only choice is the first, too
    moves = [chooses & (can | (struggles if slot == 0 else False)) for slot, can in enumerate(enabled)]
    terastallizes = chooses & side.may_terastallize & ~(side.transformed & b.pokemon(number).masked)
    terastallized = [can & terastallizes for can in enabled]
    leaves = chooses & ~rampages & (side.trapped == FREE)
    ready = zip(can_come_in(b, number), fallen(b, number), strict=True)
    members = [(leaves & can) | (replaces & pick(side.reviving, down, can)) for can, down in ready]
    return [option | finished(view) for option in (*moves, *terastallized, *members, ~side.asked)]


def trap(b: Battle, number: int) -> None:
    """Look who cannot leave (``TrapPokemon``); of what an ability does, the player is not told."""
    side, foe = b.side(number), b.side(1 - number)
    traps = b.ability(1 - number).traps
    held = any_of([
        (traps == rows.EVERYBODY) & (b.ability(number).traps != rows.EVERYBODY),
        (traps == rows.GROUNDED) & b.grounded(number),
        (traps == rows.STEEL) & b.has_type(number, STEEL),
    ])  # fmt: skip
    trapping = (side.no_retreat, side.spirit_shackle, side.bound > 0)
    count = sum(flag.astype(jnp.int32) for flag in trapping)
    for others in range(1, len(trapping)):  # volatile conditions that trap are equals
        with b.when(~side.fainted & (count > others)):
            b.shuffle("TrapPokemon")
    spared = side.fainted | b.naturally_immune(number, TRAP_IMMUNE)
    kind = pick(
        side.no_retreat | side.spirit_shackle | ((side.bound > 0) & ~side.bind_source_gone),
        OPENLY,
        pick(held & ~foe.fainted, SECRETLY, FREE),
    )
    side.trapped = pick(spared, FREE, kind)


def ask_moves(b: Battle) -> None:
    """A new turn: both choose."""
    b.view.request = ASK_MOVES
    for number in (0, 1):
        b.side(number).asked = True


def ask_switch(b: Battle, asked: tuple[Any, Any]) -> None:
    """Who has to bring somebody in."""
    with b.when(asked[0] | asked[1]):
        b.view.request = ASK_SWITCH
    for number in (0, 1):
        with b.when(asked[number]):
            b.side(number).asked = True
