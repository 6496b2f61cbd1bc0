"""The ROMs that are compared: our own, and the homebrew collection, which is not part of the repository."""

from __future__ import annotations

import hashlib
import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from emurust.games import windfall

PACKAGE: Final = Path(__file__).resolve().parents[2]
INDEX: Final = Path(__file__).with_name("homebrew.json")
COLOR_ONLY: Final = 0xC0  # header byte 0143


def homebrew(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Name and content of every file that homebrew.json lists; of every ROM of a folder that has none of these.

    Raises:
        SystemExit: one is missing or another, or there is no ROM.
    """
    listed = json.loads(INDEX.read_text())
    if not any((folder / entry["name"]).is_file() for entry in listed):
        found = sorted(path for path in folder.iterdir() if path.suffix.lower() in (".gb", ".gbc"))
        if not found:
            raise SystemExit(f"{folder} holds no .gb or .gbc file")
        yield from ((path.name, path.read_bytes()) for path in found)
        return
    for entry in listed:
        path = folder / entry["name"]
        if not path.is_file():
            raise SystemExit(f"{path} is missing; homebrew.json says where the collection comes from")
        rom = path.read_bytes()
        if hashlib.sha256(rom).hexdigest() != entry["sha256"]:
            raise SystemExit(f"{path} is not the listed file")
        yield entry["name"], rom


def own() -> Iterator[tuple[str, bytes]]:
    """Name and content of our test programs and of our game."""
    for path in sorted((PACKAGE / "roms" / "built").glob("*.gb.xz")):
        yield path.name.removesuffix(".xz"), lzma.decompress(path.read_bytes())
    yield "windfall.gb", windfall.rom()


def consoles(rom: bytes) -> tuple[bool, ...]:
    """Whether each console that a cartridge may be put into shows colour."""
    return (True,) if rom[0x143] & COLOR_ONLY == COLOR_ONLY else (False, True)
