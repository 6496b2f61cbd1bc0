"""The full verification: every acceptance line that needs more than the quick tests.

    python tests/verify.py [states] [solver] [gradients] [rollouts] [transfer]

Without arguments all of them: single substeps from 29,041 states, the solver on 2,000,000 random states, derivatives at
12,000 states, every step of 100 whole episodes, and the training runs of L4.  Exits with 1 if a bound did not hold.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any, Final

import numpy as np

TESTS: Final = Path(__file__).resolve().parent
sys.path[:0] = [
    str(TESTS.parents[2]),
    *(str(TESTS / level) for level in ("l2_interaction", "l3_rollout", "l4_transfer")),
]

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import l4  # noqa: E402
from cheetah_gradients import error as derivative_error  # noqa: E402
from cheetah_gradients import slopes  # noqa: E402
from cheetah_gradients import states as derivative_states  # noqa: E402
from cheetah_rollouts import (  # noqa: E402
    default_tolerance_errors,
    drift_curve,
    every_step,
    free_running,
    sensitivity,
    step_errors,
)
from cheetah_states import error, fresh_states, ours, solver_statistics, stored_states, theirs  # noqa: E402

from rlenv_shared import machine  # noqa: E402

BOUND: Final = 1e-9  # every quantity of one substep in float64: absolute up to magnitude 1, relative above
FRESH: Final = 20_000
EPISODES, STEPS, SEED = 100, 1000, 2026
FUZZED: Final = 1_000_000  # states per dtype
DIFFERENTIATED, LEAST_SMOOTH = 12_000, 10_000  # states; those of them that are away from switches
DERIVATIVE_BOUND: Final = 1e-6  # relative
QUANTILES: Final = {"median": 0.5, "p99": 0.99, "max": 1.0}
DTYPES: Final = (jnp.float64, jnp.float32)


def distribution(values: Any) -> dict[str, float]:
    """Median, 99th percentile and maximum."""
    return {name: float(np.quantile(values, q)) for name, q in QUANTILES.items()}


def states() -> tuple[Path, dict[str, Any], list[str]]:
    """One substep from stored and fresh states, every quantity on the way."""
    found: dict[str, Any] = {"bound": BOUND}
    wrong = []
    for label, sample in {"stored": stored_states(), "fresh": fresh_states(FRESH, SEED)}.items():
        expected = theirs(sample)
        numbers = [name for name in expected if expected[name].dtype != np.bool_]
        for dtype in DTYPES:
            with jax.enable_x64(dtype == jnp.float64):
                got = ours(sample, dtype)
            errors = {name: distribution(error(name, got[name], expected[name])) for name in numbers}
            sets = {name: int((got[name] != expected[name]).sum()) for name in ("contact", "limit")}
            title = f"{label} {dtype.__name__}"
            found[title] = {"states": len(sample.qpos), "errors": errors, "set mismatches": sets}
            if dtype == jnp.float64 and (any(sets.values()) or any(e["max"] > BOUND for e in errors.values())):
                wrong.append(f"{title}: {found[title]}")
    return TESTS / "verification" / "states.json", found, wrong


def solver() -> tuple[Path, dict[str, Any], list[str]]:
    """Fuzz: the solver ends on every state, in both dtypes."""
    found: dict[str, Any] = {}
    for dtype in DTYPES:
        with jax.enable_x64(dtype == jnp.float64):
            found[dtype.__name__] = solver_statistics(FUZZED, SEED, dtype)
    wrong = [f"{name}: {result}" for name, result in found.items() if result["not converged"]]
    return TESTS / "verification" / "solver.json", found, wrong


def gradients() -> tuple[Path, dict[str, Any], list[str]]:
    """Derivatives of an environment step in float64 against central differences, away from switches of the rows."""
    with jax.enable_x64(True):
        found = slopes(derivative_states(DIFFERENTIATED, SEED), SEED)
    errors = derivative_error(found)[found.smooth]
    result = {
        "machine": machine.describe(),
        "seed": SEED,
        "states": len(found.smooth),
        "away from switches": int(found.smooth.sum()),
        "relative error": distribution(errors),
    }
    wrong = [f"{result}"] if errors.max() > DERIVATIVE_BOUND or len(errors) < LEAST_SMOOTH else []
    return TESTS / "verification" / "gradients.json", result, wrong


def rollouts() -> tuple[Path, dict[str, Any], list[str]]:
    """L3: every step of whole episodes from MuJoCo's state, and how free-running episodes drift apart."""
    steps, errors, drift = {}, {}, {}
    for dtype in DTYPES:
        name = dtype.__name__
        with jax.enable_x64(dtype == jnp.float64):
            report = every_step(dtype, EPISODES, STEPS, SEED)
            print(f"every step of {EPISODES} episodes, {name}\n{report}", flush=True)
            fields = {
                field: {"mismatches": f.mismatches, "max_abs": f.max_abs, "tolerance": f.tolerance}
                for field, f in report.fields.items()
            }
            steps[name] = {
                "steps": report.steps,
                "ends": report.ends,
                "diverged": report.first is not None,
                "fields": fields,
            }
            errors[name] = {
                group: distribution(values) for group, values in step_errors(dtype, EPISODES, STEPS, SEED).items()
            }
            drift[name] = drift_curve(*free_running(dtype, EPISODES, STEPS, SEED))
    stopped = default_tolerance_errors(EPISODES, STEPS, SEED)
    errors["MuJoCo at tolerance 1e-8"] = {group: distribution(values) for group, values in stopped.items()}
    drift["MuJoCo from 1 ulp away"] = drift_curve(*sensitivity(EPISODES, STEPS, SEED))
    found = {"machine": machine.describe(), "seed": SEED, "every_step": steps, "step_errors": errors, "drift": drift}
    wrong = [f"{name}: diverged" for name, report in steps.items() if report["diverged"]]
    return TESTS / "l3_rollout" / "results" / "rollouts.json", found, wrong


PARTS: Final = {"states": states, "solver": solver, "gradients": gradients, "rollouts": rollouts}


def main() -> int:
    """Run the parts asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    names = [*PARTS, "transfer"]
    parser.add_argument("parts", nargs="*", choices=[*names, []], default=[])
    asked = parser.parse_args().parts or names
    failed = 0
    for name in asked:
        if name == "transfer":
            failed += l4.main([]) != 0
            continue
        started = time.perf_counter()
        path, found, wrong = PARTS[name]()
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(found, indent=1) + "\n")
        print(f"{name}: {time.perf_counter() - started:.0f} s, written to {path.relative_to(TESTS)}", flush=True)
        for problem in wrong:
            print(f"WRONG: {name}: {problem}")
        failed += bool(wrong)
    print("NOT VERIFIED" if failed else "verified")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
