"""Whole games in both emulators, in every setting."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator
from functools import partial
from typing import Any, Final, NamedTuple

from emurust import verify
from emurust.game_boy import make_machine
from emurust.verification.collection import Roms, consoles, survey_all
from emurust.verification.journal import Journal, adapter, open_journal
from rlenv_shared.verification.verify import Findings

SEEDS: Final = (1, 2)
# Frames per step and what is drawn.  For single frames "all" and "last" are the same calls.
STEPPING: Final = ((1, "all"), (1, "none"), (24, "all"), (24, "last"), (24, "none"))


class Setting(NamedTuple):
    """How a ROM is run.

    Attributes:
        color: the console.
        sound: sound registers are emulated.
        skip: frames per step.
        render: frames of a step that are drawn: all, last or none.
    """

    color: bool
    sound: bool
    skip: int
    render: str

    def __str__(self) -> str:
        kind, sound = "colour" if self.color else "monochrome", "sound" if self.sound else "silent"
        return f"{kind}, {sound}, skip {self.skip}, {self.render} drawn"


def settings(rom: bytes) -> Iterator[Setting]:
    """Every setting that a cartridge allows."""
    for color, sound, stepping in itertools.product(consoles(rom), (True, False), STEPPING):
        yield Setting(color, sound, *stepping)


def compare_rom(rom: bytes, setting: Setting, seed: int, frames: int, reference: Any) -> str | None:
    """None, or the first difference of one run, in words."""
    ours = verify.Follower(make_machine(rom, adapter().boot_rom(setting.color), setting.color, setting.sound))
    reference.reopen(rom, setting.color, setting.sound)
    try:
        found = verify.compare(
            ours,
            reference,
            verify.pad_masks(seed, -(-frames // setting.skip)),
            frames=setting.skip,
            render=setting.render,
            sound=setting.sound,
            ram_banks=verify.declared_ram_banks(rom),
        )
    except adapter().ReferenceHung as error:
        return str(error)
    return None if found is None else str(found)


def survey(journal: Journal, roms: Roms, frames: int) -> dict[str, Any]:
    """Every ROM in every setting with every pad; steps and differing runs by ROM and setting."""
    found: dict[str, Any] = {}
    for name, rom in roms:
        digest = hashlib.sha256(rom).hexdigest()
        counts: dict[str, dict[str, Any]] = {}
        with adapter().PyBoyProcess(rom, timeout=600) as reference:
            for setting in settings(rom):
                differences = []
                for seed in SEEDS:
                    key = f"{name} {digest[:8]}, {setting}, pad {seed}, {frames} frames"
                    run = partial(compare_rom, rom, setting, seed, frames, reference)
                    differences.append(journal.result(key, run))
                    if differences[-1] is not None:
                        print(f"{key}: {differences[-1]}", flush=True)
                steps = -(-frames // setting.skip) * len(SEEDS)
                counts[str(setting)] = {"steps": steps, "mismatches": sum(one is not None for one in differences)}
        found[name] = {"sha256": digest, "settings": counts}
        print(f"{name}: {sum(count['mismatches'] for count in counts.values())} runs differ", flush=True)
    return {"frames": frames, "pads": SEEDS, "roms": found}


def compare_games(frames: int) -> Findings:
    """The rollout set: every ROM, or what is missing of them after an interruption."""
    journal = open_journal("games")
    return survey_all(partial(survey, journal), frames, sources_sha256=journal.owner)
