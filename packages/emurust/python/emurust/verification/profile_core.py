"""Where the core spends its instructions, per frame of every homebrew ROM, by valgrind's callgrind.

    ROMS=folder python -m emurust.verification.profile_core     a minute or two; writes to results/profile

Undrawn frames but for every 24th, sound on.  Every ROM runs twice, for few frames and for many; the difference is free
of loading and warming up.  Instructions that were inlined count for the file they were written in.
"""

from __future__ import annotations

import collections
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from emurust.verification.collection import homebrew
from emurust.verification.tables import PACKAGE, PROFILES
from rlenv_bench import results
from rlenv_shared import machine

CORE: Final = "emurust-core/src/"
FRAMES: Final = (48, 240)
SETTING: Final = "0"  # of examples/frame_speed.rs: skip 24 with sound
LINE: Final = re.compile(r"^\s*([\d,]+) \([^)]*\)\s+(\S+?):(.+)$")


def build() -> Path:
    """The example that runs a ROM, optimised."""
    command = ["cargo", "build", "--quiet", "--release", "--example", "frame_speed", "-p", "emurust-core"]
    subprocess.run(command, cwd=PACKAGE, check=True)
    return PACKAGE / "target" / "release" / "examples" / "frame_speed"


def instructions(binary: Path, folder: Path, name: str, frames: int) -> collections.Counter[str]:
    """Executed instructions by part of the core."""
    with tempfile.TemporaryDirectory() as temporary:
        out = Path(temporary) / "callgrind"
        valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"]
        subprocess.run([*valgrind, binary, folder, str(frames), name, SETTING], check=True, capture_output=True)
        command = ["callgrind_annotate", "--threshold=100", "--auto=no", str(out)]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return parts(text)


def parts(annotated: str) -> collections.Counter[str]:
    """Instructions by part, from callgrind's list of functions.

    A part is a file or folder of the core; library code counts for the part it was inlined into.
    """
    found: collections.Counter[str] = collections.Counter()
    for line in annotated.splitlines():
        if match := LINE.match(line):
            count, file, function = int(match[1].replace(",", "")), match[2], match[3]
            if CORE in file:
                part = file.split(CORE)[1].split("/")[0]
            else:
                inner = re.match(r"emurust_core::(\w+)::", function)
                part = inner[1] if inner else "other"
            found[part.removesuffix(".rs")] += count
    return found


def main() -> int:
    """Command line."""
    if "ROMS" not in os.environ:
        print("set ROMS to a folder with the files that homebrew.json lists", file=sys.stderr)
        return 1
    folder, binary = Path(os.environ["ROMS"]), build()
    about, git = machine.describe(), machine.git_state(PACKAGE)
    roms: dict[str, Any] = {}
    for name, _ in homebrew(folder):
        few, many = (instructions(binary, folder, name, frames) for frames in FRAMES)
        per_frame = {part: round((many[part] - few[part]) / (FRAMES[1] - FRAMES[0])) for part in sorted(many)}
        roms[name] = {part: count for part, count in per_frame.items() if count > 0}
        print(f"{name}: {sum(roms[name].values()):,} instructions a frame", flush=True)
    path = results.default_path(PROFILES, {"machine": about, **git})
    path.parent.mkdir(parents=True, exist_ok=True)
    head = {"format": "emurust-profile", "schema": 1, **git, "machine": about, "frames": FRAMES}
    path.write_text(json.dumps({**head, "instructions_per_frame": roms}, indent=1) + "\n")
    print(f"written to {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
