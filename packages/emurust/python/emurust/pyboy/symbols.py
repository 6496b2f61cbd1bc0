"""Symbol files: RGBDS's `.sym` with banks, sdld's `.map` without."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from emurust.pyboy.errors import PyBoyFileNotFoundError, PyBoyInvalidInputException, refused

_MAP_LINE: Final = re.compile(r"\s*([0-9A-Fa-f]{8})\s+(\S+)\s+\S*\s*")
_SYM_LINE: Final = re.compile(r"([0-9A-Fa-f]+):([0-9A-Fa-f]+) ([^: ]+)")


class Symbols:
    """Names of places: `by_name[name] = (bank, address)`, `by_place[bank][address] = [names]`."""

    def __init__(self) -> None:
        self.by_name: dict[str, tuple[int, int]] = {}
        self.by_place: dict[int, dict[int, list[str]]] = {}

    @classmethod
    def find(cls, named: str | os.PathLike[str] | None, rom: str | None) -> Symbols:
        """Reads the named file, and those that lie beside the ROM.

        Raises:
            PyBoyFileNotFoundError: The named file is not there.
        """
        if named is not None and not os.path.isfile(named):
            raise refused(PyBoyFileNotFoundError, "symbols", named, "a .sym or .map file")
        beside: list[str] = []
        if rom is not None:
            stem = os.path.splitext(rom)[0]
            beside = [f"{base}{ending}" for ending in (".sym", ".map") for base in (stem, rom)]
        symbols = cls()
        for path in ([os.fspath(named)] if named is not None else []) + beside:
            if os.path.isfile(path):
                symbols.read(Path(path))
        return symbols

    def read(self, path: Path) -> None:
        """Adds the symbols of a file; lines of other forms are left out."""
        text = path.read_text()
        if path.suffix == ".map":
            for line in text.splitlines():
                if (found := _MAP_LINE.fullmatch(line)) and found[2] not in self.by_name:
                    self._add(0, int(found[1], 16), found[2])
            return
        group = "labels"
        for line in map(str.strip, text.splitlines()):
            if line.startswith("["):
                group = line[1:-1]
            elif group == "labels" and not line.startswith(";") and (found := _SYM_LINE.fullmatch(line)):
                self._add(int(found[1], 16), int(found[2], 16), found[3])

    def _add(self, bank: int, address: int, name: str) -> None:
        self.by_name[name] = (bank, address)
        self.by_place.setdefault(bank, {}).setdefault(address, []).append(name)

    def lookup(self, name: str) -> tuple[int, int]:
        """Bank and address of a symbol.

        Raises:
            PyBoyInvalidInputException: There is no such symbol; it is a `ValueError`.
        """
        if name not in self.by_name:
            raise refused(PyBoyInvalidInputException, "symbol", repr(name), f"one of the {len(self.by_name)} loaded")
        return self.by_name[name]
