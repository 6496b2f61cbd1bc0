"""Checks of what `PyBoy` is made with and asked for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from emurust.pyboy.errors import (
    PyBoyFileNotFoundError,
    PyBoyIndexError,
    PyBoyInvalidInputException,
    PyBoyInvalidOperationException,
    PyBoyKeyError,
    not_offered,
    refused,
)
from emurust.pyboy.logging import Log

_LEVELS: Final = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL", "DISABLE")
_SHORT_BOOT_BYTES: Final = 0x100
_COLOR_FLAG: Final = 0x143
_FASTEST: Final = 2**62
# arguments of PyBoy that are not offered, with what to use instead where one asks for them
_OTHERS: Final = {
    "serial_shared_memory": "nothing: the link cable is not emulated",
    "serial_interrupt_based": "nothing: the link cable is not emulated",
    "sgb_border": "nothing: Super Game Boy functions are not emulated",
    "autopause": "send_input(WindowEvent.PAUSE)",
    "breakpoints": "hook_register",
    "printer": "nothing: the printer is not emulated",
    "printer_output": "nothing: the printer is not emulated",
    "record_input": "keep what you send",
    "rewind": "save_state and load_state",
    "randomize": "memory, before the first tick",
    "debug": "hook_register and register_file",
}


def old_names(given: dict[str, Any], window: Any, bootrom: Any, volume: Any, log: Log) -> tuple[Any, Any, Any]:
    """Window, boot ROM and volume, by their names of PyBoy 1.x where these are given; takes them out of ``given``."""
    if "bootrom_file" in given:
        log.error("pyboy.pyboy", "'bootrom_file' is the old name of the argument 'bootrom'")
        bootrom = given.pop("bootrom_file")
    if "window_type" in given:
        log.error("pyboy.pyboy", "'window_type' is the old name of the argument 'window'")
        window = given.pop("window_type")
    if given.pop("sound", None):
        log.error("pyboy.pyboy", "'sound' is an old argument; 'sound_volume' and 'sound_emulated' took its place")
        volume = 100
    return window, bootrom, volume


def check_others(given: dict[str, Any]) -> None:
    """Refuses arguments that nobody knows, and those that ask for something that is not offered.

    Raises:
        PyBoyKeyError, NotOfferedError
    """
    for name, value in given.items():
        if name not in _OTHERS:
            raise refused(PyBoyKeyError, "argument", repr(name), "one of PyBoy's")
        if value:
            raise not_offered(f"argument {name}", f"use {_OTHERS[name]}")


def check_log_level(level: object) -> None:
    """Refuses levels that PyBoy does not know."""
    if level not in _LEVELS and not isinstance(level, int):
        raise refused(PyBoyInvalidInputException, "log_level", repr(level), ", ".join(_LEVELS))


def check_volume(volume: object) -> None:
    """Refuses volumes other than 0 to 100."""
    if not isinstance(volume, int | float) or not 0 <= volume <= 100:
        raise refused(PyBoyInvalidInputException, "sound_volume", repr(volume), "0 to 100")


def sample_rate(rate: object) -> int:
    """The samples a second that were asked for."""
    if rate is None:
        return 48_000
    if not isinstance(rate, int) or not 0 < rate <= 4_194_304:
        raise refused(PyBoyInvalidInputException, "sound_sample_rate", repr(rate), "1 to 4194304, or None")
    return rate


def read_rom(gamerom: Any) -> bytes:
    """The bytes of the ROM.

    Raises:
        PyBoyFileNotFoundError: No such file.
        PyBoyInvalidInputException: Neither a path nor a binary file.
    """
    if gamerom is None:
        raise refused(PyBoyFileNotFoundError, "game ROM", None, "a path or a binary file")
    if isinstance(gamerom, str | Path):
        return _read("game ROM", gamerom)
    data = gamerom.read() if hasattr(gamerom, "read") else None
    if not isinstance(data, bytes):
        raise refused(PyBoyInvalidInputException, "game ROM", repr(gamerom)[:60], "a path or a binary file")
    return data


def read_boot_rom(bootrom: Any) -> bytes | None:
    """The bytes of the boot ROM, if one is given."""
    if bootrom is None:
        return None
    if not isinstance(bootrom, str | os.PathLike):
        raise refused("PyBoyTypeError", "bootrom", repr(bootrom)[:60], "a path")
    return _read("bootrom", bootrom)


def _read(what: str, path: str | os.PathLike[str]) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise refused(PyBoyFileNotFoundError, what, f"{path}: {error.strerror}", "a file") from None


def color(cgb: object, boot: bytes | None) -> bool | None:
    """Which console: a boot ROM decides where it is not said, as in PyBoy by its length.

    PyBoy's own boot ROMs have 256 bytes, that of the colour console too: it needs ``cgb=True``.

    Raises:
        PyBoyInvalidOperationException: A long boot ROM and a monochrome console.
    """
    long = boot is not None and len(boot) > _SHORT_BOOT_BYTES
    if cgb is None:
        return None if boot is None else long
    if long and not cgb:
        raise refused(PyBoyInvalidOperationException, "bootrom", "one of the colour console", "one that fits cgb")
    return bool(cgb)


def wants_color(rom: bytes) -> bool:
    """The cartridge is for colour consoles."""
    return len(rom) > _COLOR_FLAG and rom[_COLOR_FLAG] & 0x80 != 0


def palette(colors: Any) -> list[int]:
    """Four colours.

    Raises:
        PyBoyIndexError: Another number of them.
        PyBoyOverflowError: One out of range.
    """
    try:
        found = list(colors)
    except TypeError:
        raise refused("PyBoyTypeError", "palette", repr(colors), "four colours 0xRRGGBB") from None
    if len(found) != 4:
        raise refused(PyBoyIndexError, "palette", f"{len(found)} colours", "four")
    if not all(isinstance(one, int) for one in found):
        raise refused("PyBoyTypeError", "palette", repr(colors), "four colours 0xRRGGBB")
    if not all(0 <= one <= 0xFFFFFF for one in found):
        raise refused("PyBoyOverflowError", "palette", [hex(one) for one in found], "colours 0 to 0xFFFFFF")
    return found


def palettes(colors: Sequence[Sequence[int]]) -> list[list[int]]:
    """Three palettes."""
    try:
        found = list(colors)
    except TypeError:
        raise refused("PyBoyTypeError", "cgb_color_palette", repr(colors), "three palettes") from None
    if len(found) != 3:
        raise refused(PyBoyInvalidInputException, "cgb_color_palette", f"{len(found)} palettes", "three")
    return [palette(one) for one in found]


def frames(count: Any) -> int:
    """A number of frames; as in PyBoy fractions are cut off.

    Raises:
        PyBoyInvalidInputException: Negative, or no number.
        PyBoyOverflowError: More than fit into 63 bits.
    """
    if type(count) is int and 0 <= count < 2**63:  # nearly always
        return count
    if not isinstance(count, int | float) and not hasattr(count, "__index__"):
        raise refused("PyBoyTypeError", "count", repr(count), "a non-negative integer")
    found = int(count) if count == count and abs(count) != float("inf") else -1
    if found < 0:
        raise refused(PyBoyInvalidInputException, "count", repr(count), "a non-negative integer")
    if found >= 2**63:
        raise refused("PyBoyOverflowError", "count", repr(count), "less than 2**63 frames")
    return found


def delay(value: Any) -> int:
    """A delay in frames.

    Raises:
        PyBoyInvalidInputException: Negative, or no integer.
    """
    if not hasattr(value, "__index__"):
        raise refused("PyBoyTypeError", "delay", repr(value), "a non-negative integer")
    if value < 0:
        raise refused(PyBoyInvalidInputException, "delay", repr(value), "a non-negative integer")
    return int(value)


def speed(value: Any) -> int:
    """Times the real speed, cut to an integer."""
    if not isinstance(value, int | float) or value != value or abs(value) > _FASTEST:
        raise refused("PyBoyTypeError", "speed", repr(value), "a number, 0 for no limit")
    return int(value)


def integer(what: str, value: Any) -> int:
    """An integer, of NumPy's too."""
    if not hasattr(value, "__index__"):
        raise refused("PyBoyTypeError", what, repr(value), "an integer")
    return int(value)
