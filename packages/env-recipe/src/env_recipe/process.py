"""Programs that are not trusted to end: time limit, limit of output, their whole process group ended, few variables."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import psutil

from rlenv_shared.errors import EnvError

PASSED_ON: Final = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "TMPDIR", "TZ", "USER", "LOGNAME", "SHELL")
"""Variables that every agent and test gets; an agent gets those that its settings name as well."""
FOR_TESTS: Final = (
    "JAX_PLATFORMS", "JAX_COMPILATION_CACHE_DIR", "XLA_FLAGS", "RLENV_REFERENCES", "VIRTUAL_ENV", "PYTHONPATH",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD",
)  # fmt: skip
GRACE_S: Final = 2.0
POLL_S: Final = 0.05
HEAD, TAIL = 16_000, 16_000  # characters of an output that the journal keeps


class ProgramError(EnvError, RuntimeError):
    """A program that could not be started."""


@dataclasses.dataclass(frozen=True)
class Ended:
    """How a program ended."""

    status: int | None  # None when it was stopped
    stopped: str  # ``""``, ``"time limit of 30 s"`` or ``"more than 1,000 bytes of output"``
    out: bytes  # as much as was allowed
    err: bytes  # the same of stderr
    seconds: float

    @property
    def ok(self) -> bool:
        """It ended by itself, with status 0."""
        return self.status == 0 and not self.stopped

    @property
    def how(self) -> str:
        """In words."""
        return self.stopped or f"exit status {self.status}"


def environment(more: Iterable[str] = (), **fixed: str) -> dict[str, str]:
    """The variables that a program gets: `PASSED_ON`, those named in ``more`` as far as they are set, and ``fixed``."""
    return {name: os.environ[name] for name in (*PASSED_ON, *more) if name in os.environ} | fixed


def run(
    command: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    timeout_s: float,
    output_bytes: int,
    scratch: Path,
    stdin: str = "",
) -> Ended:
    """Run a program in a process group of its own and end the whole group when it ends or exceeds a limit.

    Args:
        command: program and arguments; no shell.
        cwd: where it runs.
        env: all of its variables.
        timeout_s: seconds it may take.
        output_bytes: of stdout and stderr together; they go to files in ``scratch``, so memory does not grow.
        scratch: folder for these files and for the note of its process, by which `end_leftover` finds it.
        stdin: what it reads.

    Raises:
        ProgramError: it cannot be started.
    """
    scratch.mkdir(parents=True, exist_ok=True)
    out, err, given = (scratch / name for name in ("stdout", "stderr", "stdin"))
    given.write_text(stdin)
    started = time.monotonic()
    stopped = ""
    with out.open("wb") as out_file, err.open("wb") as err_file, given.open("rb") as in_file:
        try:
            process = subprocess.Popen(
                list(command), cwd=cwd, env=dict(env), stdin=in_file, stdout=out_file, stderr=err_file,
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            remedy = "install it, or correct the command in the manifest"
            raise ProgramError(f"program {command[0]!r}", error, "one that starts", remedy) from error
        note = scratch / "process.json"
        try:
            note.write_text(json.dumps({"pid": process.pid, "created": _created(process.pid)}))
            while process.poll() is None:
                if time.monotonic() - started > timeout_s:
                    stopped = f"time limit of {timeout_s:g} s"
                elif out.stat().st_size + err.stat().st_size > output_bytes:
                    stopped = f"more than {output_bytes:,} bytes of output"
                if stopped:
                    break
                time.sleep(POLL_S)
        finally:
            end_group(process.pid, process.poll)
            process.wait()
            note.unlink(missing_ok=True)
    with out.open("rb") as out_file, err.open("rb") as err_file:
        texts = out_file.read(output_bytes), err_file.read(output_bytes)
    return Ended(None if stopped else process.returncode, stopped, *texts, time.monotonic() - started)


def end_group(group: int, ended: Callable[[], object] = lambda: None) -> None:
    """Ask a process group to end, then end it."""
    for number, wait in ((signal.SIGTERM, GRACE_S), (signal.SIGKILL, 0.0)):
        try:
            os.killpg(group, number)
        except (ProcessLookupError, PermissionError):
            return
        deadline = time.monotonic() + wait
        while time.monotonic() < deadline and _alive(group):
            ended()  # reaps the leader
            time.sleep(POLL_S)


def end_leftover(scratch: Path) -> bool:
    """End the program that a killed run left behind; true if there was one."""
    note = scratch / "process.json"
    try:
        found = json.loads(note.read_text())
    except (OSError, ValueError):
        return False
    note.unlink(missing_ok=True)
    if _created(found["pid"]) != found["created"]:
        return False  # the number belongs to somebody else by now
    end_group(found["pid"])
    return True


def clipped(content: bytes) -> str:
    """An output as the journal keeps it: beginning and end, and how much was left out."""
    text = content.decode(errors="replace")
    if len(text) <= HEAD + TAIL:
        return text
    return f"{text[:HEAD]}\n[… {len(text) - HEAD - TAIL:,} characters left out …]\n{text[-TAIL:]}"


def without_secrets(text: str, names: Iterable[str]) -> str:
    """The text with the values of these variables replaced by their names."""
    for name in names:
        value = os.environ.get(name, "")
        if len(value) >= 8:
            text = text.replace(value, f"[{name}]")
    return text


def _alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _created(pid: int) -> float | None:
    try:
        return psutil.Process(pid).create_time()
    except psutil.Error:
        return None
