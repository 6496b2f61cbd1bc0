"""Client of a reference that runs as a subprocess and speaks JSON lines over its standard streams.

One request, one answer, one line each::

    > {"id": 0, "op": "hello", "protocol": 1}
    < {"id": 0, "ok": true, "result": {"protocol": 1, "name": "pokemon-showdown", "version": "0.11.11"}}
    > {"id": 1, "op": "episodes", "episodes": [{"seed": 7, "actions": [0, 2, 1]}, ...]}
    < {"id": 1, "ok": true, "result": {"dtypes": {...}, "steps": [<canonical step>, ...]}}
    < {"id": 2, "ok": false, "error": "slot 3 is empty", "kind": "illegal_action"}

What an episode specification holds is between adapter and driver; canonical steps are those of `jsonl`.  Standard
error is free for diagnostics; its end is quoted when the process fails.

Whatever a driver does, a request ends by its deadline, and nothing of it outlives the client: see `launcher`.
"""

from __future__ import annotations

import contextlib
import math
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, NoReturn, Self

from rlenv_shared.errors import EnvError, IllegalActionError, InvalidParamsError, ReferenceUnavailableError
from rlenv_shared.files import parse_json, to_json
from rlenv_shared.verification import jsonl
from rlenv_shared.verification.pinned import Pin
from rlenv_shared.verification.trajectory import Trajectory

PROTOCOL: Final = 1
STARTUP_TIMEOUT_S: Final = 60.0
REQUEST_TIMEOUT_S: Final = 120.0
CLOSE_TIMEOUT_S: Final = 5.0
MAX_ANSWER_BYTES: Final = 1 << 28
CHUNK_BYTES: Final = 1 << 16
STDERR_TAIL: Final = 2000  # bytes quoted in errors
LAUNCHER: Final = Path(__file__).with_name("launcher.py")
ERROR_KINDS: Final[Mapping[str, type[EnvError]]] = {
    "illegal_action": IllegalActionError,
    "invalid_params": InvalidParamsError,
}


