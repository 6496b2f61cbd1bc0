"""A process in which the reference runs: ``python -m env_recipe.reference_process ADAPTER check|rollouts|record …``."""

from __future__ import annotations

import pkgutil
import sys
from typing import Any

import numpy as np

from env_recipe.recording import record
from env_recipe.reference import SEEDS, STEPS, actions_of, first_difference, rollout
from rlenv_shared import files
from rlenv_shared.command_line import guarded
from rlenv_shared.errors import InvalidParamsError


def _check(adapter: Any, count: int) -> dict[str, Any]:
    steps, fields = 0, []
    for seed in SEEDS:
        actions = actions_of(seed, STEPS, count)
        pairs = zip(rollout(adapter, seed, actions), rollout(adapter, seed, actions), strict=True)
        for step, (one, two) in enumerate(pairs):
            steps, fields = steps + 1, sorted(one)
            if found := first_difference(one, two):
                where = {"seed": seed, "step": step, "field": found[0], "first": found[1], "second": found[2]}
                return {"steps": steps, "fields": fields, "differs": where}
    return {"steps": steps, "fields": fields, "differs": None}


def _rollouts(adapter: Any, count: int, episodes: int, steps: int) -> dict[str, Any]:
    """Digest and a few values of every step of some rollouts, to compare two versions."""
    found = []
    for seed in range(episodes):
        rows = list(rollout(adapter, seed, actions_of(seed, steps, count)))
        found.append(
            [{name: np.asarray(value).reshape(-1)[:8].tolist() for name, value in row.items()} for row in rows]
        )
    return {"rollouts": found}


def main(arguments: list[str]) -> int:
    """``ADAPTER check ACTIONS`` or ``ADAPTER rollouts ACTIONS EPISODES STEPS``; prints one line of JSON."""
    match arguments:
        case [entry, "check", count]:
            answer = _check(pkgutil.resolve_name(entry), int(count))
        case [entry, "rollouts", count, episodes, steps]:
            answer = _rollouts(pkgutil.resolve_name(entry), int(count), int(episodes), int(steps))
        case [entry, "record", module, *rest]:
            answer = record(pkgutil.resolve_name(entry), module, rest)
        case _:
            raise InvalidParamsError("arguments", arguments, main.__doc__ or "", "see the module's docstring")
    print(files.to_json("answer", answer).decode())
    return 0


if __name__ == "__main__":
    sys.exit(guarded(lambda: main(sys.argv[1:])))
