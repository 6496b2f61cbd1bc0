"""A door's result: who trained on what, with which versions, and how the returns went."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Final

from ci.workspace import REPO
from rlenv_shared import files, machine

FOLDER: Final = REPO / "shared" / "results" / "doors"
FORMAT: Final = "rlenv-door"
BELOW: Final = ("torch", "jax", "jaxlib", "numpy", "gymnasium")
"""Distributions that every door stands on."""


def write(door: str, libraries: Sequence[str], runs: list[dict[str, Any]], **facts: Any) -> None:
    """Write ``shared/results/doors/<door>.json``.

    Args:
        door: its name.
        libraries: distributions that it is the door to.
        runs: one dictionary for each seed or setting.
        **facts: what else matters: ``environment``, ``trainer``, ``settings``, ``required`` (lowest final return).
    """
    described = machine.describe((*libraries, *BELOW))
    content = {"format": FORMAT, "schema": 1, "door": door, "libraries": list(libraries), **facts, "runs": runs}
    files.write_json(FOLDER / f"{door}.json", content | {"machine": described, **_sources()})
    print(f"{door}: {len(runs)} runs in {FOLDER / door}.json")


@functools.cache
def _sources() -> dict[str, Any]:
    """As they were when this process first wrote: what it has written since is no change of them."""
    return machine.git_state(REPO)


def table() -> str:
    """The doors' results, one row each, for shared/README.md."""
    rows = ["| library | what | seeds | lowest final return | required |", "|---|---|---:|---:|---:|"]
    for path in sorted(FOLDER.glob("*.json")):
        result = files.read_json(path)
        versions = ", ".join(f"{name} {result['machine']['packages'][name]}" for name in result["libraries"])
        finals = [value for run in result["runs"] for key, value in run.items() if key.startswith("final_return")]
        lowest = f"{min(finals):.2f}" if finals else f"{sum(run['differences'] for run in result['runs'])} steps differ"
        required = f"{result['required']:.2f}" if finals else "0"
        rows.append(
            f"| [{versions}](results/doors/{path.name}) | {result['trainer']} on `{result['environment']}` "
            f"| {len(result['runs'])} | {lowest} | {required} |"
        )
    return "\n".join(rows) if len(rows) > 2 else "Not run yet."