class ReferenceProcess:
    """A running driver; a context manager, for one thread at a time.

    Args:
        command: program and arguments.
        pin: what the driver must say it is.
        timeout_s: seconds for one answer; the process is killed when they pass.
        startup_timeout_s: seconds for the handshake.
        cwd: working directory of the driver.
        env: its environment variables; ours when None.
        max_answer_bytes: size of one answer; the process is killed when it writes more.

    Raises:
        ReferenceUnavailableError: it cannot be started, does not answer, or is another version.
        InvalidParamsError: a time limit is not above 0.
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
        max_answer_bytes: int = MAX_ANSWER_BYTES,
    ) -> None:
        self._name, self._timeout_s, self._next_id, self._most = pin.name, timeout_s, 0, max_answer_bytes
        self._received, self._error_tail = bytearray(), bytearray()
        lifeline, ours = os.pipe()
        self._lifeline = os.fdopen(ours, "wb", 0)  # the driver dies when it is closed, as by the end of this process
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(LAUNCHER), str(lifeline), *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=cwd,
                env=None if env is None else dict(env),
                pass_fds=[lifeline],
                start_new_session=True,  # Ctrl-C is ours alone
            )
        except BaseException as error:
            self._lifeline.close()
            if not isinstance(error, OSError | ValueError):
                raise
            raise self._unavailable(error, "a driver that starts", f"install what {command[0]!r} needs") from error
        finally:
            os.close(lifeline)
        try:
            hello = self.request("hello", startup_timeout_s, protocol=PROTOCOL)
            got = tuple(hello.get(key) for key in ("protocol", "name", "version")) if isinstance(hello, dict) else hello
            if got != (PROTOCOL, pin.name, pin.version):
                self._fail(got, (PROTOCOL, pin.name, pin.version), "install the pinned version")
        except BaseException:  # Ctrl-C too
            self._kill()
            raise

    def request(self, op: str, timeout_s: float | None = None, /, **arguments: Any) -> Any:
        """Send one request, wait ``timeout_s`` (the process's own limit when None) and return the answer's ``result``.

        Raises:
            IllegalActionError, InvalidParamsError: the driver said so, or the request is no JSON.
            ReferenceUnavailableError: any other error of the driver; it died, hung or wrote no JSON, or too much (it is
                killed).
        """
        limit_s = self._timeout_s if timeout_s is None else timeout_s
        if not 0 < limit_s < math.inf:
            raise InvalidParamsError("timeout_s", limit_s, "seconds above 0", "give the driver time")
        request_id, self._next_id = self._next_id, self._next_id + 1
        message = to_json(f"request {op!r}", {"id": request_id, "op": op, **arguments}) + b"\n"
        if self._lifeline.closed:
            got = f"a driver that has ended, exit status {self._process.returncode}"
            raise self._unavailable(got, "a running driver", "start it again")
        line = b""
        try:
            line = self._exchange(message, time.monotonic() + limit_s)
            answer = parse_json(line, special=True)
            ok = answer["ok"]
            if answer["id"] != request_id:
                raise ValueError(f"answer {answer['id']} to request {request_id}")
        except TimeoutError:
            self._fail(f"no answer to {op!r} in {limit_s} s", "an answer", "raise the limit or mend the driver")
        except EOFError:
            self._kill()
            got = f"end of output, exit status {self._process.returncode}"
            self._fail(got, f"a JSON answer to {op!r}", "mend the driver, or install what it needs")
        except (ValueError, KeyError, TypeError, OSError, RecursionError, MemoryError) as error:
            got = f"{bytes(line[:80])!r} ({type(error).__name__}: {str(error)[:200]})"
            self._fail(got, f"a JSON answer to {op!r}", "mend the driver")
        except BaseException:  # what is still to come would be taken for the next answer
            self._kill()
            raise
        if ok is True:
            return answer.get("result")
        kind = ERROR_KINDS.get(str(answer.get("kind")), ReferenceUnavailableError)
        got = f"{answer.get('error')!s:.2000}"
        raise kind(f"reference {self._name}, {op!r}", got, "success", "see its text")

    def _exchange(self, message: bytes, deadline: float) -> bytes:
        """Send a line; the next one that comes.  Raises TimeoutError, EOFError: none; ValueError: it is too long."""
        unsent, end = memoryview(message), self._received.find(b"\n")
        stdin, stdout, stderr = (stream.fileno() for stream in self._streams())
        os.set_blocking(stdin, False)
        with selectors.DefaultSelector() as selector:
            selector.register(stdin, selectors.EVENT_WRITE)
            selector.register(stdout, selectors.EVENT_READ)
            selector.register(stderr, selectors.EVENT_READ)
            while unsent or end < 0:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError
                for key, _ in selector.select(min(left, 60.0)):
                    if key.fd == stdin:
                        with contextlib.suppress(BrokenPipeError):  # it is gone: what it still said is read first
                            unsent = unsent[os.write(stdin, unsent[:CHUNK_BYTES]) :]
                            if unsent:
                                continue
                        unsent = unsent[:0]
                        selector.unregister(stdin)
                        continue
                    chunk = os.read(key.fd, CHUNK_BYTES)
                    if key.fd == stderr:
                        self._error_tail = (self._error_tail + chunk)[-STDERR_TAIL:]
                        if not chunk:
                            selector.unregister(stderr)
                        continue
                    if not chunk:
                        raise EOFError
                    found = chunk.find(b"\n")
                    end = len(self._received) + found if end < 0 <= found else end
                    self._received += chunk
                    if len(self._received) > self._most:
                        raise ValueError(f"{len(self._received)} bytes, more than {self._most}: {chunk[:80]!r}…")
        line, self._received = bytes(self._received[:end]), self._received[end + 1 :]
        return line

    def run_episodes(self, episodes: Sequence[Mapping[str, Any]]) -> Trajectory:
        """Play episodes, as the driver understands them: their recording, a column each; errors as `request`."""
        result = self.request("episodes", episodes=list(episodes))
        try:
            steps = [jsonl.step_from_json(step) for step in result["steps"]]
            recording = jsonl.from_steps(steps, result.get("dtypes", {}), {"reference": self._name})
        except (KeyError, TypeError, ValueError) as error:
            raise self._unavailable(repr(error)[:500], "canonical steps", "mend the driver") from error
        if recording.num_episodes != len(episodes):
            raise self._unavailable(f"{recording.num_episodes} episodes", len(episodes), "mend the driver")
        return recording

    def close(self) -> None:
        """End the driver: its input ends; it is killed if it does not leave, and so is what it has started."""
        try:
            if not self._lifeline.closed:
                self._streams()[0].close()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(CLOSE_TIMEOUT_S)
        finally:
            self._kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _streams(self) -> list[IO[bytes]]:
        """Its input, output and error."""
        pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        return [pipe for pipe in pipes if pipe is not None]

    def _kill(self) -> None:
        """End the driver and all it started, at once."""
        if self._lifeline.closed:
            return
        self._lifeline.close()
        try:
            self._process.wait(CLOSE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._received.clear()
        *pipes, stderr = self._streams()
        os.set_blocking(stderr.fileno(), False)
        self._error_tail = (self._error_tail + (stderr.read(CHUNK_BYTES) or b""))[-STDERR_TAIL:]
        for pipe in (*pipes, stderr):
            pipe.close()

    def _fail(self, got: object, expected: object, remedy: str) -> NoReturn:
        self._kill()
        raise self._unavailable(got, expected, remedy)

    def _unavailable(self, got: object, expected: object, remedy: str) -> ReferenceUnavailableError:
        tail = self._error_tail.decode(errors="replace").strip()
        remedy = f"{remedy}; its standard error ends: {tail}" if tail else remedy
        return ReferenceUnavailableError(f"reference {self._name}", got, expected, remedy)
