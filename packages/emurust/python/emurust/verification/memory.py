"""Memory per console, measured as what the process grows by, in a process of its own for each ROM.

``python -m emurust.verification.memory ROM emurust|PyBoy`` prints bytes per console.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

COUNT: Final = {"emurust": 256, "PyBoy": 16}
FRAMES: Final = 60  # that each console runs, so that everything it allocates late is there


def resident() -> int:
    """Bytes of this process in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def emurust_consoles(rom: bytes, count: int) -> Any:
    """A batch of ours that has run."""
    import numpy as np

    from emurust import BatchEnv

    env = BatchEnv(rom, count, observation=[0xC000], frame_skip=FRAMES, threads=1)
    env.step(np.zeros(count, np.uint8))
    return env


def pyboy_consoles(rom: bytes, count: int) -> Any:
    """As many PyBoys that have run."""
    from pyboy import PyBoy

    consoles = [PyBoy(io.BytesIO(rom), window="null", log_level="CRITICAL") for _ in range(count)]
    for console in consoles:
        console.tick(FRAMES, False)
    return consoles


def bytes_per_console(rom: bytes, implementation: str) -> int:
    """How much each further console takes, the first not counted."""
    make = {"emurust": emurust_consoles, "PyBoy": pyboy_consoles}[implementation]
    first = make(rom, 1)
    before = resident()
    many = make(rom, COUNT[implementation])
    grown = resident() - before
    del first, many
    return grown // COUNT[implementation]


def measure(path: Path, implementation: str) -> int:
    """The same, in a new process."""
    command = [sys.executable, "-m", __spec__.name, str(path), implementation]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


if __name__ == "__main__":
    print(bytes_per_console(Path(sys.argv[1]).read_bytes(), sys.argv[2]))
