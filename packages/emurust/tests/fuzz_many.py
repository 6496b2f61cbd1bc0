"""Many generated programs against PyBoy, resumable.

`python tests/fuzz_many.py --out results/fuzz.json [--programs 20000] [--first 2000000]`

Programs that reach an illegal opcode in our emulator are counted and replaced: PyBoy would hang. The output, written
every hundred programs, counts also the ports that programs write and read and the interrupts they took.
"""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY))

from references.pyboy.adapter import PyBoyProcess, ReferenceHung, boot_rom  # noqa: E402

from emurust import LockedUp, fuzz, verify  # noqa: E402
from emurust.game_boy import make_machine  # noqa: E402

BOOT_FRAMES = 65
STEPS = 20
REPORT_EVERY = 100
SOURCES = ("vblank", "lcd", "timer", "serial", "joypad")
EMPTY = {"next": 0, "identical": 0, "locked_up": 0, "frames": 0, "differing": [], "written": [], "read": [], "taken": 0}


def flags(seed: int) -> tuple[bool, int, str]:
    """Sound, frames per step and render mode of a seed."""
    return seed % 4 != 0, 1 if seed % 3 else 5, ("last", "all", "none")[seed // 3 % 3]


def locks_up(rom: bytes, seed: int) -> bool:
    """Whether our console ends at an illegal opcode."""
    sound, frames, _ = flags(seed)
    trial = verify.Follower(make_machine(rom, boot_rom(bool(rom[0x143] & 0x80)), None, sound))
    try:
        trial.step(0, BOOT_FRAMES, "none", sound)
        for mask in verify.pad_masks(seed, STEPS):
            trial.step(mask, frames, "none", sound)
    except LockedUp:
        return True
    return False


def differs(rom: bytes, seed: int, reference: PyBoyProcess) -> tuple[str | None, int]:
    """What differs first, and the interrupts our console took."""
    sound, frames, render = flags(seed)
    ours = verify.Follower(make_machine(rom, boot_rom(bool(rom[0x143] & 0x80)), None, sound))
    ours.step(0, BOOT_FRAMES, "none", sound)
    reference.reopen(rom, None, sound)
    try:
        reference.call("step", 0, BOOT_FRAMES, "none", sound)
        found = verify.compare(
            ours,
            reference,
            verify.pad_masks(seed, STEPS),
            frames=frames,
            render=render,
            sound=sound,
            ram_banks=verify.declared_ram_banks(rom),
        )
    except ReferenceHung as error:
        found = error
    return None if found is None else str(found), ours.machine.interrupts_taken


def report(state: dict[str, Any]) -> dict[str, Any]:
    """The state with its counts spelled out."""
    return state | {
        "programs": state["identical"] + len(state["differing"]),
        "distinct_ports_written": len(state["written"]),
        "distinct_ports_read": len(state["read"]),
        "interrupts": [name for bit, name in enumerate(SOURCES) if state["taken"] >> bit & 1],
    }


def main() -> int:
    """Runs programs until enough were compared; exit status 1 if any differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--programs", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=2_000_000, help="first seed")
    options = parser.parse_args()
    os.nice(10)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    state = json.loads(options.out.read_text()) if options.out.exists() else dict(EMPTY)
    reference = PyBoyProcess(fuzz.generate(0).rom)
    while state["identical"] + len(state["differing"]) < options.programs:
        seed = options.first + state["next"]
        state["next"] += 1
        program = fuzz.generate(seed)
        if locks_up(program.rom, seed):
            state["locked_up"] += 1
            continue
        found, taken = differs(program.rom, seed, reference)
        state["frames"] += BOOT_FRAMES + STEPS * flags(seed)[1]
        state["written"] = sorted(program.written.union(state["written"]))
        state["read"] = sorted(program.read.union(state["read"]))
        state["taken"] |= taken
        if found is None:
            state["identical"] += 1
        else:
            state["differing"].append([seed, found])
            print(f"seed {seed}: {found}", flush=True)
        if state["next"] % REPORT_EVERY == 0:
            options.out.write_text(json.dumps(report(state)) + "\n")
            print(f"{state['identical']} identical, {len(state['differing'])} differing", flush=True)
            reference.close()  # PyBoy keeps some memory of every console
            reference = PyBoyProcess(program.rom)
    reference.close()
    options.out.write_text(json.dumps(report(state), indent=1) + "\n")
    print(json.dumps(report(state) | {"written": "", "read": ""}))
    return 1 if state["differing"] else 0


if __name__ == "__main__":
    sys.exit(main())
