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
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from traitlets.config import Config

from ci.workspace import REPO, environments

SMALL = "NOTEBOOK_SMALL"
START_TIMEOUT_S = 180  # a kernel starts in two seconds, but on a machine that does other things too
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
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    with tempfile.TemporaryDirectory() as directory:  # the kernel runs there, and what it writes stays there
        # Without an absolute path of its own, each side looks for the sockets in its own working directory.
        sockets = {"transport": "ipc", "connection_file": f"{directory}/kernel.json"}
        client = NotebookClient(
            notebook,
            kernel_name="python3",  # of this interpreter, whatever kernels the user has installed
            config=Config(KernelManager=sockets),
            startup_timeout=START_TIMEOUT_S,
            timeout=CELL_TIMEOUT_S,
            resources={"metadata": {"path": directory}},
        )
        try:
            client.execute(env={**os.environ, "IPYTHONDIR": directory})  # no start-up files of the user
        except (CellExecutionError, CellTimeoutError) as error:
            return str(error)
        except DeadKernelError as error:
            return f"{error} (above is what it printed)"
        except RuntimeError as error:  # nbclient's word for it
            return f"the kernel did not start: {error} (above is what it printed)"
    return None


def main() -> int:
    """Exit status 1 if a notebook fails, or a package has none."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ[SMALL] = "1"
    failures = 0
    for package in environments(REPO):
        found = sorted(package.root.glob("examples/*.ipynb"))
        if not found:
            failures += 1
            print(f"{package.place}: no examples/*.ipynb")
        for path in found:
            started = time.monotonic()
            wrong = objection(json.loads(path.read_text())) or failure(path)
            failures += wrong is not None
            print(f"{path.relative_to(REPO)}: {wrong or 'ran'}, {time.monotonic() - started:.0f} s", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
