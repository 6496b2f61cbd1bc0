"""Client of a reference that runs as a subprocess and speaks JSON lines over its standard streams.

One request, one answer, one line each::

    > {"id": 0, "op": "hello", "protocol": 1}
    < {"id": 0, "ok": true, "result": {"protocol": 1, "name": "pokemon-showdown", "version": "0.11.11"}}
    > {"id": 1, "op": "episodes", "episodes": [{"seed": 7, "actions": [0, 2, 1]}, ...]}
    < {"id": 1, "ok": true, "result": {"dtypes": {...}, "steps": [<canonical step>, ...]}}
    < {"id": 2, "ok": false, "error": "slot 3 is empty", "kind": "illegal_action"}

What an episode specification holds is between adapter and driver; canonical steps are those of `jsonl`.  Standard
error is free for diagnostics; its end is quoted when the process fails.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Self

from rlenv_shared.errors import EnvError, IllegalActionError, InvalidParamsError, ReferenceUnavailableError, explain
from rlenv_shared.verification import jsonl
from rlenv_shared.verification.pinned import Pin, fetch_pypi_sdist
from rlenv_shared.verification.trajectory import Trajectory

__all__ = ["Pin", "ReferenceProcess", "fetch_pypi_sdist"]

PROTOCOL: Final = 1
STARTUP_TIMEOUT_S: Final = 60.0
REQUEST_TIMEOUT_S: Final = 120.0
CLOSE_TIMEOUT_S: Final = 5.0
STDERR_TAIL: Final = 2000  # characters quoted in errors
ERROR_KINDS: Final[Mapping[str, type[EnvError]]] = {
    "illegal_action": IllegalActionError,
    "invalid_params": InvalidParamsError,
}


class ReferenceProcess:
    """A running driver; a context manager.

    Args:
        command: program and arguments.
        pin: what the driver must say it is.
        timeout_s: seconds for one answer; the process is killed when they pass.
        startup_timeout_s: seconds for the handshake.
        cwd: working directory of the driver.
        env: its environment variables; ours when None.

    Raises:
        ReferenceUnavailableError: it cannot be started, does not answer, or is another version.
    """

    def __init__(
        self,
        command: Sequence[str],
        pin: Pin,
        *,
        timeout_s: float = REQUEST_TIMEOUT_S,
        startup_timeout_s: float = STARTUP_TIMEOUT_S,
        cwd: str | Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self._name, self._timeout_s, self._next_id = pin.name, timeout_s, 0
        self._error_tail = ""
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed in close()
        try:
            self._process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                cwd=cwd,
                env=None if env is None else dict(env),
                start_new_session=True,  # so that a kill reaches what the driver itself started
            )
        except OSError as error:
            self._stderr.close()
            raise self._unavailable(error, "a driver that starts", f"install what {command[0]!r} needs") from error
        try:
            hello = self.request("hello", startup_timeout_s, protocol=PROTOCOL)
        except EnvError:
            self.close()
            raise
        got = tuple(hello.get(key) for key in ("protocol", "name", "version")) if isinstance(hello, dict) else hello
        if got != (PROTOCOL, pin.name, pin.version):
            self.close()
            raise self._unavailable(got, (PROTOCOL, pin.name, pin.version), "install the pinned version")

    def request(self, op: str, timeout_s: float | None = None, /, **arguments: Any) -> Any:
        """Send one request and wait for its answer.

        Args:
            op: operation.
            timeout_s: seconds for this answer; the process's own limit when None.
            arguments: further keys of the request.

        Returns:
            The answer's ``result``.

        Raises:
            IllegalActionError, InvalidParamsError: the driver said so.
            ReferenceUnavailableError: any other error of the driver; it died, hung (it is killed) or wrote no JSON.
        """
        if self._process.poll() is not None:
            raise self._unavailable(f"exit status {self._process.returncode}", "a running driver", "start it again")
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None  # both are pipes
        assert stdout is not None
        limit_s = self._timeout_s if timeout_s is None else timeout_s
        request_id, self._next_id = self._next_id, self._next_id + 1
        message = json.dumps({"id": request_id, "op": op, **arguments}, allow_nan=False)
        hung = threading.Event()

        def expire() -> None:
            hung.set()
            self._kill()

        watchdog = threading.Timer(limit_s, expire)  # a kill ends a blocked write as well as a blocked read
        watchdog.start()
        try:
            stdin.write(message.encode() + b"\n")
            stdin.flush()
            line = stdout.readline()
        except OSError:
            line = b""  # a broken pipe: the driver is gone
        finally:
            watchdog.cancel()
        if hung.is_set():
            self.close()
            raise self._unavailable(
                f"no answer to {op!r} in {limit_s} s", "an answer", "raise the limit or mend the driver"
            )
        return self._result(line, op, request_id)

    def run_episodes(self, episodes: Sequence[Mapping[str, Any]], timeout_s: float | None = None) -> Trajectory:
        """Play a batch of episodes and return their recording, one column each.

        Args:
            episodes: specifications the driver understands.
            timeout_s: seconds for the whole batch.

        Raises:
            ReferenceUnavailableError: as `request`, or the answer is no recording of these episodes.
        """
        result = self.request("episodes", timeout_s, episodes=list(episodes))
        try:
            steps = [jsonl.step_from_json(step) for step in result["steps"]]
            recording = jsonl.from_steps(steps, result.get("dtypes", {}), {"reference": self._name})
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise self._unavailable(repr(error), "canonical steps", "mend the driver") from error
        if recording.num_episodes != len(episodes):
            raise self._unavailable(f"{recording.num_episodes} episodes", len(episodes), "mend the driver")
        return recording

    def close(self) -> None:
        """End the driver: its input ends; it is killed if it does not leave."""
        if self._stderr.closed:
            return
        with contextlib.suppress(OSError):  # unsent bytes to a driver that is gone
            if self._process.stdin is not None:
                self._process.stdin.close()
        try:
            self._process.wait(CLOSE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._error_tail = self._read_stderr()
        self._stderr.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _result(self, line: bytes, op: str, request_id: int) -> Any:
        try:
            answer = json.loads(line)
            ok = answer["ok"]
            if answer["id"] != request_id:
                raise ValueError(f"answer {answer['id']} to request {request_id}")
        except (ValueError, KeyError, TypeError) as error:
            self._kill()  # what else is in the pipe belongs to no request
            self.close()
            got = f"{line[:200]!r}" if line else f"end of output, exit status {self._process.returncode}"
            raise self._unavailable(got, f"a JSON answer to {op!r}", "mend the driver") from error
        if ok is True:
            return answer.get("result")
        kind = ERROR_KINDS.get(str(answer.get("kind")), ReferenceUnavailableError)
        raise kind(
            explain(
                f"reference {self._name}, {op!r}", got=answer.get("error"), expected="success", remedy="see its text"
            )
        )

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _read_stderr(self) -> str:
        self._stderr.seek(0)
        return self._stderr.read().decode(errors="replace")[-STDERR_TAIL:].strip()

    def _unavailable(self, got: object, expected: object, remedy: str) -> ReferenceUnavailableError:
        tail = self._error_tail if self._stderr.closed else self._read_stderr()
        text = explain(f"reference {self._name}", got=got, expected=expected, remedy=remedy)
        return ReferenceUnavailableError(f"{text}; its standard error ends: {tail}" if tail else text)
