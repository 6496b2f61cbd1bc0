"""How strong trained policies are against the opponents on the device.

``python -m pokejax.verification.learned RUNS --out results/learned.json`` reads ``RUNS/*/policy.npz``, as
``pokejax train --run-dir`` leaves them.  A policy takes its most probable action; battles are new ones, of teams from
the pool, half of them on either seat in the mean.
"""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from pokejax.learning.versus import Versus
from pokejax.opponents import PLAYERS
from rlenv_emit import emit_env
from rlenv_learn import Policy, evaluate
from rlenv_shared import files, machine
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.intervals import counted

BATTLES: Final = 2000  # of each policy against each opponent
SEED: Final = 8_000_000


def policies(runs: Path) -> dict[str, Policy]:
    """The policies of a folder of run directories, by their names.  Raises InvalidParamsError: there is none."""
    paths = sorted(runs.glob("*/policy.npz"))
    if not paths:
        raise InvalidParamsError("runs", f"no policy in {runs}", "*/policy.npz", "train with --run-dir")
    return {path.parent.name: Policy.load(path) for path in paths}


def against(policy: Policy, opponent: str, battles: int, seed: int, draws: bool = False) -> dict[str, Any]:
    """Wins, ties and losses against an opponent, and the share of the points with its 95 % interval.

    The policy takes its most probable action, or ``draws`` them.
    """
    env = _everybody()
    shares = np.array([name == opponent for name in PLAYERS], np.float32)
    params = env.default_params.replace(shares=shares)
    returns = evaluate(policy, env, params, episodes=battles, seed=seed, deterministic=not draws).returns
    return counted(returns)


@functools.cache
def _everybody() -> Any:
    """The seat against any opponent: one program for all."""
    return emit_env(Versus(tuple(PLAYERS)))


def measured(trained: Mapping[str, Policy], battles: int = BATTLES, seed: int = SEED) -> list[dict[str, Any]]:
    """Every policy against every opponent."""
    rows = []
    for number, (name, policy) in enumerate(trained.items()):
        row: dict[str, Any] = {opponent: against(policy, opponent, battles, seed + number) for opponent in PLAYERS}
        print(f"{name}: { {opponent: found['points'] for opponent, found in row.items()} }", flush=True)
        rows.append({"policy": name, **row})
    return rows


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path, help="folder of run directories")
    parser.add_argument("--battles", type=int, default=BATTLES, help="against each opponent (default: %(default)s)")
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    given = parser.parse_args(argv)
    rows = measured(policies(given.runs), given.battles)
    means = {name: float(np.mean([row[name]["points"] for row in rows])) for name in PLAYERS}
    head = {"machine": machine.describe(), **machine.git_state(Path(__file__).parent)}
    files.write_json(
        given.out, {**head, "battles": given.battles, "seed": SEED, "mean points": means, "policies": rows}
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
