"""What frames cost through `emurust.pyboy`: PyBoy and ours in turns on a folder of ROMs, in CPU time.

    python tests/compat/face_speed.py FOLDER        writes results/face_speed.json

Every ROM is played by the same buttons from the same state on both; a round of one is followed by a round of the other,
and the figure of a ROM is the median of the rounds' ratios.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import time
from pathlib import Path
from typing import Any, Final

import record
from handover import press
from pair import load, make_ours, make_pyboy, state_of

from emurust.verify import pad_masks

TITLE_FRAMES: Final = 300
ROUNDS: Final = 5
ROUND_FRAMES: Final = 240
# frames of a tick, and whether the last is drawn and sampled
SETTINGS: Final[dict[str, tuple[int, bool, bool]]] = {
    "drawn, sound on": (1, True, True),
    "drawn, no samples": (1, True, False),
    "skip 24, sound on": (24, True, True),
}


def seconds(console: Any, masks: list[int], setting: tuple[int, bool, bool]) -> float:
    """CPU seconds of a round."""
    frames, draw, sound = setting
    held, spent = 0, 0.0
    for mask in masks[:: max(frames, 12)]:
        press([console], held, mask)
        held = mask
        began = time.process_time()
        for _ in range(max(1, 12 // frames)):
            console.tick(frames, draw, sound)
        spent += time.process_time() - began
    press([console], held, 0)
    return spent


def measure(rom: bytes) -> dict[str, float]:
    """Ours against PyBoy, by setting."""
    pyboy, ours = make_pyboy(rom), make_ours(rom)
    pyboy.set_emulation_speed(0)
    pyboy.tick(TITLE_FRAMES, False, False)
    load(ours, state_of(pyboy))
    masks = pad_masks(0, ROUND_FRAMES)
    found = {}
    for name, setting in SETTINGS.items():
        ratios = []
        for _ in range(ROUNDS):
            theirs = seconds(pyboy, masks, setting)
            ratios.append(theirs / max(seconds(ours, masks, setting), 1e-9))
        found[name] = round(statistics.median(ratios), 2)
    for console in (pyboy, ours):
        console.stop(False)
    return found


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    files = [file for file in sorted(parser.parse_args().folder.glob("*.gb*")) if file.suffix in (".gb", ".gbc")]
    facts, rows = record.about(), []
    for file in files:
        rom = file.read_bytes()
        rows.append({"rom": file.name, "sha256": hashlib.sha256(rom).hexdigest(), **measure(rom)})
        print(json.dumps(rows[-1]), flush=True)
    means = {name: round(statistics.geometric_mean(row[name] for row in rows), 2) for name in SETTINGS}
    print(means)
    record.write("face_speed", {"roms": rows, "geometric_means": means}, facts)


if __name__ == "__main__":
    main()
