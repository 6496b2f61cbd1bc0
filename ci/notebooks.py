"""Runs every example notebook from its first cell to its last, with tiny settings, and sees that none keeps outputs.

A notebook asks ``os.environ`` for NOTEBOOK_SMALL and then trains for seconds instead of minutes.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from workspace import REPO, packages

SMALL = "NOTEBOOK_SMALL"
CELL_TIMEOUT_S = 300


def objection(notebook: dict[str, Any]) -> str | None:
    """What is wrong with a notebook as it is committed."""
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    if kept := [number for number, cell in enumerate(code) if cell["outputs"] or cell["execution_count"] is not None]:
        return f"code cells {kept} keep outputs; clear them"
    if not any(SMALL in line for cell in code for line in cell["source"]):
        return f"it does not ask for {SMALL}"
    return None


def failure(path: Path) -> str | None:
    """Run a copy of a notebook; returns what went wrong."""
    from jupyter_client.manager import AsyncKernelManager

    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    with tempfile.TemporaryDirectory() as directory:  # what it writes goes there
        client = NotebookClient(
            notebook,
            km=AsyncKernelManager(kernel_name="python3", transport="ipc"),
            timeout=CELL_TIMEOUT_S,
            resources={"metadata": {"path": directory}},
        )
        try:
            client.execute()
        except CellExecutionError as error:
            return str(error)
    return None


def main() -> int:
    """Exit status 1 if a notebook fails, or if there is none at all."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ[SMALL] = "1"
    failures = total = 0
    for package in packages(REPO):
        found = sorted(package.root.glob("examples/*.ipynb"))
        if not found:
            print(f"{package.place}: no examples/*.ipynb")
        total += len(found)
        for path in found:
            started = time.monotonic()
            wrong = objection(json.loads(path.read_text())) or failure(path)
            failures += wrong is not None
            print(f"{path.relative_to(REPO)}: {wrong or 'ran'}, {time.monotonic() - started:.0f} s", flush=True)
    return 1 if failures or not total else 0


if __name__ == "__main__":
    sys.exit(main())
