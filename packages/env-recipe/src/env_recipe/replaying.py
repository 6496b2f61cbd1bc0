"""The reference plays sequences of actions and the target's declared replays compare; a process of its own.

``python -m env_recipe.replaying DECLARATION ADAPTER ACTIONS EPISODES STEPS SEED`` prints one line of JSON, an outcome
for each replay.
"""

from __future__ import annotations

import dataclasses
import pkgutil
import sys
from typing import Any

import numpy as np

from env_recipe.discriminator import sequences
from env_recipe.levels import Outcome
from rlenv_shared import files
from rlenv_shared.command_line import guarded
from rlenv_shared.verification.declaration import Declaration, resolve
from rlenv_shared.verification.trajectory import Trajectory


def recorded(adapter: Any, actions: np.ndarray, seed: int) -> Trajectory:
    """What the reference does under actions [steps, episodes], from its own resets."""
    environment = adapter(actions.shape[1])
    environment.reset(seed=seed)
    first = {name: np.array(value) for name, value in environment.snapshot().items()}
    rows = []
    for row in actions:
        environment.step(row)
        rows.append({"action": row, **{name: np.array(value) for name, value in environment.snapshot().items()}})
    initial = {name: value for name, value in first.items() if name.startswith(("state", "obs"))}
    return Trajectory({name: np.stack([row[name] for row in rows]) for name in rows[0]}, initial, {"seed": seed})


def outcomes(declaration: Declaration, trace: Trajectory) -> list[Outcome]:
    """How each declared replay ends on a trace."""
    found = []
    for replay in declaration.replays:
        differences = resolve(replay.run)(trace, **replay.settings)
        name = f"built-in discriminator: {replay.name}"
        found.append(
            Outcome(name, "passed" if differences.ok else "assertion", "" if differences.ok else str(differences))
        )
    return found


def main(arguments: list[str]) -> int:
    """See the module's docstring."""
    entry, adapter, *numbers = arguments
    count, episodes, steps, seed = map(int, numbers)
    trace = recorded(pkgutil.resolve_name(adapter), sequences(count, episodes, steps, seed), seed)
    found = outcomes(pkgutil.resolve_name(entry), trace)
    print(files.to_json("outcomes", [dataclasses.asdict(outcome) for outcome in found]).decode())
    return 0


if __name__ == "__main__":
    sys.exit(guarded(lambda: main(sys.argv[1:])))
