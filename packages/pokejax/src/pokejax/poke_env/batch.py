"""Battles of pokejax that poke-env's players play: states, and a `FilledBattle` for each seat."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray
from poke_env.battle import Battle

from pokejax.engine import ENGINE
from pokejax.env import RandomBattle
from pokejax.poke_env.facts import Constants, Facts, facts
from pokejax.poke_env.filled import FilledBattle
from pokejax.rules.flow.queue import PASS
from pokejax.showdown.documents import FORMAT
from pokejax.tables import Params
from rlenv_shared import backends, compiling
from rlenv_shared.errors import InvalidParamsError

BACKENDS: Final = ("bytecode", "emit")
"""How steps are carried out, as `pokejax.make` names it: without a C++ compiler, or natively."""
SEATS: Final = (0, 1)


class Batch:
    """Battles that go on at the same time, each with two `FilledBattle`s.

    Args:
        size: how many.
        seed: of teams and battles.
        backend: one of `BACKENDS`.
        params: tables and the pool of teams; the default ones when None.
        usernames: of two players, in the order of the seats.
        takes_turns: whether every second battle has them the other way round.

    Attributes:
        size: how many battles.
        seats: the two `FilledBattle`s of each battle.
        swapped: whether the second player has the first seat, of each battle.

    Raises:
        InvalidParamsError: no battle, or no such backend.
    """

    def __init__(
        self, size: int, seed: int, backend: str = "bytecode", params: Params | None = None,
        usernames: Sequence[str] = ("player 1", "player 2"), takes_turns: bool = False,
    ) -> None:  # fmt: skip
        if size < 1:
            raise InvalidParamsError("battles at once", size, "an integer >= 1", "ask for one")
        if backend not in BACKENDS:
            raise InvalidParamsError("backend", repr(backend), f"one of {BACKENDS}", "choose one")
        params = RandomBattle().default_params if params is None else params
        self._constants, self._usernames, self._takes_turns = Constants.of(params), tuple(usernames), takes_turns
        self._params = jax.device_put(params)
        self._programs, self._rng = _programs(backend), np.random.default_rng(seed)
        self.size, self._number = size, 0
        self._words = self._programs[0](self._seeds(), self._params)
        self.seats: list[tuple[FilledBattle, FilledBattle]] = []
        self.swapped: list[bool] = []
        for _ in range(size):
            self._seat_players(len(self.seats))
        self._known: Facts | None = None
        self.step(np.full((size, 2), PASS, np.int32))

    @property
    def known(self) -> Facts:
        """What is known in the present states."""
        assert self._known is not None
        return self._known

    def battle(self, n: int, seat: int) -> Battle:
        """poke-env's battle of one seat, up to date."""
        filled = self.seats[n][seat]
        filled.fill(self.known, n)
        return filled.battle

    def is_asked(self, n: int, seat: int) -> bool:
        """Whether the player in a seat is to choose."""
        return not self.known.legal[n, seat, PASS]

    def step(self, actions: NDArray[np.int32]) -> list[int]:
        """Take both players' actions, int32 ``[battles, 2]``; the battles that have ended with it."""
        _, step, look = self._programs
        self._words = step(self._words, actions, self._params)
        self._known = facts(self._words, self._params, *look(self._words, self._params))
        return [n for n, over in enumerate(self.known.columns["over"]) if over]

    def winner(self, n: int) -> int:
        """0, 1 or `state.NOBODY`, of a battle that is over."""
        return self.known.columns["winner"][n]

    def finish(self, n: int, winner: int | None = None) -> None:
        """Both battles of poke-env have ended; ``winner`` where a player has given up."""
        for seat in SEATS:
            self.battle(n, seat)
            self.seats[n][seat].finish(self.winner(n) if winner is None else winner)

    def reseed(self, seed: int) -> None:
        """Everything that is drawn from the next `restart` on."""
        self._rng = np.random.default_rng(seed)

    def restart(self, which: Sequence[int]) -> None:
        """Other battles in place of some; the next step brings their leads in, and nobody is asked for it."""
        done = np.zeros(self.size, np.bool_)
        done[list(which)] = True
        begun = self._programs[0](self._seeds(), self._params)
        self._words = tuple(jnp.where(done, new, old) for new, old in zip(begun, self._words, strict=True))
        for n in which:
            self._seat_players(n)
            self.known.legal[n] = np.arange(self.known.legal.shape[-1]) == PASS

    def _seeds(self) -> tuple[Any, Any]:
        return tuple(self._rng.integers(0, 2**32, (2, self.size), np.uint32))

    def _seat_players(self, n: int) -> None:
        """Two new battles of poke-env for the next battle, which is number ``n`` of the batch."""
        swapped = self._takes_turns and bool(self._number % 2)
        self._number += 1
        tag, names = f"battle-{FORMAT}-{self._number}", self._usernames[::-1] if swapped else self._usernames
        first, second = (FilledBattle(tag, seat, names, self._constants) for seat in SEATS)
        self.seats[n:] = [(first, second), *self.seats[n + 1 :]]
        self.swapped[n:] = [swapped, *self.swapped[n + 1 :]]


@functools.cache
def _programs(backend: str) -> tuple[Any, Any, Any]:
    """What begins battles, takes a step, and looks: both players' observations and masks."""
    battle = RandomBattle()
    run = backends.environment(battle, backend)

    def step(words: Any, actions: Any, params: Any) -> Any:
        return run.transition(words, actions, params)[0]

    def look(words: Any, params: Any) -> tuple[Any, Any]:
        seen = [run.observe(words, player, params) for player in SEATS]
        return jax.tree.map(lambda *leaves: jnp.stack(leaves), *seen), run.legal_actions(words, params)

    def compiled(function: Any, of: Any, *axes: int) -> Any:
        return compiling.jit(jax.vmap(function, (*axes, None)), of)

    return compiled(battle.init, ENGINE, 0), compiled(step, run, 0, 0), compiled(look, run, 0)
