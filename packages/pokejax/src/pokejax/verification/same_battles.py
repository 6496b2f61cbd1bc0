"""Policies play the same battles here and in Showdown: ``python -m pokejax.verification.same_battles RUNS --out FILE``.

``RUNS/*/policy.npz`` are policies of the seat of `host_versus`.  Battle n has the same words on both sides; the policy
takes its most probable action.  At every decision what it observes and may do are compared, at the end the result.
"""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import jax
import numpy as np

from pokejax.engine import ENGINE
from pokejax.verification.battles import Outcome
from pokejax.verification.host_versus import Battles
from pokejax.verification.implementations import base_power_env
from pokejax.verification.learned import policies
from pokejax.verification.observations import first_difference
from rlenv_learn import Policy
from rlenv_shared import compiling, counter_rng, files, machine

BATTLES: Final = 400  # of each policy
SEED: Final = 12_000_000


def compare(policy: Policy, battles: int, seed: int, env: Any = None) -> Outcome:
    """Play, and say what differs; a battle that differs is not followed any further.

    Args:
        policy: who decides in both.
        battles: how many, all at once.
        seed: of the battles.
        env: ours; with native steps where None.
    """
    env = base_power_env() if env is None else env
    begin, legal, step = _programs(env)
    params = env.default_params
    words = list(zip(*(column.tolist() for column in counter_rng.seed_words(seed, battles)), strict=True))
    state = begin(tuple(np.array(column, np.uint32) for column in zip(*words, strict=True)), params)
    seen, state, *_ = step(state, np.zeros(battles, np.int32), params)  # both leads come in
    showdown = Battles(env)
    theirs = showdown.open(words)
    outcome, carry, going = Outcome(battles=battles), policy.initial_carry(battles), np.arange(battles)
    first, decision = np.ones(battles, np.bool_), 0
    while len(going):
        seen, masks = jax.device_get((seen, legal(state, params)))
        carry, actions = policy.step(carry, seen, first, mask=masks)
        first, differing = np.zeros(battles, np.bool_), set()
        for n in going.tolist():
            outcome.decisions += 1
            difference = first_difference(
                {name: array[n] for name, array in seen.items()}, theirs[n].spectator.observation()
            )
            if difference is None and not np.array_equal(masks[n], theirs[n].legal()):
                difference = f"legal are {np.flatnonzero(masks[n])}, in Showdown {np.flatnonzero(theirs[n].legal())}"
            if difference:
                outcome.mismatches.append((n, decision, difference))
                differing.add(n)
        going = np.array([n for n in going.tolist() if n not in differing], np.int64)
        showdown.go_on({theirs[n]: int(actions[n]) for n in going.tolist()})
        seen, state, rewards, ended, _ = step(state, actions, params)
        rewards, ended = np.asarray(rewards), np.array(ended)
        for n in going.tolist():
            ours = float(rewards[n]), bool(ended[n])
            if ours != (theirs[n].reward, theirs[n].over):
                outcome.mismatches.append((n, decision, f"{ours}, in Showdown {theirs[n].reward, theirs[n].over}"))
                ended[n] = True
        going, decision = going[~ended[going]], decision + 1
    return outcome


@functools.cache
def _programs(env: Any) -> tuple[Any, Any, Any]:
    def batch(function: Any, *axes: int) -> Any:
        return compiling.jit(jax.vmap(function, (*axes, None)), ENGINE)

    def step(state: Any, action: Any, params: Any) -> Any:
        return env.step_env(None, state, action, params)

    return batch(env.init, 0), batch(env.legal_actions, 0), batch(step, 0, 0)


def main(argv: Sequence[str] | None = None) -> int:
    """Compare, and write the file; 0 if nothing differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path, help="folder of run directories")
    parser.add_argument("--battles", type=int, default=BATTLES, help="of each policy (default: %(default)s)")
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    given = parser.parse_args(argv)
    rows = []
    for number, (name, policy) in enumerate(policies(given.runs).items()):
        found = compare(policy, given.battles, SEED + number)
        row = {"policy": name, "battles": found.battles, "decisions": found.decisions}
        rows.append({**row, "differ": [list(one) for one in found.mismatches]})
        differ = f"{len(found.mismatches)} of {found.battles} battles differ"
        print(f"{name}: {found.decisions} decisions, {differ}", flush=True)
    head = {"machine": machine.describe(), **machine.git_state(Path(__file__).parent)}
    files.write_json(given.out, {**head, "battles": given.battles, "seed": SEED, "policies": rows})
    return int(any(row["differ"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
