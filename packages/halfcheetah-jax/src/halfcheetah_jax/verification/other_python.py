"""MJX and Brax, which need a Python environment of their own."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rlenv_bench import other_python
from rlenv_shared.errors import ReferenceUnavailableError, explain

PROGRAM: Final = Path(__file__).with_name("mjx_and_brax.py")
REQUIREMENTS: Final = {
    "mjx": ("mujoco-mjx==3.17.0", "mujoco==4.0.0", "jax==0.10.2"),
    "brax": ("brax==0.14.2", "mujoco==4.0.0", "jax==0.10.2"),
}


def command(task: str, peer: str, *arguments: object) -> list[str]:
    """That does a task of `mjx_and_brax` with one of its `PEERS`.

    Raises:
        ReferenceUnavailableError: pip could not install it.
    """
    library = peer.partition("-")[0]
    python = other_python.python_of(library, REQUIREMENTS[library])
    return [str(part) for part in (python, PROGRAM, task, peer, *arguments)]


def derivatives(peer: str, xml: Path, fields: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """What `mjx_and_brax.derivatives` finds at some states.

    Raises:
        ReferenceUnavailableError: its process failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        given, found = Path(folder) / "given.npz", Path(folder) / "found.npz"
        np.savez(given, allow_pickle=False, **fields)
        run = command("derivatives", peer, xml, given, found)
        environment = other_python.environment_variables()
        done = subprocess.run(run, capture_output=True, text=True, check=False, env=environment)
        if done.returncode:
            remedy = f"run it alone: {' '.join(run)}"
            raise ReferenceUnavailableError(
                explain(peer, got=done.stderr.strip()[-400:], expected="derivatives", remedy=remedy)
            )
        with np.load(found) as arrays:
            return dict(arrays)
