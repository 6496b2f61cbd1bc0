"""The full verification: every rollout of L3, then the training runs of L4.

    python tests/verify.py [--skip-l4]

L3 here: 256 environments × 4,000 steps × frameskip 1, 3, 8 in C, Rust and JAX, every bit; then other geometries,
continuous actions and PufferLib's own vector wrapper with glibc's generator; and a search of 10 million steps for
constant or periodic actions that part the three.  Writes
``l3_rollout/results/rollouts.json`` and exits with 1 if anything diverged, did not learn or was not shown equivalent.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[2]), str(HERE), str(HERE / "l3_rollout"), str(HERE / "l4_transfer")]

import l4  # noqa: E402
import pong_search  # noqa: E402
import rust_side  # noqa: E402
import three_way  # noqa: E402
from references.puffer_pong.adapter import PufferPong  # noqa: E402

from puffer_pong import PongVectorEnv  # noqa: E402
from rlenv_shared import machine  # noqa: E402
from rlenv_shared.verification.compare import compare  # noqa: E402
from rlenv_shared.verification.differences import Report  # noqa: E402

ENVS, STEPS, SEED = 256, 4_000, 2026
FRAMESKIPS: Final = (1, 3, 8)
LEAST_TERMINALS: Final = 8_000  # over all frameskips: enough ends of episodes to believe the rest
SEARCHED_STEPS: Final = 10_000_000
RESULTS: Final = HERE / "l3_rollout" / "results" / "rollouts.json"


def glibc_equals_c(frameskip: int) -> Report:
    """Rust in glibc mode against PufferLib's unhooked vector wrapper."""
    actions = np.random.default_rng(SEED).integers(0, 3, (STEPS, ENVS))
    rust = PongVectorEnv(ENVS, rng="glibc", frameskip=frameskip)
    original = PufferPong(ENVS, rng="glibc", frameskip=frameskip)
    observations, _ = rust.reset(seed=SEED)
    original.reset(SEED)
    return compare(rust_side.record(rust, observations, actions), original.rollout(actions))


def cases() -> dict[str, Callable[[], Report]]:
    """Every comparison beyond the default game, by name."""
    found: dict[str, Callable[[], Report]] = {}
    for name, geometry in three_way.GEOMETRIES.items():
        for continuous in (False, True):
            if name == "default" and not continuous:
                continue  # compared bit by bit above
            label = f"{name}, {'continuous' if continuous else 'discrete'}"
            found[f"Rust = C, {label}"] = lambda c=continuous, g=geometry: three_way.rust_equals_c(
                2, ENVS, STEPS, SEED, c, **g
            )
            found[f"JAX steps like C within 1 ulp, {label}"] = lambda c=continuous, g=geometry: (
                three_way.jax_steps_like_c(2, ENVS, STEPS, SEED, c, **g)
            )
    for frameskip in FRAMESKIPS:
        found[f"Rust = C with glibc's generator, frameskip {frameskip}"] = lambda n=frameskip: glibc_equals_c(n)
    return found


def search() -> dict[str, int]:
    """Search for actions that part the three; raises where some do.  Returns steps compared by kind of game."""
    kinds = {(f, c): f"frameskip {f}, {'continuous' if c else 'discrete'}" for f in (1, 8) for c in (True, False)}
    examples = -(-SEARCHED_STEPS // (len(kinds) * pong_search.EXAMPLE_STEPS))
    found = {label: pong_search.search(examples, SEED, *kind) for kind, label in kinds.items()}
    print(f"no constant or periodic actions part the three: {found}", flush=True)
    return found


def verify_rollouts() -> bool:
    """Run L3 and write its results; True if nothing diverged and enough episodes ended."""
    three: list[dict[str, Any]] = []
    for frameskip in FRAMESKIPS:
        three.append(three_way.run(frameskip, ENVS, STEPS, SEED))
        print(f"C = Rust = JAX: {three[-1]}", flush=True)
    terminals = sum(counts["terminals"] for counts in three)
    others: dict[str, dict[str, Any]] = {}
    for name, check in cases().items():
        report = check()
        others[name] = {
            "steps": report.steps,
            "terminals": report.ends,
            "mismatches": report.mismatches,
            "largest_ulp": max((field.max_ulp or 0 for field in report.fields.values()), default=0),
        }
        print(f"{name}: {others[name]}", flush=True)
        if not report.ok:
            print(report)
    results = {"machine": machine.describe(), "envs": ENVS, "steps": STEPS, "seed": SEED, "searched": search()}
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps({**results, "three_way": three, "others": others}, indent=1) + "\n")
    print(f"L3: {terminals:,} episodes ended in the three-way runs; written to {RESULTS}")
    return terminals >= LEAST_TERMINALS and not any(entry["mismatches"] for entry in others.values())


def main() -> int:
    """Verify; 0 if all is well."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skip-l4", action="store_true", help="rollouts only, some minutes")
    options = parser.parse_args()
    good = verify_rollouts()
    if not options.skip_l4:
        good = l4.main([]) == 0 and good
    print("verified" if good else "NOT VERIFIED")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
