"""Speed of random legal play here, by XLA and emitted, and in one process of the Python reference."""

from __future__ import annotations

import random
from typing import Any, Final

from rlenv_bench.workloads import HostWorkload, Workload, jax_rollout
from rlenv_emit import emit_env, processor
from rlenv_emit.speed import emitted_play
from rlenv_shared.verification import locate
from tcgjax.decks import pool
from tcgjax.env import Tcg

REFERENCE: Final = "tcg_engine, one process"
UNSEEN_REFERENCE: Final = "tcg_engine without observations, one process"
EMITTED: Final = "tcgjax, emitted, one core"
UNSEEN_EMITTED: Final = "tcgjax without observations, emitted, one core"
BY_XLA: Final = "tcgjax without observations, instructions carried out by XLA"
STEPS: Final = 8  # of each game per call
STEPS_BY_XLA: Final = 4
"""The same by XLA; each is one pass, of which a decision needs two or three."""
BEFORE: Final = 250
"""Passes before those that XLA plays."""


class ReferencePlay:
    """Games of the reference: a legal action is drawn and taken, then, if so chosen, the player asked next observes."""

    def __init__(self, batch: int, observe: bool = True) -> None:
        self.batch, self.observe = batch, observe
        self.engine = locate.reference("tcg_engine").engine()
        self.decks = [self.engine.Deck(deck.cards, deck.energy) for _, deck in sorted(pool().items())]

    def reset(self) -> None:
        """The first games."""
        self.generator, self.seed, self.total = random.Random(0), 0, 0.0
        self.games = [self.deal() for _ in range(self.batch)]

    def deal(self) -> Any:
        """A new game of two random decks."""
        self.seed += 1
        return self.engine.new_game(self.generator.choice(self.decks), self.generator.choice(self.decks), self.seed)

    def advance(self, steps: int) -> None:
        """Take that many decisions in every game."""
        for _ in range(steps):
            for i, game in enumerate(self.games):
                self.engine.step(game, self.generator.choice(game.choice.options))
                game.log.clear()
                if game.winner >= 0:
                    self.games[i] = game = self.deal()
                if self.observe:
                    view = self.engine.observation(game, game.choice.actor)
                    self.total += len(view["options"]) + view["turn"]
                else:
                    self.total += len(game.choice.options) + game.turn


def _reference(name: str, observe: bool) -> HostWorkload:
    """The reference at 16 games: it plays as many beside one another as it likes."""
    play = ReferencePlay(16, observe)
    settings = {"policy": "random_legal", "reset_mode": "same_step", "outputs": "summed", "observe": observe}
    return HostWorkload(name, 16, STEPS, play.reset, play.advance, lambda: play.total, settings=settings)


def workloads(batch: int) -> list[Workload]:
    """With observations: ours of both players and the reference's of who is asked."""
    return [
        jax_rollout(emit_env(Tcg(), threads=1), None, batch, STEPS, name=EMITTED),
        _reference(REFERENCE, observe=True),
    ]


def unseen(batch: int) -> list[Workload]:
    """Nobody observes, in either."""
    return [
        emitted_play(Tcg(), batch, STEPS, threads=1, name=UNSEEN_EMITTED),
        _reference(UNSEEN_REFERENCE, observe=False),
    ]


def by_xla(batch: int) -> list[Workload]:
    """XLA's form, single passes, and the reference; nobody observes."""
    return [
        emitted_play(
            Tcg(micro_steps=1),
            batch,
            STEPS_BY_XLA,
            threads=1,
            name=BY_XLA,
            processor=processor.BY_XLA.name,
            before=BEFORE,
        ),
        _reference(UNSEEN_REFERENCE, observe=False),
    ]
