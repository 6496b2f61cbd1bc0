"""Runs the reference by itself: whether one seed gives one rollout, and what its functions answer.

An adapter, ``(num_envs) -> object``, has ``reset(seed=…)``, ``step(actions)`` and ``snapshot()``, which returns a
dictionary of arrays whose first axis is the environment, as the adapters of ``references/`` do.  It runs in a process
of its own, `env_recipe.reference_process`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from env_recipe import process
from env_recipe.manifest import Manifest
from rlenv_shared.errors import EnvError, InvalidParamsError

STEPS: Final = 200  # of the check
SEEDS: Final = (0, 1, 2)
TIMEOUT_S: Final = 600


class NotDeterministicError(EnvError, RuntimeError):
    """Two runs of a reference with one seed differ: nothing can be proven equal to it."""


def checked(manifest: Manifest, root: Path, scratch: Path) -> dict[str, Any]:
    """Run the reference twice with each of a few seeds; returns what the journal says of it.

    Raises:
        NotDeterministicError: two runs with one seed differ; the message says where.
        InvalidParamsError: the adapter cannot be run.
    """
    if manifest.reference.adapter is None:
        return {"steps": 0, "why": "the manifest names no adapter"}
    said = run_apart(manifest, root, scratch, "check", str(manifest.reference.actions))
    found = json.loads(said)
    if found["differs"] is not None:
        where = found["differs"]
        expected = "the same values from the same seed and actions"
        remedy = "seed every generator that the reference uses, in the adapter's reset"
        got = (
            f"{where['field']} = {where['first']} and {where['second']} at step {where['step']} of seed {where['seed']}"
        )
        raise NotDeterministicError(f"reference {manifest.reference.name}", got, expected, remedy)
    return {"steps": found["steps"], "fields": found["fields"]}


def run_apart(
    manifest: Manifest, root: Path, scratch: Path, *arguments: str, import_path: tuple[Path, ...] = ()
) -> str:
    """What ``python -m env_recipe.reference_process`` prints, with the adapter importable.

    Raises:
        InvalidParamsError: it failed.
    """
    assert manifest.reference.adapter is not None
    places = [*import_path, *((root / place).resolve() for place in manifest.reference.import_path)]
    inherited = process.environment(process.FOR_TESTS).get("PYTHONPATH", "")
    path = ":".join([*map(str, places), *filter(None, [inherited])])
    command = [sys.executable, "-m", "env_recipe.reference_process", manifest.reference.adapter, *arguments]
    ended = process.run(
        command,
        cwd=root,
        env=process.environment(process.FOR_TESTS, PYTHONPATH=path, PYTHONDONTWRITEBYTECODE="1"),
        timeout_s=TIMEOUT_S,
        output_bytes=100_000_000,
        scratch=scratch,
    )
    if not ended.ok:
        said = ended.err.decode(errors="replace").strip().splitlines()[-1:] or [ended.how]
        remedy = "correct reference.adapter and reference.import_path"
        raise InvalidParamsError(f"adapter {manifest.reference.adapter}", said[0], "one that resets and steps", remedy)
    return ended.out.decode().splitlines()[-1]


def rollout(adapter: Any, seed: int, actions: np.ndarray) -> Iterator[dict[str, np.ndarray]]:
    """Snapshots after the reset and after each step of one environment."""
    environment = adapter(1)
    environment.reset(seed=seed)
    yield _copied(environment.snapshot())
    for action in actions:
        environment.step(np.array([action]))
        yield _copied(environment.snapshot())
    if hasattr(environment, "close"):
        environment.close()


def actions_of(seed: int, steps: int, count: int) -> np.ndarray:
    """Random actions, int32 [steps]."""
    return np.random.default_rng(seed).integers(0, count, steps).astype(np.int32)


def first_difference(a: Mapping[str, np.ndarray], b: Mapping[str, np.ndarray]) -> tuple[str, str, str] | None:
    """Field and both values, as text, of the first field of two snapshots that differs in a bit."""
    for name in sorted(set(a) | set(b)):
        one, two = a.get(name), b.get(name)
        if one is None or two is None:
            return name, "missing" if one is None else "there", "missing" if two is None else "there"
        if one.dtype != two.dtype or one.shape != two.shape or one.tobytes() != two.tobytes():
            at = np.flatnonzero((one != two).reshape(-1)) if one.shape == two.shape else np.array([], int)
            return (
                (name, str(one.reshape(-1)[at[0]]), str(two.reshape(-1)[at[0]]))
                if len(at)
                else (name, str(one), str(two))
            )
    return None


def _copied(snapshot: Mapping[str, Any]) -> dict[str, np.ndarray]:
    return {name: np.array(value) for name, value in snapshot.items()}
