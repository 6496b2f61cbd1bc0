"""The built-in discriminator, for runs without an agent for it: other seeds, and sequences of actions with a structure.

With a declaration (`rlenv_shared.verification.declaration`) the reference plays the sequences, and the target's own
replays compare.  Without one the tests of L3 run again from seeds that nobody has used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from env_recipe.levels import Outcome, Outcomes

if TYPE_CHECKING:
    from env_recipe.run import Run

FIRST_SEED: Final = 7_000_003
SEEDS: Final = 2  # of L3, in one round


def search(run: Run, round_number: int) -> Outcomes:
    """One round; failures are differences that no test has shown yet."""
    found: list[Outcome] = []
    seconds = 0.0
    for i in range(SEEDS):
        seed = FIRST_SEED + SEEDS * round_number + i
        outcomes = run.tests(run.state.tree, [("l3", run.manifest.l3.tests)], seed=seed)
        seconds += outcomes.seconds
        found += [Outcome(f"{o.test} (seed {seed})", o.status, o.message) for o in outcomes.tests]
    if run.manifest.target.declaration is not None:
        outcomes = replayed(run, round_number)
        seconds += outcomes.seconds
        found += outcomes.tests
    return Outcomes(tuple(found), seconds)


def sequences(actions: int, episodes: int, steps: int, seed: int) -> np.ndarray:
    """Actions with a structure, int32 [steps, episodes]: constant, alternating, in runs, in bursts, and random ones.

    Random play alone hardly ever pushes one way for long; a bound is met by who does.
    """
    generator = np.random.default_rng(seed)
    columns = []
    for episode in range(episodes):
        kind = episode % 5
        a, b = generator.integers(0, actions, 2)
        if kind == 0:
            column = np.full(steps, episode // 5 % actions)
        elif kind == 1:
            period = int(generator.integers(1, 9))
            column = np.where(np.arange(steps) // period % 2, a, b)
        elif kind == 2:
            lengths = generator.geometric(1 / 12, steps)
            column = np.repeat(generator.integers(0, actions, steps), lengths)[:steps]
        elif kind == 3:
            column = np.where(generator.random(steps) < 0.9, a, generator.integers(0, actions, steps))
        else:
            column = generator.integers(0, actions, steps)
        columns.append(column)
    return np.stack(columns, axis=1).astype(np.int32)


def replayed(run: Run, round_number: int) -> Outcomes:
    """The reference plays `sequences`, and each declared replay compares."""
    import json
    import sys

    from env_recipe import levels, process

    manifest = run.manifest
    settings = manifest.discriminator
    checkout = run.checkout(run.state.tree)
    env = levels.variables(manifest, checkout, manifest.l3)
    command = [sys.executable, "-m", "env_recipe.replaying", str(manifest.target.declaration)]
    command += [str(manifest.reference.adapter), str(manifest.reference.actions), str(settings.episodes)]
    command += [str(settings.steps), str(FIRST_SEED + round_number)]
    ended = process.run(
        command, cwd=checkout, env=env, timeout_s=manifest.l3.timeout_s, output_bytes=50_000_000, scratch=run.scratch
    )
    if not ended.ok:
        said = ended.err.decode(errors="replace")[-2000:]
        return Outcomes((Outcome("built-in discriminator", "error", f"{ended.how}\n{said}"),), ended.seconds)
    found = json.loads(ended.out.decode().splitlines()[-1])
    return Outcomes(tuple(Outcome(**outcome) for outcome in found), ended.seconds)
