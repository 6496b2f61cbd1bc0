"""The ROMs that are compared: our own, and the homebrew collection, which is not part of the repository."""

from __future__ import annotations

import hashlib
import json
import lzma
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from emurust.games import windfall
from emurust.verification import DECLARATION
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.verification.verify import Findings

INDEX: Final = Path(__file__).with_name("homebrew.json")
COLOR_ONLY: Final = 0xC0  # header byte 0143
OWN_FRAMES: Final = 600  # our test programs repeat themselves within a second
Roms = Iterator[tuple[str, bytes]]


def homebrew(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Name and content of every file that homebrew.json lists; of every ROM of a folder that has none of these.

    Raises:
        InvalidParamsError: one is missing or another, or there is no ROM.
    """
    listed = json.loads(INDEX.read_text())
    if not any((folder / entry["name"]).is_file() for entry in listed):
        found = sorted(path for path in folder.iterdir() if path.suffix.lower() in (".gb", ".gbc"))
        if not found:
            raise InvalidParamsError(f"{folder} holds no .gb or .gbc file; set ROMS to a folder that does")
        yield from ((path.name, path.read_bytes()) for path in found)
        return
    for entry in listed:
        path = folder / entry["name"]
        if not path.is_file():
            raise InvalidParamsError(f"{path} is missing; homebrew.json says where the collection comes from")
        rom = path.read_bytes()
        if hashlib.sha256(rom).hexdigest() != entry["sha256"]:
            raise InvalidParamsError(f"{path} is not the listed file")
        yield entry["name"], rom


def own() -> Iterator[tuple[str, bytes]]:
    """Name and content of our test programs and of our game."""
    for path in sorted((DECLARATION.results.parent / "roms" / "built").glob("*.gb.xz")):
        yield path.name.removesuffix(".xz"), lzma.decompress(path.read_bytes())
    yield "windfall.gb", windfall.rom()


def consoles(rom: bytes) -> tuple[bool, ...]:
    """Whether each console that a cartridge may be put into shows colour."""
    return (True,) if rom[0x143] & COLOR_ONLY == COLOR_ONLY else (False, True)


def survey_all(survey: Callable[[Roms, int], dict[str, Any]], frames: int, **measured: Any) -> Findings:
    """Run a survey on our own ROMs, and on the homebrew collection, whose folder ``ROMS`` names.

    Args:
        survey: ``(roms, frames) -> tree of comparisons``.
        frames: of each homebrew run.
        **measured: facts for the results.
    """
    found = Findings({"own": survey(own(), min(OWN_FRAMES, frames))}, measured)
    if "ROMS" in os.environ:
        found.comparisons["homebrew"] = survey(homebrew(Path(os.environ["ROMS"])), frames)
    else:
        found.problems.append("homebrew: NOT COMPARED; set ROMS to a folder with the files that homebrew.json lists")
    return found
