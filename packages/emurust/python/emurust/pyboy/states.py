"""What PyBoy reads and writes: states, `.ram` and `.rtc` files."""

from __future__ import annotations

import io
import os
import time
from typing import Any, Final

import numpy as np

from emurust import _core
from emurust.errors import EmurustError, translated
from emurust.pyboy.api.sound import Sound
from emurust.pyboy.errors import PyBoyAssertException, PyBoyInvalidInputException, PyBoyStateError, refused

_CLOCK_BYTES: Final = 33


def check_file(file: Any, method: str) -> None:
    """Refuses what is no binary file.

    Raises:
        PyBoyInvalidInputException: It is a path, a text file, or cannot be read or written.
    """
    if isinstance(file, str | os.PathLike):
        raise refused(PyBoyInvalidInputException, "file", repr(file), "a file object: open(path, 'rb' or 'wb')")
    if isinstance(file, io.TextIOBase):
        raise refused(PyBoyInvalidInputException, "file", "a text file", "a binary one: open(path, 'rb' or 'wb')")
    if not callable(getattr(file, method, None)):
        raise refused("PyBoyTypeError", "file", repr(file), f"a binary file with {method}()")


def read(file: Any) -> bytes:
    """All bytes of a binary file from where it stands.

    Raises:
        PyBoyInvalidInputException: It is none.
    """
    check_file(file, "read")
    data = file.read()
    if not isinstance(data, bytes | bytearray):
        raise refused(PyBoyInvalidInputException, "file", type(data).__name__, "bytes from read()")
    return bytes(data)


def save(machine: _core.Machine, sound: Sound, file: Any, state_format: int) -> None:
    """Writes a state in one of PyBoy's formats.

    Raises:
        PyBoyInvalidInputException: No release of PyBoy wrote that format, or it does not know colour consoles.
    """
    check_file(file, "write")
    if type(state_format) is not int or not 0 <= state_format <= 0xFF:
        expected = ", ".join(map(str, _core.PYBOY_FORMATS))
        raise refused(PyBoyInvalidInputException, "state format", repr(state_format), f"one of {expected}")
    samples, head = sound._samples.view(np.uint8), sound.raw_buffer_head
    try:
        with translated():
            data = machine.save_pyboy_state(samples, head, time.time(), state_format)
    except EmurustError as error:
        raise PyBoyInvalidInputException(str(error)) from None
    file.write(data)
    if hasattr(file, "flush"):
        file.flush()


def load(machine: _core.Machine, file: Any, running: bool) -> None:
    """Reads a state: PyBoy's, of any format, or emurust's own.

    What an older format lacks stays as it is in a ``running`` console, and is that of power on in one that never ran.

    Raises:
        PyBoyStateError: It is damaged, newer than 2.8's, or of another cartridge, model or setting; nothing changed.
    """
    state = read(file)
    if not state:
        raise refused(PyBoyAssertException, "state", "an empty file (rewind it with seek(0))", "a saved state")
    try:
        with translated():
            if running and not state.startswith(b"EMURUST\0"):
                machine.load_pyboy_state_running(state)
            else:
                machine.load_state(state)
    except EmurustError as error:
        raise PyBoyStateError(str(error)) from None


class Battery:
    """Cartridge RAM and clock, kept in files beside the ROM."""

    def __init__(self, machine: _core.Machine, rom: bytes):
        self._machine = machine
        self.has_ram = rom[0x147] in (0x03, 0x06, 0x09, 0x0F, 0x10, 0x13, 0x1B, 0x1E)
        self.has_clock = rom[0x147] in (0x0F, 0x10)

    def load(self, ram_file: Any, rtc_file: Any) -> None:
        """Fills RAM and clock; what the cartridge lacks is not read.

        Raises:
            PyBoyAssertException: A file is too short.
        """
        if ram_file is not None and self.has_ram:
            size = len(self._machine.cartridge_ram())
            data = read(ram_file)
            if len(data) < size:
                raise refused(PyBoyAssertException, "RAM file", f"{len(data)} bytes", f"{size} bytes")
            self._machine.set_cartridge_ram(data[:size])
        if rtc_file is not None and self.has_clock:
            data = read(rtc_file)
            if len(data) < _CLOCK_BYTES:
                raise refused(PyBoyAssertException, "RTC file", f"{len(data)} bytes", f"{_CLOCK_BYTES} bytes")
            self._machine.set_clock(data[:_CLOCK_BYTES])

    def save(self, ram_file: Any, rtc_file: Any) -> None:
        """Writes RAM and clock into the files that are given."""
        if ram_file is not None and self.has_ram:
            check_file(ram_file, "write")
            ram_file.write(self._machine.cartridge_ram())
        clock = self._machine.clock_file(time.time())
        if rtc_file is not None and clock is not None:
            check_file(rtc_file, "write")
            rtc_file.write(clock)
