"""Programs that cannot share our virtual environment, each in one of its own under ``.cache/refs``."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import venv
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rlenv_bench.workloads import Workload
from rlenv_shared.errors import ReferenceUnavailableError, explain
from rlenv_shared.verification.locate import references_folder

PROGRAM: Final = Path(__file__).with_name("mjx_and_brax.py")
REQUIREMENTS: Final = {
    "mjx": ("mujoco-mjx==3.17.0", "mujoco==4.0.0", "jax==0.10.2"),
    "brax": ("brax==0.14.2", "mujoco==4.0.0", "jax==0.10.2"),
}


def python_of(peer: str) -> Path:
    """Python of the virtual environment of one of `mjx_and_brax.PEERS`, which is made if it is not there.

    Raises:
        ReferenceUnavailableError: pip could not install it.
    """
    name = peer.partition("-")[0]
    folder = references_folder().parent / ".cache" / "refs" / f"{name}-venv"
    python, complete = folder / "bin" / "python", folder / ".complete"
    wanted = "\n".join(REQUIREMENTS[name])
    if not complete.exists() or complete.read_text() != wanted:
        venv.create(folder, with_pip=True, clear=True)
        done = subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *REQUIREMENTS[name]],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise ReferenceUnavailableError(
                explain(
                    name,
                    got=done.stderr.strip()[-400:],
                    expected=f"an environment with {', '.join(REQUIREMENTS[name])}",
                    remedy="check the connection to the package index, or measure with --quick, without it",
                )
            )
        complete.write_text(wanted)
    return python


def _environment() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}


def derivatives(peer: str, xml: Path, fields: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """What `mjx_and_brax.derivatives` finds at some states.

    Raises:
        ReferenceUnavailableError: its process failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        given, found = Path(folder) / "given.npz", Path(folder) / "found.npz"
        np.savez(given, allow_pickle=False, **fields)
        command = [str(part) for part in (python_of(peer), PROGRAM, "derivatives", peer, xml, given, found)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=_environment())
        if done.returncode:
            remedy = f"run it alone: {' '.join(command)}"
            raise ReferenceUnavailableError(
                explain(peer, got=done.stderr.strip()[-400:], expected="derivatives", remedy=remedy)
            )
        with np.load(found) as arrays:
            return dict(arrays)


class OtherPythonWorkload(Workload):
    """A workload of `rlenv_bench` that a process of another Python environment does."""

    deterministic = False  # reductions of these programs may be ordered by threads

    def __init__(self, program: str, name: str, batch: int, steps: int, xml: Path, settings: Mapping[str, Any]) -> None:
        self.name, self.batch, self.steps, self.settings = name, batch, steps, settings
        self._command = [str(python_of(program)), str(PROGRAM), "rollout", program, str(xml), str(batch), str(steps)]
        self._process: subprocess.Popen[str] | None = None

    def _ask(self, method: str) -> Any:
        process = self._process
        if process is None:
            process = self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env=_environment(),
            )
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(method + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            raise ReferenceUnavailableError(
                explain(
                    self.name,
                    got="its process ended",
                    expected="an answer",
                    remedy=f"run it alone: echo compile | {' '.join(self._command)}",
                )
            )
        return json.loads(answer)

    def compile(self) -> None:
        """Start the process and compile."""
        self._ask("compile")

    def begin(self) -> None:
        """Go to the start of a block."""
        self._ask("begin")

    def call(self) -> None:
        """One rollout."""
        self._ask("call")

    def finish(self) -> None:
        """Wait for it."""
        self._ask("finish")

    def checksum(self) -> float:
        """Of the last call's outputs."""
        return float(self._ask("checksum"))

    def memory(self) -> Mapping[str, int | None]:
        """Unknown; the process is no longer needed when this is asked."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        return super().memory()
