"""PyBoy 2.8.1 in a killable child process."""

from __future__ import annotations

import functools
import importlib.metadata
import pickle
import select
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final, Self

from rlenv_shared.errors import EnvError, ReferenceUnavailableError, explain
from rlenv_shared.verification.pinned import Pin

HERE: Final = Path(__file__).resolve().parent


class RefusedError(EnvError, RuntimeError):
    """PyBoy refused a request; the message is its own."""


class ReferenceHung(EnvError, RuntimeError):  # noqa: N818 (it is the observation, not a fault of ours)
    """PyBoy did not answer in time (it hangs on illegal opcodes) and was killed."""


def check() -> None:
    """Makes sure that the pinned PyBoy is installed.

    Raises:
        ReferenceUnavailableError: it is missing or of another version.
    """
    Pin.load(HERE / "pin.json").check_installed()


@functools.cache
def boot_rom(color: bool) -> Path:
    """Path of the boot ROM inside the installed wheel.

    Raises:
        ReferenceUnavailableError: PyBoy is not installed, or not the pinned one.
    """
    check()
    name = "bootrom_cgb.bin" if color else "bootrom_dmg.bin"
    for file in importlib.metadata.files("pyboy") or []:
        if file.name == name:
            return Path(str(file.locate()))
    raise ReferenceUnavailableError(
        explain(
            "boot ROM", got=f"no {name} in the installed pyboy", expected="that of the wheel", remedy="reinstall it"
        )
    )


class Child:
    """A process of `worker.py`, which holds one object at a time."""

    def __init__(self, kind: str, *opening: Any, timeout: float = 60.0) -> None:
        """Start it with a `worker.Console` or `worker.Group`, by name, and its arguments.

        Raises:
            ReferenceUnavailableError: PyBoy is not installed, or not the pinned one.
        """
        check()
        self.timeout = timeout
        self._start()
        self.call("open", kind, *opening)

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "worker.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def call(self, name: str, *arguments: Any) -> Any:
        """Calls a method of the console in the child.

        Raises:
            RefusedError: PyBoy raised.
            ReferenceHung: No answer within the timeout.
        """
        self.send(name, *arguments)
        return self.receive()

    def send(self, name: str, *arguments: Any) -> None:
        """Asks for a call; `receive` its result before the next."""
        data = pickle.dumps((name, arguments))
        self._process.stdin.write(struct.pack("<I", len(data)) + data)
        self._process.stdin.flush()

    def receive(self) -> Any:
        """The result of the call that was sent; errors as for `call`."""
        (length,) = struct.unpack("<I", self._read(4))
        good, result = pickle.loads(self._read(length))
        if not good:
            raise RefusedError(result)
        return result

    def _read(self, count: int) -> bytes:
        deadline = time.monotonic() + self.timeout
        data = b""
        while len(data) < count:
            ready, _, _ = select.select([self._process.stdout], [], [], max(0.0, deadline - time.monotonic()))
            part = self._process.stdout.read1(count - len(data)) if ready else b""
            if not part:
                self.close()
                raise ReferenceHung(f"PyBoy gave no answer within {self.timeout} s")
            data += part
        return data

    def close(self) -> None:
        """Kills the child."""
        self._process.kill()
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class PyBoyProcess(Child):
    """One PyBoy; what can be called are the methods of `worker.Console`."""

    def __init__(self, rom: bytes, cgb: bool | None = None, sound: bool = True, timeout: float = 60.0) -> None:
        super().__init__("Console", rom, cgb, sound, timeout=timeout)

    def reopen(self, rom: bytes, cgb: bool | None = None, sound: bool = True) -> None:
        """Another console in the same child (or in a new one, if PyBoy had to be killed)."""
        if self._process.poll() is not None:
            self._start()
        self.call("open", "Console", rom, cgb, sound)
