"""PyBoy and our face side by side: constructed alike, called alike, compared."""

from __future__ import annotations

import io
import time
import warnings
import zlib
from typing import Any

import numpy as np

from emurust import _core
from emurust.pyboy import PyBoy
from rlenv_shared.verification import locate

adapter, worker = (locate.reference("pyboy", module) for module in ("adapter", "worker"))


def make_pyboy(rom: bytes, **options: Any) -> Any:
    """A PyBoy as it comes, without a window."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pyboy

    return pyboy.PyBoy(io.BytesIO(rom), **{"window": "null", "log_level": "CRITICAL", **options})


def make_ours(rom: bytes, **options: Any) -> PyBoy:
    """Ours, with PyBoy's boot ROM, on the console that PyBoy would take."""
    color = options.pop("cgb", None)
    color = bool(rom[0x143] & 0x80) if color is None else color
    return PyBoy(io.BytesIO(rom), **{"window": "null", "bootrom": adapter.boot_rom(color), "cgb": color, **options})


def has_clock(rom: bytes) -> bool:
    """Whether the cartridge has a clock, to which PyBoy adds the host's time since a state was saved."""
    return rom[0x147] in worker.CLOCK_CARTRIDGES


def state_of(console: Any, clock: bool = False) -> bytes:
    """A state as the console saves it; one with a clock is dated to a later moment than any load."""
    file, begin = io.BytesIO(), time.time()
    console.save_state(file)
    state = file.getvalue()
    return worker.saved_later(state, begin, time.time()) if clock else state


def load(console: Any, state: bytes) -> Any:
    """The console, with a state loaded."""
    console.load_state(io.BytesIO(state))
    return console


def normal_form(rom: bytes, state: bytes, **options: Any) -> bytes:
    """What a PyBoy state means: two states of equal normal form cannot be told apart by playing on.

    (PyBoy's also hold what nobody can see: priority bytes of drawn pixels, initial values of length counters.)
    """
    machine = make_ours(rom, **options)._machine
    machine.load_pyboy_state_running(state)
    found = machine.save_pyboy_state(np.zeros(0, np.uint8), 0, 0.0)
    assert isinstance(machine, _core.Machine)
    return found


def picture(console: Any) -> int:
    """CRC of the picture."""
    return zlib.crc32(console.screen.ndarray)


def memory(console: Any) -> int:
    """CRC of all memory that can be read without side effects, and of the cycle counter."""
    regions = (0x8000, 0xA000), (0xC000, 0xE000), (0xFE00, 0xFEA0), (0xFF80, 0x10000)
    data = b"".join(bytes(console.memory[start:end]) for start, end in regions)
    return zlib.crc32(data + console._cycles().to_bytes(8, "little"))
