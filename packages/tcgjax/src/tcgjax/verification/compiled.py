"""The engine compiled for comparisons: one program deals games, answers questions and looks at given positions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, Literal

import jax
import numpy as np

from rlenv_emit.emit import emit_lazily
from rlenv_emit.processor import BYTECODE
from rlenv_shared import compiling
from tcgjax import engine, observation
from tcgjax.arrays import merged
from tcgjax.codec import CODEC
from tcgjax.decks import Deck, tables_of
from tcgjax.env import Tcg
from tcgjax.tables import Cards, Tables
from tcgjax.verification import canonical, observed

BATCH: Final = 112
POOL: Final = 2 * BATCH
"""Decks of the tables, whatever is played: so one program serves all comparisons."""
Form = Literal["xla", "emitted", "instructions"]
ANSWER, DEAL, LOOK = range(3)
"""What is done in a place: the question is answered; a game is dealt; a position that was put there is looked at."""


def one_place(words: Any, what: Any, action: Any, keys: Any, two: Any, tables: Any) -> tuple[Any, Any, list[Any], Any]:
    """One place: its packed game, the numbers that are compared, what both players see, and whether it overflowed."""
    cards = Cards(tables)
    there = CODEC.unpack(words)
    answered, _ = engine.answer(there.copy(), action)
    game = merged(what == DEAL, engine.fresh(keys, two), merged(what == ANSWER, answered, there))
    game = engine.advance(game, cards)
    views = [observation.observe(game, np.int32(player), cards) for player in (0, 1)]
    return CODEC.pack(game), canonical.of_engine(game, cards), views, game.overflow


@functools.cache
def program(form: Form) -> Callable[..., Any]:
    """Compiled ``(words, what, actions, keys, decks of both, tables) -> `one_place`'s results`` of a batch."""
    axes = (0, 0, 0, 0, 0, None)
    if form == "xla":
        return compiling.jit(jax.vmap(one_place, axes), Tcg)
    processor = BYTECODE.name if form == "instructions" else None
    return jax.jit(jax.vmap(emit_lazily(one_place, processor), axes))


def tables_with(decks: list[Deck]) -> Tables:
    """The tables on the device, with these decks and as many more as `program` expects."""
    return jax.device_put(tables_of([*decks, *[decks[0]] * (POOL - len(decks))]))


class Batch:
    """The games of all places, as `program` goes on with them.

    Args:
        decks: the pool.
        words: packed games of all places; empty ones when None.
        form: of the program.
    """

    def __init__(self, decks: list[Deck], words: tuple[Any, ...] | None = None, form: Form = "xla") -> None:
        self.form: Form = form
        self.tables = tables_with(decks)
        self.words = words or tuple(np.zeros((BATCH,), np.uint32) for _ in range(CODEC.words))
        self._results: Any = None

    def begin(self, what: np.ndarray, actions: np.ndarray, keys: np.ndarray, two: np.ndarray) -> None:
        """Start a step of all places; the arguments are those of `program`, ``keys`` uint32 [2, batch]."""
        self.words, *self._results = program(self.form)(self.words, what, actions, (keys[0], keys[1]), two, self.tables)

    def finish(self) -> tuple[np.ndarray, list[dict[str, np.ndarray]], np.ndarray]:
        """Wait; the numbers of all places, what both players see, and whether a place overflowed."""
        numbers, views, overflow = jax.device_get(self._results)
        return numbers, views, overflow


def differences(
    numbers: np.ndarray, views: list[dict[str, np.ndarray]], place: int, theirs: Any, reference: Any
) -> list[str]:
    """What does not agree in one place: the whole state, and what both players see."""
    other, found = np.array(canonical.of_reference(theirs), np.int32), []
    if not np.array_equal(numbers[place], other):
        found += canonical.differences(numbers[place], other)
    for player, view in enumerate(views):
        mine = {name: leaf[place] for name, leaf in view.items()}
        seen = observed.of_reference(reference, theirs, player)
        if any(not np.array_equal(mine[name], values) for name, values in seen.items()):
            found += observed.differences(mine, seen, player)
    return found
