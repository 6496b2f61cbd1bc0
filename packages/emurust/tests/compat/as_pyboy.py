"""A pytest plugin (``-p as_pyboy``) that gives ``import pyboy`` our face, for running PyBoy's own tests on it.

PyBoy starts with its own boot ROM; so do consoles here: the plugin passes the file from the installed wheel.
"""

from __future__ import annotations

import io
import sys
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import emurust.pyboy
from emurust.as_pyboy import Finder
from emurust.game_boy import MONOCHROME_PALETTES
from emurust.pyboy import console, options, utils
from emurust.pyboy.errors import not_offered
from rlenv_shared.verification import locate

# PyBoy's modules that have another name here
_RENAMED = {"pyboy.pyboy": "emurust.pyboy.console"}


class PyBoy(console.PyBoy):
    """Ours, with PyBoy's boot ROM."""

    def __init__(self, gamerom: Any, *, bootrom: Any = None, cgb: bool | None = None, **others: Any) -> None:
        given = gamerom
        if hasattr(gamerom, "read"):
            given = io.BytesIO(gamerom.read())
            header = given.getvalue()
        else:
            header = options.read_rom(gamerom)
        if bootrom is None:
            cgb = bool(len(header) > 0x143 and header[0x143] & 0x80) if cgb is None else cgb
            bootrom = _boot_rom(cgb)
        super().__init__(given, bootrom=bootrom, cgb=cgb, **others)

    # private, but PyBoy's tests call them
    _lookup_symbol = console.PyBoy.symbol_lookup

    def _load_symbols(self) -> dict[int, dict[int, list[str]]]:
        return self.rom_symbols


def _boot_rom(color: bool) -> Path:
    adapter = locate.reference("pyboy")

    return adapter.boot_rom(color)


class _Unused:
    """Something of PyBoy's own parts: it can be imported and passed on, and raises when it is used."""

    def __init__(self, name: str):
        self._name = name

    def __call__(self, *_: object, **__: object) -> NoReturn:
        raise not_offered(self._name, "the attributes of PyBoy")

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise not_offered(f"{self._name}.{name}", "the attributes of PyBoy")


class _Missing(ModuleType):
    """A module of PyBoy's own parts, in which there is every name."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Unused(f"{self.__name__}.{name}")


class _Placeholder(Loader):
    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Missing(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing in it."""


class _Finder(Finder):
    def missing(self, name: str) -> ModuleSpec:
        """A module in which there is every name."""
        return ModuleSpec(name, _Placeholder(), is_package=True)


class IntIOWrapper:
    """PyBoy's reader and writer of single bytes, which its tests use to look into states."""

    def __init__(self, buffer: Any):
        self.buffer = buffer

    def write(self, byte: int) -> int:
        """Writes a byte."""
        if not isinstance(byte, int):
            raise utils.PyBoyAssertException("a byte: got something else, expected an integer; correct it")
        if not 0 <= byte <= 0xFF:
            raise utils.PyBoyOutOfBoundsException("a byte: got another number, expected 0 to 255; correct it")
        return self.buffer.write(bytes([byte]))

    def read(self) -> int:
        """Reads a byte."""
        data = self.buffer.read(1)
        if len(data) != 1:
            raise utils.PyBoyAssertException("a byte: got the end, expected data; correct it")
        return data[0]

    def seek(self, position: int) -> None:
        """Goes to a position."""
        self.buffer.seek(position)

    def tell(self) -> int:
        """The position."""
        return self.buffer.tell()

    def flush(self) -> None:
        """Writes what is held back."""
        self.buffer.flush()


# what only PyBoy's own tests import
_INTERNALS = {
    "IntIOWrapper": IntIOWrapper,
    "CLOCK_RATE": 1 << 22,
    "FRAME_CYCLES": 70_224,
    "INTR_LCDC": 2,
    "MAX_CYCLES": 1 << 31,
}
for _name, _value in _INTERNALS.items():
    setattr(utils, _name, _value)
console.DMG_PALETTES = MONOCHROME_PALETTES  # type: ignore[attr-defined]
emurust.pyboy.__main__ = _Missing("pyboy.__main__")  # type: ignore[attr-defined]
emurust.pyboy.PyBoy = console.PyBoy = PyBoy  # type: ignore[misc]
sys.meta_path.insert(0, _Finder(_RENAMED))
