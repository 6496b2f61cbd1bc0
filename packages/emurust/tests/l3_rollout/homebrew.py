"""The homebrew collection in both emulators.  The ROMs are not part of the repository; homebrew.json names them."""

from __future__ import annotations

import hashlib
import itertools
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from references.pyboy.adapter import PyBoyProcess, boot_rom

from emurust import verify
from emurust.game_boy import make_machine

INDEX: Final = Path(__file__).with_name("homebrew.json")
SEEDS: Final = (1, 2)
FRAMES: Final = 3_600
SKIPS: Final = ((1, "all"), (1, "none"), (24, "all"), (24, "last"), (24, "none"))
SAVES: Final = 20
AFTER_SAVE: Final = 30  # steps compared after each load

# forced hardware, sound registers, frames per step, render
Setting = tuple[bool, bool, int, str]


def roms(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Name and content of every listed file.

    Raises:
        SystemExit: one is missing or another.
    """
    for entry in json.loads(INDEX.read_text()):
        path = folder / entry["name"]
        if not path.is_file():
            raise SystemExit(f"{path} is missing; homebrew.json says where the collection comes from")
        rom = path.read_bytes()
        if hashlib.sha256(rom).hexdigest() != entry["sha256"]:
            raise SystemExit(f"{path} is not the listed file")
        yield entry["name"], rom


def settings(rom: bytes) -> Iterator[Setting]:
    """Every setting a cartridge allows: those for colour consoles alone are not run on a monochrome one."""
    kinds = (True,) if rom[0x143] & 0xC0 == 0xC0 else (False, True)
    for color, sound, (skip, render) in itertools.product(kinds, (True, False), SKIPS):
        yield color, sound, skip, render


def compare_rom(rom: bytes, setting: Setting, seed: int, frames: int) -> verify.Difference | None:
    """None, or the first difference of one run."""
    color, sound, skip, render = setting
    ours = verify.Follower(make_machine(rom, boot_rom(color), color, sound))
    with PyBoyProcess(rom, color, sound, timeout=300) as reference:
        return verify.compare(
            ours,
            reference,
            verify.pad_masks(seed, -(-frames // skip)),
            frames=skip,
            render=render,
            sound=sound,
            ram_banks=verify.declared_ram_banks(rom),
        )


def compare_states(rom: bytes, seed: int, frames: int) -> int:
    """Saves at random frames; returns how many continuations differed.

    Our state, loaded into a fresh console, must go on as the uninterrupted one; a PyBoy state, loaded by us, as a fresh
    PyBoy that loaded it.
    """
    color, banks, wrong = bool(rom[0x143] & 0x80), verify.declared_ram_banks(rom), 0
    moments = sorted(random.Random(seed).sample(range(66, frames), SAVES))
    with PyBoyProcess(rom, color, timeout=300) as reference, PyBoyProcess(rom, color, timeout=300) as fresh:
        ours, frame = verify.Follower(make_machine(rom, boot_rom(color), color)), 0
        masks = verify.pad_masks(seed, frames + AFTER_SAVE)
        for moment in moments:
            for mask in masks[frame:moment]:
                ours.step(mask, 1, "last", True)
                reference.call("step", mask, 1, "last", True)
            frame = moment
            copy = verify.Follower(make_machine(rom, boot_rom(color), color))
            copy.machine.load_state(ours.machine.save_state())
            straight = verify.Follower(ours.machine.copy())
            loaded = verify.Follower(make_machine(rom, boot_rom(color), color))
            state = reference.call("save_state")
            loaded.machine.load_state(state)
            fresh.reopen(rom, color)
            fresh.call("load_state", state)
            part = masks[moment : moment + AFTER_SAVE]
            for mask in part:
                copy.step(mask, 1, "last", True)
                straight.step(mask, 1, "last", True)
                if copy.hashes(banks) != straight.hashes(banks):
                    wrong += 1
                    break
            found = verify.compare(loaded, fresh, part, frames=1, render="last", sound=True, ram_banks=banks)
            wrong += found is not None
    return wrong


def survey(folder: Path, frames: int) -> dict[str, Any]:
    """Every ROM in every setting; see `compare_rom` and `compare_states`."""
    runs: list[dict[str, Any]] = []
    states: list[dict[str, Any]] = []
    for name, rom in roms(folder):
        for setting, seed in itertools.product(settings(rom), SEEDS):
            found = compare_rom(rom, setting, seed, frames)
            color, sound, skip, render = setting
            about = {"rom": name, "color": color, "sound": sound, "skip": skip, "render": render, "seed": seed}
            runs.append({**about, "steps": -(-frames // skip), "mismatches": int(found is not None)})
            if found is not None:
                print(f"{about}: {found}", flush=True)
        wrong = compare_states(rom, 1, min(frames, 1_200))
        states.append({"rom": name, "steps": SAVES * AFTER_SAVE, "mismatches": wrong})
        print(f"{name}: {sum(run['mismatches'] for run in runs)} differences so far, {wrong} in states", flush=True)
    return {"frames": frames, "runs": runs, "states": states}
