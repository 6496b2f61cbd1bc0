"""PyBoy 2.8.1 in a killable child process."""

import importlib.metadata
import pickle
import select
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

VERSION = "2.8.1"


class RefusedError(RuntimeError):
    """PyBoy refused a request; the message is its own."""


class ReferenceHung(RuntimeError):  # noqa: N818 (it is the observation, not a fault of ours)
    """PyBoy did not answer in time (it hangs on illegal opcodes) and was killed."""


def available() -> bool:
    """Whether the pinned PyBoy is installed."""
    try:
        return importlib.metadata.version("pyboy") == VERSION
    except importlib.metadata.PackageNotFoundError:
        return False


def boot_rom(color: bool) -> Path:
    """Path of the boot ROM inside the installed wheel."""
    name = "bootrom_cgb.bin" if color else "bootrom_dmg.bin"
    for file in importlib.metadata.files("pyboy") or []:
        if file.name == name:
            return Path(str(file.locate()))
    raise FileNotFoundError(f"{name} is not in the installed pyboy; install pyboy=={VERSION}")


class PyBoyProcess:
    """One PyBoy; methods are those of `worker.Console`."""

    def __init__(self, rom: bytes, cgb: bool | None = None, sound: bool = True, timeout: float = 60.0):
        self.timeout = timeout
        self._opening = (rom, cgb, sound)
        self._start()

    def _start(self) -> None:
        worker = Path(__file__).with_name("worker.py")
        self._process = subprocess.Popen(
            [sys.executable, str(worker)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.call("open", *self._opening)

    def reopen(self, rom: bytes, cgb: bool | None = None, sound: bool = True) -> None:
        """Another console in the same child (or in a new one, if PyBoy had to be killed)."""
        self._opening = (rom, cgb, sound)
        if self._process.poll() is None:
            self.call("open", *self._opening)
        else:
            self._start()

    def call(self, name: str, *arguments: Any) -> Any:
        """Calls a method of the console in the child.

        Raises:
            RefusedError: PyBoy raised.
            ReferenceHung: No answer within the timeout.
        """
        data = pickle.dumps((name, arguments))
        self._process.stdin.write(struct.pack("<I", len(data)) + data)
        self._process.stdin.flush()
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

    def __enter__(self) -> "PyBoyProcess":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
