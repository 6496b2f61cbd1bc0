"""One game in both engines, ours on NumPy: slow, without a compiler, and able to stop at the first difference."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from tcgjax import observation
from tcgjax.decks import Deck
from tcgjax.host import HostGame
from tcgjax.verification import canonical, observed


def differences(ours: HostGame, theirs: Any, reference: Any) -> list[str]:
    """What does not agree, in words: the whole state, and what both players see."""
    found = canonical.differences(
        canonical.of_engine(ours.state, ours.cards), np.array(canonical.of_reference(theirs), np.int32)
    )
    for player in (0, 1):
        seen = observation.observe(ours.state, player, ours.cards)
        found += observed.differences(seen, observed.of_reference(reference, theirs, player), player)
    return found


def play(
    decks: list[Deck], seed: int, reference: Any, two: tuple[int, int] | None = None, most: int = 1000
) -> tuple[int, list[str]]:
    """Play random legal actions in both engines until the game is over or they differ.

    Args:
        decks: the pool.
        seed: of the game and of the actions.
        reference: the module ``tcg_engine``, which this package does not install.
        two: numbers of the players' decks; drawn from the seed when None.
        most: decisions.

    Returns:
        Decisions taken, and the first differences.
    """
    ours, choices = HostGame(decks, seed, two), random.Random(seed)
    first, second = (reference.Deck(decks[int(i)].cards, decks[int(i)].energy) for i in ours.state.deck)
    theirs = reference.new_game(first, second, seed)
    for decision in range(most):
        found = differences(ours, theirs, reference)
        if found or theirs.winner >= 0:
            return decision, found
        action = choices.choice(theirs.choice.options)
        reference.step(theirs, action)
        ours.step(action)
    return most, differences(ours, theirs, reference)
