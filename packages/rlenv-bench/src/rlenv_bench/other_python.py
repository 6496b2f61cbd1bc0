"""Programs that cannot share our virtual environment, each in one of its own under ``.cache/refs``."""

from __future__ import annotations

import json
import os
import subprocess
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rlenv_bench.workloads import Workload
from rlenv_shared.errors import ReferenceUnavailableError
from rlenv_shared.verification.declaration import threads_in_words
from rlenv_shared.verification.locate import references_folder

ENVPOOL: Final = ("envpool==1.2.5", "gymnasium==1.3.0")
ENVPOOL_PROGRAM: Final = Path(__file__).with_name("envpool_program.py")


def python_of(name: str, requirements: Sequence[str]) -> Path:
    """Python of the virtual environment of that name, made if not there; ReferenceUnavailableError if pip failed."""
    folder = references_folder().parent / ".cache" / "refs" / f"{name}-venv"
    python, complete = folder / "bin" / "python", folder / ".complete"
    wanted = "\n".join(requirements)
    if not complete.exists() or complete.read_text() != wanted:
        venv.create(folder, with_pip=True, clear=True)
        done = subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            got, expected = done.stderr.strip()[-400:], f"an environment with {', '.join(requirements)}"
            remedy = "check the connection to the package index, or measure with --quick, without it"
            raise ReferenceUnavailableError(name, got, expected, remedy)
        complete.write_text(wanted)
    return python


def environment_variables() -> dict[str, str]:
    """Those of this process without the paths of this project."""
    return {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}


class OtherPythonWorkload(Workload):
    """A workload that a process of another Python environment does.

    The process reads the names of `Workload`'s methods from standard input, one per line, and answers each with a line
    of JSON.
    """

    deterministic = False  # reductions of these programs may be ordered by threads

    def __init__(
        self, command: Sequence[object], name: str, batch: int, steps: int, settings: Mapping[str, Any]
    ) -> None:
        self.name, self.batch, self.steps, self.settings = name, batch, steps, settings
        self._command = [str(part) for part in command]
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
                env=environment_variables(),
            )
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(method + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            remedy = f"run it alone: echo compile | {' '.join(self._command)}"
            raise ReferenceUnavailableError(self.name, "its process ended", "an answer", remedy)
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


def envpool(task: str, batch: int, steps: int, threads: int, *, asynchronous: bool = False) -> OtherPythonWorkload:
    """EnvPool's environment of that id: C++ on threads, called from Python.

    All step together, as Gymnasium's users do it, or in its asynchronous mode: each call answers the half that is ready
    first while the other half is being stepped.
    """
    waited = batch // 2 if asynchronous else batch
    command = (python_of("envpool", ENVPOOL), ENVPOOL_PROGRAM, task, batch, steps, threads, waited)
    settings = {"policy": "random", "reset_mode": "next_step", "outputs": "kept"}
    return OtherPythonWorkload(command, envpool_name(task, threads, asynchronous), batch, steps, settings)


def envpool_name(task: str, threads: int, asynchronous: bool = False) -> str:
    """What its workload is called."""
    version = ENVPOOL[0].replace("==", " ").replace("envpool", "EnvPool")
    return f"{version} {task}, {threads_in_words(threads)}{', asynchronous' * asynchronous}"
