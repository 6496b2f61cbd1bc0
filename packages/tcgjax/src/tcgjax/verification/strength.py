"""How strong trained policies are, and whether they play the same games in both engines.

``python -m tcgjax.verification.strength RUNS --out results/strength.json`` reads ``RUNS/jax-*/policy.npz``, as the
transfer experiment leaves them in its cache.  Every policy plays the heuristic and random legal play, half of the games
on either seat in the mean, with decks of both sides drawn from the pool; then the same games in both engines.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from rlenv_learn import Policy, evaluate
from rlenv_shared import files, machine
from rlenv_shared.intervals import counted
from tcgjax.verification.duel import Duel, form_here
from tcgjax.verification.same_games import play_both

OPPONENTS: Final = {"heuristic": 1.0, "random": 0.0}
"""Share of the games in which the heuristic is the opponent."""
LEAST: Final = {"heuristic": 0.6, "random": 0.95}
"""Share of the points that the mean of the policies must reach; a tie is half a point."""
GAMES: Final = 1000  # of each policy against each opponent
SAME_GAMES: Final = 32  # of each policy in both engines, with either opponent
SEED: Final = 50_000_000  # of the games, far from those of the transfer experiment


def against(policy: Policy, opponent: str, games: int, seed: int) -> dict[str, Any]:
    """Wins, ties and losses against a script, and the share of the points with its 95 % interval."""
    env = Duel(form=form_here(), heuristic=OPPONENTS[opponent])
    return counted(evaluate(policy, env, episodes=games, seed=seed).returns)


def same(policy: Policy, opponent: str, games: int, seed: int) -> dict[str, Any]:
    """The same games in both engines: how many, how many decisions, and the first differences."""
    found = play_both(policy, Duel(heuristic=OPPONENTS[opponent]), games, seed)
    return {"games": found.games, "decisions": found.decisions, "differences": found.differences[:12]}


def measure(policies: dict[str, Policy], games: int = GAMES, same_games: int = SAME_GAMES) -> dict[str, Any]:
    """Both for every policy, by its name, against every opponent."""
    runs = []
    for number, (name, policy) in enumerate(policies.items()):
        row: dict[str, Any] = {"policy": name}
        for opponent in OPPONENTS:
            row[opponent] = against(policy, opponent, games, SEED + number)
            row[f"same games, {opponent}"] = same(policy, opponent, same_games, SEED + number)
        runs.append(row)
        print(f"{name}: {[row[opponent]['points'] for opponent in OPPONENTS]}", flush=True)
    means = {opponent: float(np.mean([row[opponent]["points"] for row in runs])) for opponent in OPPONENTS}
    return {"games": games, "least": LEAST, "means": means, "runs": runs}


def shortcomings(content: dict[str, Any]) -> list[str]:
    """What the results do not reach: a mean below `LEAST`, or games that differ; from the raw numbers."""
    found = []
    for opponent, least in LEAST.items():
        rows = [run[opponent] for run in content["runs"]]
        points = [(row["wins"] + row["ties"] / 2) / (row["wins"] + row["ties"] + row["losses"]) for row in rows]
        if not points or np.mean(points) < least:
            found.append(f"{np.mean(points):.3f} of the points against {opponent}, below {least}")
        for run in content["runs"]:
            found += [f"{run['policy']}: {text}" for text in run[f"same games, {opponent}"]["differences"]]
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """See the module; 0 if everything is reached."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--games", type=int, default=GAMES)
    parser.add_argument("--same-games", type=int, default=SAME_GAMES)
    given = parser.parse_args(arguments)
    paths = sorted(given.runs.glob("jax-*/policy.npz"), key=lambda path: int(path.parent.name.split("-")[1]))
    if not paths:
        parser.error(f"{given.runs}: got no jax-*/policy.npz, expected the cache of a transfer experiment")
    policies = {path.parent.name: Policy.load(path) for path in paths}
    head = {"machine": machine.describe(), **machine.git_state(Path(__file__).parent)}
    content = {**head, **measure(policies, given.games, given.same_games)}
    files.write_json(given.out, content)
    problems = shortcomings(content)
    print("\n".join(problems) or f"reached: {content['means']}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
