"""The states that older releases of PyBoy saved, and what was to be seen when one of them played on.

    python states.py expect TRACES      writes expected.json anew from what `old_pyboy.py play` noted

Files are named ROM-RELEASE.state.xz; ROM-RELEASE.again.xz is what the judging release saved right after loading it.
"""

import hashlib
import json
import lzma
import struct
import sys
import zlib
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).resolve().parent
FOLDER: Final = HERE / "states"
EXPECTED: Final = HERE / "expected.json"
RECORD: Final = struct.Struct("<4I")  # as in old_pyboy.py
BLOCK: Final = 100  # frames
# Which release says how a release's states go on: the newest that can load them.
JUDGES: Final = {
    **dict.fromkeys(("1.0.0", "1.4.0", "1.4.7", "2.8.0"), "2.8.1"),
    **dict.fromkeys(("1.5.4", "1.6.9", "2.2.0", "2.2.2", "2.4.0", "2.7.0"), "2.7.0"),
    **dict.fromkeys(("2.5.4", "2.6.1"), "2.6.1"),
    "2.7.1": "2.7.1",
}


def read(name: str) -> bytes:
    """A file of the folder, unpacked."""
    return lzma.decompress((FOLDER / f"{name}.xz").read_bytes())


def names(kind: str = "state") -> list[str]:
    """Names of all files of a kind, without it."""
    return sorted(file.name.removesuffix(f".{kind}.xz") for file in FOLDER.glob(f"*.{kind}.xz"))


def record(console: Any) -> bytes:
    """What a frame left: CRCs of picture, work RAM, video RAM, OAM and high RAM."""
    memory = console.memory
    upper = bytes(memory[0xFE00:0xFEA0]) + bytes(memory[0xFF80:0xFFFF])
    parts = (
        console.screen.ndarray[:, :, :3].tobytes(),
        bytes(memory[0xC000:0xE000]),
        bytes(memory[0x8000:0xA000]),
        upper,
    )
    return RECORD.pack(*map(zlib.crc32, parts))


def digests(trace: bytes) -> list[str]:
    """A short hash of every block of frames, the first frame left out.

    That is the rest of the frame in which the state was saved. Where the LCD begins anew (formats before 13) it ends
    somewhere within the game's work, at an instruction that depends on the release's timing.
    """
    size = BLOCK * RECORD.size
    rest = trace[RECORD.size :]
    return [hashlib.sha256(rest[at : at + size]).hexdigest()[:16] for at in range(0, len(rest), size)]


if __name__ == "__main__":
    found = {}
    for file in sorted(Path(sys.argv[2]).glob("*.trace")):
        rom, release = file.stem.rsplit("-", 1)
        if release in JUDGES and (FOLDER / f"{file.stem}.state.xz").exists():
            found[file.stem] = {"judge": JUDGES[release], "digests": digests(file.read_bytes())}
    EXPECTED.write_text(json.dumps(found, indent=1) + "\n")
