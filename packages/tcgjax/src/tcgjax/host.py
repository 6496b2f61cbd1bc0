"""The rules on NumPy arrays, one game at a time: no compiler, real branches; for tests and for looking at a game."""

from __future__ import annotations

import numpy as np

from rlenv_shared import counter_rng
from tcgjax import engine
from tcgjax.arrays import Record
from tcgjax.codec import CODEC
from tcgjax.decks import Deck, tables_of
from tcgjax.questions import as_mask
from tcgjax.tables import Cards


class HostGame:
    """A game that is played on the host.

    Args:
        decks: the pool.
        seed: below 2**32.
        two: numbers of the players' decks; drawn from the seed when None.
    """

    def __init__(self, decks: list[Deck], seed: int, two: tuple[int, int] | None = None) -> None:
        self.cards = Cards(tables_of(decks))
        key0, key1, _ = counter_rng.from_words(np.uint32(seed), np.uint32(0))
        with np.errstate(over="ignore"):
            chosen = engine.pair((key0, key1), self.cards) if two is None else np.array(two, np.int32)
            self.state: Record = engine.advance(engine.fresh((key0, key1), chosen), self.cards)

    @property
    def options(self) -> list[int]:
        """The legal actions, ascending; none when the game is over."""
        return [] if self.state.winner >= 0 else np.flatnonzero(as_mask(self.state.legal)).tolist()

    def step(self, action: int) -> bool:
        """Answer the question, through the packed words as between any two steps; whether the action was illegal."""
        with np.errstate(over="ignore"):
            game, illegal = engine.answer(CODEC.unpack(CODEC.pack(self.state)), np.int32(action))
            self.state = engine.advance(game, self.cards)
        return bool(illegal)
