"""What a player counts of each Pokémon: power points that it has lost, blows that it has taken, the item that is gone.

Everything hangs on the names by which messages call a Pokémon: what one with Illusion does and suffers is told of
another one, until its guise falls (`pokejax.rules.mechanics.illusion`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp

from pokejax.battle import any_of
from pokejax.picking import pick
from pokejax.player_view import Values, constants_at, store_front
from pokejax.state import COPIED_PP, LAYOUT, MOVES, TEAM, Words
from rlenv_shared import control

Lost = list[tuple[Any, Any]]
"""Moves and the power points that they have lost."""


def of_own(words: Words) -> list[Values]:
    """``gone`` and ``blows`` of the player's own Pokémon, in the order of its team; its side is the first one."""
    side = LAYOUT.view(words).side[0]
    store_front(side)
    seeming = (side.illusion_as > 0) & (side.gone > 0)
    return [
        {"gone": _as_id(pick(seeming & (side.illusion_as == k + 1), side.gone, member.gone)), "blows": [member.blows]}
        for k, member in enumerate(side.member[k] for k in range(TEAM))
    ]


def of_foe(words: Words, known: list[list[Any]], params: Any) -> list[Values]:
    """``gone``, ``blows`` and ``spent`` of the other side's Pokémon, in the order in which they came out.

    Args:
        words: state of one battle, whose second side is the other one.
        known: numbers of the moves of each Pokémon that are known, 0 for none; ``spent`` is in their order, and of who
            has transformed that of the moves that it has copied.
        params: tables and pool.
    """

    def as_told(state: tuple[Words, list[list[Any]], list[Values]]) -> tuple[Words, list[list[Any]], list[Values]]:
        inner, moves, _ = state
        return inner, moves, _Counting(inner, params).of_team(moves, in_guises=True)

    plain = _Counting(words, params).of_team(known, in_guises=False)
    worn = LAYOUT.view(words).side[1].illusion_user > 0
    found: list[Values] = control.gate("what is counted in guises", worn, as_told, (words, known, plain))[2]
    return found


def _as_id(item: Any) -> list[Any]:
    """One plus an item, 0 for none."""
    return [pick(item > 0, item + 1, 0)]


class _Counting:
    """The other side, with who is out written back."""

    def __init__(self, words: Words, params: Any) -> None:
        self.params = params
        self.side = side = LAYOUT.view(words).side[1]
        front = side.member[side.order[0]]
        self.since_it_came_in = [front.pp[slot] - side.pp[slot] for slot in range(MOVES)]
        store_front(side)
        copied = constants_at(side.copied_row, params).moves
        most = [jnp.minimum(self._most(move), COPIED_PP) for move in copied]
        self.copied = [(copied[slot], most[slot] - side.copied_pp[slot]) for slot in range(MOVES)]

    def of_team(self, known: list[list[Any]], *, in_guises: bool) -> list[Values]:
        """Of each Pokémon; ``in_guises`` where one has come out as another one."""
        side, found = self.side, []
        disguised = self._disguised() if in_guises else []
        for k, moves in enumerate(known):
            here = [side.member[m].appeared == k + 1 for m in range(TEAM)]
            member, seen, gone = side.member[here], any_of(here), side.member[here].gone
            lost = self._lost(here, member)
            if in_guises:
                seems = any_of(flag & (side.illusion_as == m + 1) for m, flag in enumerate(here))
                gone = pick(seems & (side.gone > 0), side.gone, gone)
                lost = self._as_told(here, member, seems, lost, disguised)
            spent = [_of_move(move, lost) for move in moves]
            if in_guises:  # two may have used one move under one name
                spent = [jnp.clip(total, 0, self._most(move)) for total, move in zip(spent, moves, strict=True)]
            counted = {"gone": _as_id(gone), "blows": [member.blows], "spent": spent}
            found.append({name: [pick(seen, value, 0) for value in values] for name, values in counted.items()})
        return found

    def _most(self, move: Any) -> Any:
        return control.take(self.params.power_points, move)

    def _lost(self, here: Sequence[Any], member: Any) -> Lost:
        """The moves of one Pokémon and what they have lost."""
        transformed = self.side.transformed & any_of(flag & (self.side.order[0] == m) for m, flag in enumerate(here))
        moves = constants_at(member.row, self.params).moves
        own = [(moves[slot], self._most(moves[slot]) - member.pp[slot]) for slot in range(MOVES)]
        return [
            (pick(transformed, copied, move), pick(transformed, other, lost))
            for (copied, other), (move, lost) in zip(self.copied, own, strict=True)
        ]

    def _disguised(self) -> list[tuple[Any, Any, Any]]:
        """The moves of one with Illusion, what they have lost in the guise it is in, and in all that it has been in."""
        side, found = self.side, []
        wearer = constants_at(side.member[side.illusion_user - 1].row, self.params).moves
        for slot, since in enumerate(self.since_it_came_in):
            now = pick(side.illusion_as > 0, since, 0)
            found.append((wearer[slot], now, sum(side.member[m].false_spent[slot] for m in range(TEAM)) + now))
        return found

    def _as_told(
        self, here: Sequence[Any], member: Any, seems: Any, lost: Lost, disguised: Sequence[tuple[Any, Any, Any]]
    ) -> Lost:
        """What one with Illusion has lost in a guise counts for the moves of who it seemed to be."""
        itself = any_of(flag & (self.side.illusion_user == m + 1) for m, flag in enumerate(here))
        found, others = [], []
        for slot, ((move, own), (other, now, elsewhere)) in enumerate(zip(lost, disguised, strict=True)):
            found.append((move, own - pick(itself, elsewhere, 0)))
            others.append((other, member.false_spent[slot] + pick(seems, now, 0)))
        return found + others


def _of_move(move: Any, lost: Lost) -> Any:
    """What a move has lost altogether; 0 for no move."""
    return sum(pick((other == move) & (move > 0), amount, 0) for other, amount in lost)
