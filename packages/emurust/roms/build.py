"""Builds the test programs and the game from their sources with sdcc 4.2 (Debian: apt-get install sdcc).

    python roms/build.py            builds everything and writes sha256.json
    python roms/build.py --check    builds everything and compares it with sha256.json; writes nothing

Test programs are kept packed (`built/<name>.gb.xz`: most of a large cartridge is empty).  The game lies in the Python
package, `python/emurust/games/windfall.gb`, with the places of its functions and variables in `windfall.sym`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).resolve().parent
BUILT: Final = HERE / "built"
GAME: Final = HERE.parent / "python" / "emurust" / "games" / "windfall.gb"
SYMBOLS: Final = GAME.with_suffix(".sym")
DIGESTS: Final = HERE / "sha256.json"
# in listings after linking: labels, and variables at fixed places
LABEL: Final = re.compile(r"^ +([0-9A-F]{6}) +\d+ ([A-Za-z_]\w*)::?$", re.MULTILINE)
VARIABLE: Final = re.compile(r"(_\w+)\s*=\s*0x([0-9a-f]{4})\b")
BANK: Final = 0x4000
LOGO: Final = (
    b"own test programs of emurust; no logo is needed."  # 48 bytes at 0104; the mapper tells multicarts by them
)
BANK_NUMBER: Final = 0x3FF0
# What banks end with: inc d, inc e, nop or ld b,n.
EDGES: Final = (
    (0x14, 0x1C),
    (0x1C, 0x1C),
    (0x14, 0x14),
    (0x00, 0x14),
    (0x00, 0x06),
    (0x14, 0x06),
    (0x1C, 0x00),
    (0, 0),
)


def run(*command: str | Path, cwd: Path) -> None:
    """Run a tool; its messages are shown only if it fails."""
    done = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True)
    if done.returncode or "Error" in done.stderr:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")


def intel_hex(text: str, size: int) -> bytearray:
    """The bytes an Intel HEX file describes, in an image of zeroes."""
    image = bytearray(size)
    for line in text.split():
        record = bytes.fromhex(line.removeprefix(":"))
        if sum(record) & 0xFF:
            raise SystemExit(f"damaged line {line}")
        count, start, kind = record[0], int.from_bytes(record[1:3], "big"), record[3]
        if kind == 0:
            image[start : start + count] = record[4 : 4 + count]
    return image


def finish_header(image: bytearray, title: str, kind: int, ram_code: int, color: bool) -> bytes:
    """Fill in the cartridge header at 0134-014F, with both checksums."""
    image[0x134:0x143] = title.upper().encode()[:15].ljust(15, b"\0")
    image[0x143] = 0xC0 if color else 0
    image[0x147] = kind
    image[0x148] = (len(image) // BANK).bit_length() - 2
    image[0x149] = ram_code
    image[0x14D] = -(sum(image[0x134:0x14D]) + 25) & 0xFF
    image[0x14E:0x150] = b"\0\0"
    image[0x14E:0x150] = (sum(image) & 0xFFFF).to_bytes(2, "big")
    return bytes(image)


def assemble(source: Path, size: int) -> bytearray:
    """Image of one assembly program."""
    with tempfile.TemporaryDirectory() as directory:
        work = Path(directory)
        run("sdasgb", "-plosgff", "-o", work / "program.rel", source.name, cwd=source.parent)
        run("sdldgb", "-n", "-i", work / "program.ihx", work / "program.rel", cwd=work)
        return intel_hex((work / "program.ihx").read_text(), size)


def test_program(name: str, entry: dict[str, Any]) -> bytes:
    """A test cartridge: the program in bank 0, and in every other bank what tells it from the rest."""
    banks = entry["rom_banks"]
    image = assemble(HERE / "tests" / entry["source"], banks * BANK)
    image[0x104:0x134] = LOGO
    code = bytes(image[4:BANK])
    for bank in range(banks):
        start = bank * BANK
        if bank in entry.get("copies", []):
            image[start + 4 : start + BANK] = code
        if entry.get("logo_everywhere"):
            image[start + 0x104 : start + 0x134] = LOGO
        if bank:
            image[start : start + 4] = bytes([0x3E, bank & 0xFF, 0xC9, bank >> 8])  # ld a,bank; ret
        image[start + BANK_NUMBER] = bank & 0xFF
        image[start + BANK - 2 : start + BANK] = bytes(EDGES[bank % len(EDGES)])
    return finish_header(image, name, entry.get("type", 0), entry.get("ram_code", 0), entry.get("color", False))


def symbols(listings: list[str]) -> str:
    """A symbol file, by address."""
    found = {(int(address, 16), name) for text in listings for address, name in LABEL.findall(text)}
    found |= {(int(address, 16), name) for text in listings for name, address in VARIABLE.findall(text)}
    return "".join(f"00:{address:04X} {name}\n" for address, name in sorted(found))


def game() -> tuple[bytes, str]:
    """The game, from C, and its symbols."""
    source = HERE / "windfall"
    with tempfile.TemporaryDirectory() as directory:
        work = Path(directory)
        run("sdasgb", "-plosgff", "-l", "-o", work / "crt0.rel", "crt0.s", cwd=source)
        objects = [work / "crt0.rel"]
        for file in sorted(source.glob("*.c")):
            objects.append(work / f"{file.stem}.rel")
            run("sdcc", "-msm83", "--opt-code-speed", "-c", file.name, "-o", objects[-1], cwd=source)
        places = ["--code-loc", "0x0200", "--data-loc", "0xC100"]
        run("sdcc", "-msm83", "--no-std-crt0", *places, "-Wl-u", "-o", work / "game.ihx", *objects, cwd=work)
        image = intel_hex((work / "game.ihx").read_text(), 2 * BANK)
        listings = [file.read_text() for file in sorted(work.glob("*.rst"))]
    return finish_header(image, "WINDFALL", 0x00, 0, False), symbols(listings)


def build() -> dict[Path, bytes]:
    """Every ROM by the file it is kept in."""
    entries = tomllib.loads((HERE / "index.toml").read_text())
    built = {BUILT / f"{name}.gb.xz": test_program(name, entry) for name, entry in entries.items()}
    rom, names = game()
    return built | {GAME: rom, SYMBOLS: names.encode()}


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    built = build()
    digests = {path.name.removesuffix(".xz"): hashlib.sha256(rom).hexdigest() for path, rom in sorted(built.items())}
    if options.check:
        kept = json.loads(DIGESTS.read_text())
        differing = sorted(name for name in kept.keys() | digests.keys() if kept.get(name) != digests.get(name))
        print(f"{len(digests)} ROMs, differing: {', '.join(differing) or 'none'}")
        return 1 if differing else 0
    for path, rom in built.items():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(lzma.compress(rom, preset=9) if path.suffix == ".xz" else rom)
    DIGESTS.write_text(json.dumps(digests, indent=1) + "\n")
    print(f"{len(digests)} ROMs built")
    return 0


if __name__ == "__main__":
    sys.exit(main())
