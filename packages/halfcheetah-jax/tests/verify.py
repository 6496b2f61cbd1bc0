"""The full verification: every acceptance line that needs more than the quick tests.

``verify.py [states] [episodes] [solver]`` runs the named parts (all without arguments) and writes what it found to
``verification/<part>.json`` beside this file; the exit status says whether every bound held.
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
for folder in (TESTS.parents[2], TESTS / "l2_interaction", TESTS / "l3_rollout"):
    sys.path.insert(0, str(folder))

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from cheetah_rollouts import free_running, sensitivity, step_errors  # noqa: E402
from cheetah_states import error, fresh_states, ours, solver_statistics, stored_states, theirs  # noqa: E402

BOUND: Final = 1e-9  # every quantity of one substep in float64: absolute up to magnitude 1, relative above
FRESH: Final = 20_000
EPISODES, STEPS, SEED = 100, 1000, 2026
STEP_BOUNDS: Final = {"qpos": 1e-9, "qvel": 1e-7, "reward": 1e-9}
FUZZED: Final = 1_000_000
QUANTILES: Final = {"median": 0.5, "p99": 0.99, "max": 1.0}


def distribution(values: Any) -> dict[str, float]:
    """Median, 99th percentile and maximum."""
    return {name: float(np.quantile(values, q)) for name, q in QUANTILES.items()}


def states() -> dict[str, Any]:
    """L1 of the issue: one substep from stored and fresh states."""
    found: dict[str, Any] = {"bound": BOUND}
    for label, sample in {"stored": stored_states(), "fresh": fresh_states(FRESH, SEED)}.items():
        expected = theirs(sample)
        for dtype in (jnp.float64, jnp.float32):
            with jax.enable_x64(dtype == jnp.float64):
                got = ours(sample, dtype)
            errors = {name: distribution(error(name, got[name], expected[name])) for name in expected
                      if expected[name].dtype != np.bool_}
            sets = {name: int((got[name] != expected[name]).sum()) for name in ("contact", "limit")}
            found[f"{label} {np.dtype(dtype).name}"] = {"states": len(sample.qpos), "errors": errors, "set mismatches": sets}
            if dtype == jnp.float64:
                assert not any(sets.values()), sets
                assert all(e["max"] <= BOUND for e in errors.values()), errors
    return found


def episodes() -> dict[str, Any]:
    """L3: every step of whole episodes from MuJoCo's state, and how free-running episodes drift apart."""
    found: dict[str, Any] = {"episodes": EPISODES, "steps": STEPS, "bounds": STEP_BOUNDS}
    for dtype in (jnp.float64, jnp.float32):
        with jax.enable_x64(dtype == jnp.float64):
            errors = step_errors(dtype, EPISODES, STEPS, SEED)
            drifted, reference = free_running(dtype, EPISODES, 200, SEED)
        found[np.dtype(dtype).name] = {
            "one step": {name: distribution(value) for name, value in errors.items()},
            "drift of qpos": curve(drifted, reference),
        }
        if dtype == jnp.float64:
            assert all(errors[name].max() <= bound for name, bound in STEP_BOUNDS.items()), found
    found["MuJoCo from 1 ulp away, drift of qpos"] = curve(*sensitivity(EPISODES, 200, SEED))
    return found


def curve(a: np.ndarray, b: np.ndarray) -> dict[str, dict[str, float]]:
    """Largest error of an episode's coordinates after some steps: median and maximum over episodes."""
    worst = np.abs(a - b).max(axis=-1)
    return {str(t): {"median": float(np.median(worst[t - 1])), "max": float(worst[t - 1].max())}
            for t in (1, 5, 10, 20, 50, 100, 200)}


def solver() -> dict[str, Any]:
    """Fuzz: the solver ends on every state, in both dtypes."""
    found: dict[str, Any] = {}
    for dtype in (jnp.float64, jnp.float32):
        with jax.enable_x64(dtype == jnp.float64):
            result = solver_statistics(FUZZED, SEED, dtype)
        found[np.dtype(dtype).name] = result
        assert result["states"] >= FUZZED
        assert result["not converged"] == 0, result
    return found


PARTS: Final = {"states": states, "episodes": episodes, "solver": solver}


def main() -> int:
    """Run the parts asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=[])
    failed = 0
    for name in parser.parse_args().parts or PARTS:
        started = time.perf_counter()
        try:
            found = {**PARTS[name](), "passed": True}
        except AssertionError as problem:
            failed += 1
            print(f"{name}: FAILED: {problem}")
            continue
        found["seconds"] = round(time.perf_counter() - started)
        path = TESTS / "verification" / f"{name}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(found, indent=1) + "\n")
        print(f"{name}: passed in {found['seconds']} s, written to {path.relative_to(TESTS)}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
