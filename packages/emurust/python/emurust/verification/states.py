"""Saved states at random moments of whole games: what goes on from them equals what went on without them."""

from __future__ import annotations

import hashlib
import random
from functools import partial
from typing import Any, Final

from emurust import verify
from emurust.game_boy import make_machine
from emurust.verification.collection import Roms, consoles, survey_all
from emurust.verification.journal import Journal, adapter, open_journal
from rlenv_shared.verification.verify import Findings

SAVES: Final = 20
AFTER: Final = 30  # frames compared after each load
BOOT_FRAMES: Final = 65
SEED: Final = 1


def compare_states(rom: bytes, color: bool, frames: int, saves: int = SAVES) -> int:
    """Saves at random frames of one run; returns how many continuations differ, of two from each moment.

    Our state, loaded into a fresh console, must go on as the uninterrupted one; a PyBoy state, loaded by us, as a fresh
    PyBoy that loaded it.

    Args:
        rom: the ROM.
        color: the console.
        frames: of the run.
        saves: moments.
    """
    banks, wrong, frame = verify.declared_ram_banks(rom), 0, 0
    masks = verify.pad_masks(SEED, frames + AFTER)

    def console() -> verify.Follower:
        return verify.Follower(make_machine(rom, adapter().boot_rom(color), color))

    with (
        adapter().PyBoyProcess(rom, color, timeout=300) as reference,
        adapter().PyBoyProcess(rom, color, timeout=300) as fresh,
    ):
        ours = console()
        for moment in sorted(random.Random(SEED).sample(range(BOOT_FRAMES + 1, frames), saves)):
            for mask in masks[frame:moment]:
                ours.step(mask, 1, "last", True)
                reference.call("step", mask, 1, "last", True)
            frame, part = moment, masks[moment : moment + AFTER]
            loaded, straight = console(), verify.Follower(ours.machine.copy())
            loaded.machine.load_state(ours.machine.save_state())
            wrong += not _go_on_alike(loaded, straight, part, banks)
            state = reference.call("save_state")
            theirs = console()
            theirs.machine.load_state(state)
            fresh.reopen(rom, color)
            fresh.call("load_state", state)
            found = verify.compare(theirs, fresh, part, frames=1, render="last", sound=True, ram_banks=banks)
            wrong += found is not None
    return wrong


def _go_on_alike(one: verify.Follower, other: verify.Follower, masks: list[int], banks: int) -> bool:
    for mask in masks:
        one.step(mask, 1, "last", True)
        other.step(mask, 1, "last", True)
        if one.hashes(banks) != other.hashes(banks):
            return False
    return True


def survey(journal: Journal, roms: Roms, frames: int) -> dict[str, Any]:
    """Every ROM on every console it may be put into."""
    found: dict[str, Any] = {}
    for name, rom in roms:
        digest = hashlib.sha256(rom).hexdigest()
        for color in consoles(rom):
            kind = "colour" if color else "monochrome"
            key = f"{name} {digest[:8]}, {kind}, {frames} frames"
            wrong = journal.result(key, partial(compare_states, rom, color, frames))
            found.setdefault(name, {"sha256": digest})[kind] = {"steps": 2 * SAVES * AFTER, "mismatches": wrong}
            print(f"{key}: {wrong} continuations differ", flush=True)
    return {"frames": frames, "moments": SAVES, "roms": found}


def compare_saved_states(frames: int) -> Findings:
    """The rollout set: every ROM, or what is missing of them after an interruption."""
    journal = open_journal("states")
    return survey_all(partial(survey, journal), frames, sources_sha256=journal.owner)
