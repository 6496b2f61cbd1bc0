"""The full verification: every rollout of L3, then the training runs of L4.

    python tests/verify.py [--skip-l4]

L3 here: 10,000 random and 1,000 full-length episodes per dtype, written to ``l3_rollout/results/rollouts.json``.  Exits
with 1 if anything diverged, did not learn or was not shown equivalent.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[2]), str(HERE / "l3_rollout"), str(HERE / "l4_transfer")]

import cartpole_rollouts as rollouts  # noqa: E402
import l4  # noqa: E402

from rlenv_shared import machine  # noqa: E402
from rlenv_shared.verification.differences import Report  # noqa: E402
from rlenv_shared.verification.teacher import drift  # noqa: E402

EPISODES: Final = {"random": 10_000, "balance": 1_000}
SEED: Final = 2026
RESULTS: Final = HERE / "l3_rollout" / "results" / "rollouts.json"


def summary(report: Report) -> dict[str, Any]:
    """A report as JSON, and on the screen."""
    print(report, flush=True)
    fields = {
        name: {"mismatches": f.mismatches, "max_abs": f.max_abs, "tolerance": f.tolerance}
        for name, f in report.fields.items()
    }
    return {"steps": report.steps, "ends": report.ends, "diverged": report.first is not None, "fields": fields}


def verify_rollouts() -> bool:
    """Run L3 and write its results; True if nothing diverged."""
    every_step, step_errors, first_100_steps = {}, {}, {}
    with jax.enable_x64(True):
        for policy, episodes in EPISODES.items():
            for dtype in (jnp.float64, jnp.float32):
                label = f"{policy} {dtype.__name__}"
                print(f"every step of {episodes} episodes, {label}")
                every_step[label] = summary(rollouts.every_step(dtype, policy, episodes, SEED))
                step_errors[label] = rollouts.step_errors(dtype, policy, episodes, SEED)
            print(f"first 100 steps of {episodes} episodes, synced once, {policy} float64")
            first_100_steps[f"{policy} float64"] = summary(rollouts.first_100_steps(policy, episodes, SEED))
        curves = drift(*rollouts.free_running("balance", 100, SEED))["fields"]
    results = {
        "machine": machine.describe(),
        "seed": SEED,
        "every_step": every_step,
        "step_errors": step_errors,  # quantiles of the absolute error
        "first_100_steps": first_100_steps,
        "drift_float64": {  # largest error over 100 balanced episodes, after every 25 steps
            name: {t + 1: curve["1.0"][t] for t in range(24, len(curve["1.0"]), 25)} for name, curve in curves.items()
        },
    }
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    reports = [*every_step.values(), *first_100_steps.values()]
    print(f"L3: {sum(report['steps'] for report in reports):,} steps compared; written to {RESULTS}")
    return not any(report["diverged"] for report in reports)


def main() -> int:
    """Verify; 0 if all is well."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--skip-l4", action="store_true", help="rollouts only, less than a minute")
    options = parser.parse_args()
    good = verify_rollouts()
    if not options.skip_l4:
        good = l4.main([]) == 0 and good
    print("verified" if good else "NOT VERIFIED")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
