"""States handed over between PyBoy and emurust, in PyBoy's format both ways and in our own.

    python tests/compat/handover.py [FOLDER] [--moments 20] [--frames 600] [--only NAME] [--processes 1]

At random moments of every ROM (our own; those of FOLDER too) both save.  A fresh PyBoy and a fresh console of ours
each load each of the two states: the four go on with the same buttons and must show the same picture in every frame and
end with the same memory.  A console that loads our own format must go on like the one that saved it.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import record
from pair import has_clock, load, make_ours, make_pyboy, memory, picture, state_of

from emurust.games import windfall
from emurust.pyboy.events import BUTTONS, PRESSES, RELEASES
from emurust.verify import pad_masks

HERE: Final = Path(__file__).resolve().parent
BUILT: Final = HERE.parents[1] / "roms" / "built"
LATEST: Final = 1_200  # frames


def roms(folder: Path | None) -> dict[str, bytes]:
    """ROMs by name: ours, and those of a folder."""
    found = {"windfall": windfall.rom()}
    found |= {
        file.name.removesuffix(".gb.xz"): lzma.decompress(file.read_bytes()) for file in sorted(BUILT.glob("*.gb.xz"))
    }
    if folder is not None:
        found |= {
            file.stem: file.read_bytes() for file in sorted(folder.glob("*.gb*")) if file.suffix in (".gb", ".gbc")
        }
    return found


def press(consoles: list[Any], held: int, mask: int) -> None:
    """Changes the buttons from one mask to another on all consoles."""
    for bit, name in enumerate(BUTTONS):
        if (held ^ mask) >> bit & 1:
            event = int((PRESSES if mask >> bit & 1 else RELEASES)[name])
            for console in consoles:
                console.send_input(event)


def differing(consoles: dict[str, Any], masks: list[int], held: int) -> str:
    """Plays on with all consoles; what differs first, or nothing."""
    everyone = list(consoles.values())
    for frame, mask in enumerate(masks):
        press(everyone, held, mask)
        held = mask
        for console in everyone:
            console.tick(1, True)
        shown = [console.screen.ndarray.view(np.uint32) for console in everyone]
        if not all(np.array_equal(shown[0], other) for other in shown[1:]):
            return f"picture of frame {frame}: {[picture(console) for console in everyone]} of {list(consoles)}"
    ends = [memory(console) for console in everyone]
    return "" if len(set(ends)) == 1 else f"memory at the end: {ends} of {list(consoles)}"


def hand_over(name: str, rom: bytes, moments: int, frames: int) -> dict[str, Any]:
    """Every continuation of one ROM."""
    chance = random.Random(name)
    masks = pad_masks(chance.getrandbits(32), LATEST + frames)
    pyboy, ours = make_pyboy(rom), make_ours(rom)
    found: dict[str, Any] = {"rom": name, "moments": 0, "continuations": 0, "frames": 0, "differing": []}
    held, now = 0, 0
    for moment in sorted(chance.sample(range(70, LATEST), moments)):
        for mask in masks[now:moment]:
            press([pyboy, ours], held, mask)
            held = mask
            pyboy.tick(1, True)
            ours.tick(1, True)
        now = moment
        theirs, mine = (state_of(console, has_clock(rom)) for console in (pyboy, ours))
        own = ours._machine.save_state()
        consoles = {
            "PyBoy from PyBoy": load(make_pyboy(rom), theirs),
            "PyBoy from emurust": load(make_pyboy(rom), mine),
            "emurust from PyBoy": load(make_ours(rom), theirs),
            "emurust from emurust": load(make_ours(rom), mine),
        }
        copies = {"emurust's own format": load(make_ours(rom), own), "who saved it": make_ours(rom)}
        copies["who saved it"]._machine.assign(ours._machine)
        for group in (consoles, copies):
            problem = differing(group, masks[now : now + frames], held)
            found["continuations"] += len(group)
            found["frames"] += len(group) * frames
            if problem:
                found["differing"].append({"moment": moment, "problem": problem})
        for console in (*consoles.values(), *copies.values()):
            console.stop(False)
        found["moments"] += 1
    return found


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--moments", type=int, default=20)
    parser.add_argument("--frames", type=int, default=600)
    parser.add_argument("--only")
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    chosen = {name: rom for name, rom in roms(options.folder).items() if not options.only or options.only in name}
    compare = partial(hand_over, moments=options.moments, frames=options.frames)
    rows, facts = [], record.about()
    with ProcessPoolExecutor(options.processes) as pool:
        for row in pool.map(compare, chosen.keys(), chosen.values()):
            rows.append(row)
            print(json.dumps(row), flush=True)
    wrong = sum(len(row["differing"]) for row in rows)
    total = {key: sum(row[key] for row in rows) for key in ("moments", "continuations", "frames")}
    print({"roms": len(rows), **total, "differing": wrong})
    if not options.only:
        record.write("handover", {"roms": len(rows), **total, "differing": wrong, "rows": rows}, facts)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
