"""Elo ratings of a league: ``python -m pokejax.verification.ratings RUN --strength FILE --out FILE``.

``RUN`` is the directory of `pokejax.verification.league`.  Every policy that was kept there plays every other one and
every opponent on the device; what the opponents do against one another is read from `strength`'s file.  Policies draw
their actions.  Half of the battles of a pair are played in either seat.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from pokejax import policies
from pokejax.learning.versus import LearnersBattle
from pokejax.opponents import PLAYERS
from pokejax.verification.learned import against
from rlenv_emit import emit_env
from rlenv_learn import Policy, checkpoint
from rlenv_learn.config import PPOConfig
from rlenv_learn.league import elo, play_match, scores
from rlenv_learn.train import SNAPSHOT_FILE
from rlenv_shared import files, machine
from rlenv_shared.errors import InvalidParamsError

BATTLES: Final = 1000  # of each pair
SEED: Final = 30_000_000


def kept(run: Path) -> dict[str, Policy]:
    """The policies of a league, by their updates.  Raises InvalidParamsError: there is none."""
    paths = sorted(run.glob(SNAPSHOT_FILE.format("*")), key=lambda path: int(path.stem.rpartition("-")[2]))
    if not paths:
        expected, remedy = SNAPSHOT_FILE.format("*"), "train with python -m pokejax.verification.league --run-dir"
        raise InvalidParamsError("run", f"no policy in {run}", expected, remedy)
    return {path.stem.rpartition("-")[2]: Policy.load(path) for path in paths}


def _config(run: Path) -> PPOConfig:
    """Of a league's newest checkpoint.  Raises InvalidParamsError: there is none."""
    newest = checkpoint.latest(run)
    if newest is None:
        raise InvalidParamsError("run", f"no checkpoint in {run}", "the directory of a league", "correct the path")
    return checkpoint.load_checkpoint(newest).config


def among_opponents(strength: Mapping[str, Any]) -> dict[tuple[str, str], float]:
    """Points of the first of two opponents, from `strength`'s file.  Raises InvalidParamsError: a pair is missing."""
    found = {(row["player"], row["against"]): row["points"] for row in strength["pairs"]}
    missing = [
        (one, other) for one in PLAYERS for other in PLAYERS
        if one != other and not {(one, other), (other, one)} & set(found)
    ]  # fmt: skip
    if missing:
        remedy = "run python -m pokejax.verification.strength again"
        raise InvalidParamsError("strength", f"no battles of {missing[0]}", "every pair of opponents", remedy)
    return found


def table(trained: Mapping[str, Policy], strength: Mapping[str, Any], battles: int = BATTLES) -> tuple[list[str], Any]:
    """Names, and mean points of each against each, float64 ``[N, N]``."""
    names, known = [*trained, *PLAYERS], among_opponents(strength)
    game, found = emit_env(LearnersBattle()), np.full((len(names), len(names)), 0.5)

    def note(one: str, other: str, points: float) -> None:
        i, j = names.index(one), names.index(other)
        found[i, j], found[j, i] = points, 1 - points
        print(f"{one} against {other}: {points:.3f}", flush=True)

    for number, (name, policy) in enumerate(trained.items()):
        for other in list(trained)[:number]:
            played = play_match(policy, trained[other], game, games=battles, seed=SEED + number)
            note(name, other, float(scores(played.returns).mean()))
        for other in PLAYERS:
            note(name, other, against(policy, other, battles, SEED + number, draws=True)["points"])
    for (one, other), points in known.items():
        note(one, other, points)
    return names, found


def main(argv: Sequence[str] | None = None) -> int:
    """Rate, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="directory of the league")
    parser.add_argument("--begun-with", default="", help="the policy it began with, which is rated, too")
    parser.add_argument("--strength", type=Path, required=True, help="file of pokejax.verification.strength")
    parser.add_argument("--battles", type=int, default=BATTLES, help="of each pair (default: %(default)s)")
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    given = parser.parse_args(argv)
    first = {"0": policies.load(given.begun_with)} if given.begun_with else {}
    names, found = table({**first, **kept(given.run)}, files.read_json(given.strength), given.battles)
    ratings = elo(found, given.battles)
    rows = [
        {"player": name, "elo": round(float(rating), 1), "points": dict(zip(names, row.round(4).tolist(), strict=True))}
        for name, rating, row in zip(names, ratings, found, strict=True)
    ]
    config = _config(given.run)
    head = {"machine": machine.describe(), **machine.git_state(Path(__file__).parent)}
    about = {
        "battles": given.battles,
        "seed": SEED,
        "steps of an update": config.batch_size,
        "config": config.to_dict(),
    }
    files.write_json(given.out, {**head, **about, "players": rows})
    for row in rows:
        print(f"{row['player']:>18} {row['elo']:8.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
