"""Players of poke-env against one another in pokejax: no server, many battles at once."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from poke_env.battle import Battle
from poke_env.player.battle_order import BattleOrder, ForfeitBattleOrder

from pokejax.poke_env.batch import SEATS, Batch
from pokejax.rules.flow.queue import PASS
from pokejax.state import NOBODY
from pokejax.tables import Params
from rlenv_shared.errors import InvalidParamsError

AT_ONCE: Final = 64


class ChoosesMoves(Protocol):
    """What is asked of a player: poke-env's `Player` is one, and needs no server (``start_listening=False``)."""

    def choose_move(self, battle: Any) -> Any:
        """An order, or something that can be awaited and gives one."""


class Result(NamedTuple):
    """A battle that has ended, for the first player: 1 won, -1 lost, 0 a tie; and its turns."""

    result: int
    turns: int


class LocalBattles:
    """Two players of poke-env play battles inside pokejax.

    Each of them is given a `poke_env` `Battle` of what it knows (`FilledBattle`).  Battles are those of pokejax, of
    teams from its pool; half of them have the first player in the second seat.  Players that keep their battles, as
    poke-env's do, find the finished ones there, so that ``n_won_battles`` and ``win_rate`` count them.

    Args:
        player, opponent: with a method ``choose_move``.
        seed: of teams and battles.
        at_once: battles that go on at the same time; players are asked one after the other.
        backend: of the steps, ``"bytecode"`` or ``"emit"``; the latter needs a C++ compiler once.
        params: tables and the pool of teams; the default ones when None.

    Raises:
        InvalidParamsError: somebody who does not choose moves, no battle at once, or no such backend.
    """

    def __init__(
        self, player: ChoosesMoves, opponent: ChoosesMoves, *, seed: int = 0, at_once: int = AT_ONCE,
        backend: str = "bytecode", params: Params | None = None,
    ) -> None:  # fmt: skip
        for one in (player, opponent):
            if not callable(getattr(one, "choose_move", None)):
                raise InvalidParamsError("player", f"{one!r:.80}", "one with a method choose_move", "pass a player")
        self._players = player, opponent
        names = [str(getattr(one, "username", f"player {n + 1}")) for n, one in enumerate(self._players)]
        names[1] += " 2" if names[0] == names[1] else ""
        self._batch = Batch(at_once, seed, backend, params, names, takes_turns=True)
        self._fresh = True

    def play(self, battles: int) -> list[Result]:
        """Play to the end of so many battles, in the order in which they ended.

        Raises:
            InvalidParamsError: fewer than one battle.
            IllegalActionError: an order that the battle does not allow.
        """
        if battles < 1:
            raise InvalidParamsError("battles", battles, "an integer >= 1", "ask for one")
        batch, results = self._batch, list[Result]()
        if not self._fresh:
            batch.restart(range(batch.size))
        self._fresh, started = False, min(battles, batch.size)
        going = set(range(started))
        while going:
            actions = np.full((batch.size, len(SEATS)), PASS, np.int32)
            given_up = {n: self._choose(n, actions) for n in sorted(going)}
            over = set(batch.step(actions)) & going
            for n in sorted(going):
                if given_up[n] is None and n not in over:
                    continue
                results.append(self._ended(n, given_up[n]))
                if started < battles:
                    batch.restart([n])
                    started += 1
                else:
                    going.discard(n)
        return results

    def _choose(self, n: int, actions: Any) -> int | None:
        """Ask who is asked in a battle; the seat that gives up, if one does."""
        batch = self._batch
        for seat in SEATS:
            if not batch.is_asked(n, seat):
                continue
            filled, battle = batch.seats[n][seat], batch.battle(n, seat)
            player = self._players[seat ^ batch.swapped[n]]
            kept = getattr(player, "_battles", None)
            if isinstance(kept, dict):
                kept.setdefault(battle.battle_tag, battle)
            order = _order(player, battle)
            if isinstance(order, ForfeitBattleOrder):
                return seat
            assert filled.choices is not None
            actions[n, seat] = filled.choices.legal_action_of(order)
        return None

    def _ended(self, n: int, given_up: int | None) -> Result:
        batch = self._batch
        winner = batch.winner(n) if given_up is None else 1 - given_up
        batch.finish(n, winner)
        turns = batch.seats[n][0].battle.turn
        if winner == NOBODY:
            return Result(0, turns)
        return Result(1 if winner == batch.swapped[n] else -1, turns)


def _order(player: ChoosesMoves, battle: Battle) -> BattleOrder:
    order = player.choose_move(battle)
    found: BattleOrder = asyncio.run(_awaited(order)) if inspect.isawaitable(order) else order
    return found


async def _awaited(order: Any) -> Any:
    return await order
