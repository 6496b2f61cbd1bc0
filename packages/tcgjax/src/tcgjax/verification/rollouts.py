"""Whole games in both engines, this one compiled and in batches: the whole state is compared at every decision.

In place ``i`` of a batch one game follows the other.  A step of the batch and the reference's steps for the same
actions run beside one another, so a comparison costs what the slower of the two takes.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import numpy as np

from rlenv_shared import counter_rng
from rlenv_shared.verification import locate
from rlenv_shared.verification.verify import Findings
from tcgjax.decks import Deck, pool
from tcgjax.verification.compiled import ANSWER, BATCH, DEAL, LOOK, Batch, Form, differences

MOST: Final = 2000
"""Decisions of one game, far more than any takes."""


@dataclasses.dataclass
class Outcome:
    """What playing games found.

    Attributes:
        games: begun.
        decisions: compared, the first of each game included.
        longest: decisions of the longest game.
        differences: the first ones of each game that differs, by its number.
    """

    games: int = 0
    decisions: int = 0
    longest: int = 0
    differences: dict[int, list[str]] = dataclasses.field(default_factory=dict)


class Place:
    """One place of a batch: the game that is played there in the reference."""

    def __init__(self, reference: Any, policy: Callable[..., int], decks: list[Deck]) -> None:
        self.reference, self.policy, self.decks = reference, policy, decks
        self.number, self.decision = -1, 0
        self.game: Any = None

    def deal(self, number: int, two: tuple[int, int]) -> None:
        """Begin a game."""
        first, second = (self.reference.Deck(self.decks[n].cards, self.decks[n].energy) for n in two)
        self.number, self.decision, self.choices = number, 0, random.Random(number)
        self.game = self.reference.new_game(first, second, number)

    @property
    def over(self) -> bool:
        """Whether there is nothing more to do."""
        return self.game is None or self.game.winner >= 0 or self.decision >= MOST

    def choose(self) -> int:
        """The action of the policy."""
        return self.policy(self.game, self.choices)

    def step(self, action: int) -> None:
        """Carry it out."""
        self.reference.step(self.game, action)
        self.game.log.clear()
        self.decision += 1


def numbered(decks: int, games: int, first: int) -> Iterator[tuple[int, tuple[int, int]]]:
    """Seeds of games and their decks: all pairs in turn."""
    for number in range(first, first + games):
        yield number, (number // decks % decks, number % decks)


def play(
    decks: list[Deck], games: int, first: int, policy: Callable[..., int], reference: Any, form: Form = "xla"
) -> Outcome:
    """Play games in both engines.

    Args:
        decks: the pool; game ``n`` has seed ``n`` and the decks ``n // len(decks)`` and ``n``, modulo their number.
        games: how many.
        first: the first seed, below 2**32.
        policy: a player of the reference.
        reference: the module ``tcg_engine``, which this package does not install.
        form: of the program that plays ours.
    """
    batch, outcome = Batch(decks, form=form), Outcome()
    waiting = numbered(len(decks), games, first)
    places = [Place(reference, policy, decks) for _ in range(BATCH)]
    while True:
        what, actions = np.full((BATCH,), LOOK, np.int32), np.zeros((BATCH,), np.int32)
        keys, two = np.zeros((2, BATCH), np.uint32), np.zeros((BATCH, 2), np.int32)
        dealt: dict[int, int] = {}
        for i, place in enumerate(places):
            if not place.over:
                what[i], actions[i] = ANSWER, place.choose()
            elif (following := next(waiting, None)) is not None:
                dealt[i], chosen = following
                what[i], two[i] = DEAL, chosen
                keys[:, i] = counter_rng.from_words(np.uint32(dealt[i]), np.uint32(0))[:2]
        if (what == LOOK).all():
            return outcome
        batch.begin(what, actions, keys, two)
        for i, place in enumerate(places):  # while the batch runs
            if what[i] == ANSWER:
                place.step(int(actions[i]))
            elif what[i] == DEAL:
                place.deal(dealt[i], (int(two[i, 0]), int(two[i, 1])))
                outcome.games += 1
        numbers, views, overflow = batch.finish()
        for i in np.flatnonzero(what != LOOK).tolist():
            place = places[i]
            outcome.decisions += 1
            outcome.longest = max(outcome.longest, place.decision)
            found = differences(numbers, views, i, place.game, reference) + ["overflow"] * bool(overflow[i])
            if found:
                outcome.differences[place.number] = [f"decision {place.decision}", *found[:12]]
                place.game = None


def compare_games(games: Mapping[str, int], seed: int, form: Form = "xla") -> Findings:
    """Games of all pairs of the pool's decks, by policy.

    Args:
        games: how many, by the reference's name of the policy.
        seed: of the first game.
        form: of the program that plays ours.
    """
    reference = locate.reference("tcg_engine")
    policies = reference.part("players").POLICIES
    found, decks = Findings(), [deck for _, deck in sorted(pool().items())]
    for policy, count in games.items():
        outcome = play(decks, count, seed, policies[policy], reference.engine(), form)
        first = next(iter(sorted(outcome.differences.items())), None)
        found.comparisons[policy] = {
            "games": outcome.games,
            "steps": outcome.decisions,
            "mismatches": len(outcome.differences),
            "longest": outcome.longest,
            "first": f"game {first[0]}: {'; '.join(first[1])}" if first else "",
        }
        print(f"{policy}: {found.comparisons[policy]}", flush=True)
    return found
