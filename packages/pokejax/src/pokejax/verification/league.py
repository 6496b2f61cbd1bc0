"""Self-play against a league: ``python -m pokejax.verification.league --run-dir RUN --begin-with learned``.

The learner meets itself, its earlier selves and players by rule, each in as many battles.  Policies on the way are kept
in the run directory; `pokejax.verification.ratings` rates them.
"""

from __future__ import annotations

import dataclasses
import sys
from typing import Final

from pokejax import policies
from pokejax.learning.versus import LearnersBattle
from pokejax.opponents import OPPONENTS
from pokejax.verification import DECLARATION
from rlenv_emit import emit_env
from rlenv_learn import Policy, PPOConfig, SelfPlayConfig, cli, train

SCRIPTS: Final = ("heuristics", "heuristics-meant")
"""Players by rule in the league."""


@dataclasses.dataclass(frozen=True)
class LeagueOptions(cli.TrainOptions):
    """What a league can be told."""

    begin_with: str = ""
    """A policy: "learned", which ships, or a file; a new one when left out."""
    pool: int = 2
    """Policies at a time: itself, and earlier ones."""
    renewed_every: int = 200
    """Updates until the oldest of the earlier ones is replaced."""
    kept: int = 8
    """Policies that are kept on the way, the last one included."""


def learn(options: LeagueOptions) -> Policy:
    """Train."""
    selfplay = SelfPlayConfig(
        pool_size=options.pool,
        snapshot_every=options.renewed_every,
        scripts=tuple(OPPONENTS[name] for name in SCRIPTS),
    )
    first = policies.load(options.begin_with) if options.begin_with else None
    game = emit_env(LearnersBattle())
    run = options.run()
    run["snapshots"] = options.kept
    return train(game, options.ppo, selfplay=selfplay, begin_with=first, **run).policy


if __name__ == "__main__":
    sys.exit(cli.main(LeagueOptions(PPOConfig(**DECLARATION.hyperparameters["ppo"])), learn, __doc__))
