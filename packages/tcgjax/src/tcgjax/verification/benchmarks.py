"""Speed of random legal play here, by XLA and emitted, and in one process of the Python reference."""

from __future__ import annotations

import random
from typing import Any, Final

from rlenv_bench.workloads import HostWorkload, Workload, jax_rollout
from rlenv_emit import emit_env
from rlenv_shared.verification import locate
from tcgjax.decks import pool
from tcgjax.env import Tcg

REFERENCE: Final = "tcg_engine, one process"
EMITTED: Final = "tcgjax, emitted, one core"
STEPS: Final = 8  # of each game per call


class ReferencePlay:
    """Games of the reference: a legal action is drawn and taken, then the player asked next observes."""

    def __init__(self, batch: int) -> None:
        self.batch = batch
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
                view = self.engine.observation(game, game.choice.actor)
                self.total += len(view["options"]) + view["turn"]


def workloads(batch: int) -> list[Workload]:
    """All at this batch; the reference plays as many games beside one another as it likes, so it plays 16."""
    play, settings = ReferencePlay(16), {"policy": "random_legal", "reset_mode": "same_step", "outputs": "summed"}
    host = HostWorkload(REFERENCE, 16, STEPS, play.reset, play.advance, lambda: play.total, settings=settings)
    emitted = jax_rollout(emit_env(Tcg(), threads=1), None, batch, STEPS, name=EMITTED)
    return [jax_rollout(Tcg(), None, batch, STEPS, name="tcgjax"), emitted, host]
