"""Runs snippets on PyBoy and on `emurust.pyboy` and tells what became of them: one child process a snippet.

Snippets are Python code; what they assign to ``out`` is the result.  A child is forked for each from a console that
stands at its 120th frame, so a snippet may crash or hang (PyBoy does both for some arguments) and none sees another's
traces.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import select
import signal
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np

SIDES: Final = ("pyboy", "emurust.pyboy")
START_FRAMES: Final = 120
LIMIT_SECONDS: Final = 20.0
_PLAIN: Final = (bool, int, str, type(None))


def shown(value: Any) -> Any:
    """A value as JSON: numbers and texts as they are, arrays and pictures by their digests, other objects by repr."""
    if isinstance(value, np.ndarray):
        return {"array": str(value.dtype), "shape": list(value.shape), "crc": zlib.crc32(np.ascontiguousarray(value))}
    if isinstance(value, bytes | bytearray | memoryview):
        return {"bytes": len(bytes(value)), "crc": zlib.crc32(bytes(value))}
    if isinstance(value, np.generic):
        return {"scalar": str(value.dtype), "value": value.item()}
    if isinstance(value, _PLAIN) and type(value) in _PLAIN:
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, dict):
        return {"dict": sorted(([shown(key), shown(one)] for key, one in value.items()), key=repr)}
    if isinstance(value, list | tuple):
        return [type(value).__name__, *map(shown, value)]
    if hasattr(value, "tobytes") and hasattr(value, "size"):
        return {"picture": [value.mode, *value.size], "crc": zlib.crc32(value.tobytes())}
    return {"repr": repr(value).replace("emurust.", "")}


def raised(error: BaseException) -> dict[str, Any]:
    """An exception: its type, and all it is, by name."""
    return {
        "raises": type(error).__name__,
        "kinds": [kind.__name__ for kind in type(error).__mro__],
        "text": str(error),
    }


class Console:
    """One side: the modules a script imports, and a console at the start."""

    def __init__(self, side: str, rom: bytes, symbols: str, boot_rom: Path):
        self.side = side
        self.folder = Path(tempfile.mkdtemp())
        self.rom = self.folder / "game.gb"
        self.rom.write_bytes(rom)
        self.rom.with_suffix(".sym").write_text(symbols)
        self.boot_rom = str(boot_rom)

    def names(self) -> dict[str, Any]:
        """What a snippet can use."""
        import importlib

        def module(name: str) -> ModuleType:
            return importlib.import_module(f"{self.side}{name}")

        scanner = module(".api.memory_scanner")
        found: dict[str, Any] = {
            "PyBoy": module("").PyBoy,
            "WindowEvent": module(".utils").WindowEvent,
            "utils": module(".utils"),
            "constants": module(".api.constants"),
            "scanner": scanner,
            "io": io,
            "os": os,
            "np": np,
            "rom": str(self.rom),
            "boot_rom": self.boot_rom,
            "folder": str(self.folder),
        }
        found["make"] = lambda **options: found["PyBoy"](
            options.pop("gamerom", str(self.rom)), **{"window": "null", "bootrom": self.boot_rom, **options}
        )
        found["start"] = self._start(found["PyBoy"])
        found["titled"] = lambda title: found["make"](gamerom=self._titled(title))
        found["p"] = found["make"]()
        found["p"].tick(START_FRAMES)
        return found

    def _titled(self, title: str) -> io.BytesIO:
        """The ROM under the title of another game, whose memory a snippet then makes up."""
        data = bytearray(self.rom.read_bytes())
        data[0x134:0x143] = title.encode().ljust(15, b"\0")
        data[0x14D] = -(sum(data[0x134:0x14D]) + 25) & 0xFF
        return io.BytesIO(data)

    def _start(self, pyboy: Any) -> Any:
        """Constructs a colour console as PyBoy starts one: it with its own boot ROM, ours with that file."""
        ours = self.side != "pyboy"
        color_boot_rom = self.boot_rom.replace("dmg", "cgb")

        def start(gamerom: Any, cgb: bool | None = None) -> Any:
            if ours:
                return pyboy(gamerom, window="null", cgb=True, bootrom=color_boot_rom)
            return pyboy(gamerom, window="null", cgb=cgb)

        return start

    def run(self, snippets: list[str]) -> Iterator[Any]:
        """The result of each, in turn."""
        names = self.names()
        for snippet in snippets:
            yield self._run_one(names, snippet)

    def _run_one(self, names: dict[str, Any], snippet: str) -> Any:
        reader, writer = os.pipe()
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            os.close(reader)
            with contextlib.suppress(BaseException):
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
                os.dup2(1, 2)
                os.chdir(self.folder)
                try:
                    exec(compile(snippet, "snippet", "exec"), names)
                    result = {"out": shown(names.get("out"))}
                except BaseException as error:
                    result = raised(error)
                os.write(writer, json.dumps(result).encode())
            os._exit(0)
        os.close(writer)
        data = self._read(reader)
        if data is None:
            os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
        if data is None:
            return {"hangs": True}
        if not data:
            return {"crashes": os.WTERMSIG(status) if os.WIFSIGNALED(status) else status}
        return json.loads(data)

    @staticmethod
    def _read(reader: int) -> bytes | None:
        """What a child writes; None if it takes too long."""
        data, end = b"", time.monotonic() + LIMIT_SECONDS
        with os.fdopen(reader, "rb", buffering=0) as file:
            while True:
                if not select.select([file], [], [], max(0.0, end - time.monotonic()))[0]:
                    return None
                part = file.read(1 << 16)
                if not part:
                    return data
                data += part


def verdict(pyboy: Any, ours: Any) -> str:
    """How our result compares.

    ``same``: the same value, or an exception of the kind that PyBoy raises.  ``works``: a value where PyBoy crashes,
    hangs or refuses.  ``not offered``: it raises the error that
    names a replacement.  ``refused``: a typed error where PyBoy returns something, crashes or hangs.  ``differs`` and
    ``bare`` (an exception that is none of ours) must not be.
    """
    if "raises" in ours:
        if "EmurustError" not in ours["kinds"]:
            return "bare"
        if "NotOfferedError" in ours["kinds"]:
            return "not offered"
        return "same" if pyboy.get("raises") in ours["kinds"] else "refused"
    if "out" not in pyboy:
        return "works"
    # as texts: True is no 1
    return "same" if json.dumps(pyboy) == json.dumps(ours) else "differs"
