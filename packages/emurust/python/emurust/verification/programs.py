"""Generated programs, run in both emulators."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from emurust import LockedUp, fuzz, verify
from emurust.game_boy import make_machine
from emurust.verification.journal import Journal, adapter, open_journal
from rlenv_shared.verification.verify import Findings

FIRST_SEED: Final = 2_000_000
STEPS: Final = 20
BOOT_FRAMES: Final = 65  # not compared: the boot ROM's
BLOCK: Final = 100  # programs that share a child: PyBoy keeps some memory of every console
SOURCES: Final = ("vblank", "lcd", "timer", "serial", "joypad")  # bits of IF
BANK_EDGE: Final = (0x3FFE, 0x3FFF)  # with bank 0 selected the code that follows lies before the ROM
HANG_S: Final = 3.0  # PyBoy hangs if it takes this long for five frames of less than a millisecond
HANGS_TRIED: Final = 10  # one in so many of the programs that lock up; each costs that time


@dataclass(frozen=True)
class Outcome:
    """What one program gave.

    Attributes:
        steps: compared.
        difference: the first, in words; None if all was equal.
        locked_up: our console locked up after these steps.
        outside_rom: it did because code ran from before the ROM, where PyBoy reads what lies in its memory.
        hung: PyBoy was seen to hang at the illegal opcode that locked ours up.
        interrupts: that our console entered, as bits of IF.
    """

    steps: int
    difference: str | None
    locked_up: bool
    outside_rom: bool
    hung: bool
    interrupts: int


def settings(seed: int) -> tuple[int, str, bool]:
    """Frames per step, render and sound registers of a program."""
    return 1 if seed % 3 else 5, ("last", "all", "none")[seed // 3 % 3], seed % 4 != 0


def compare_program(seed: int, steps: int, reference: Any = None, try_hang: bool = False) -> Outcome:
    """Compares a program step by step; one that locks up, up to that step.

    Args:
        seed: of the program.
        steps: to compare.
        reference: a child to use; a new one without.
        try_hang: run PyBoy into the illegal opcode too; that it answers is a difference.
    """
    rom = fuzz.generate(seed).rom
    frames, render, sound = settings(seed)
    if reference is None:
        with adapter().PyBoyProcess(rom, None, sound) as own:
            return compare_program(seed, steps, own, try_hang)
    masks = verify.pad_masks(seed, steps)
    trial = _console(rom, sound)
    whole = _steps_before_lock_up(trial, masks, frames, sound)
    outside = whole < steps and trial.machine.registers()["PC"] in BANK_EDGE
    ours, banks, difference, hung = _console(rom, sound), verify.declared_ram_banks(rom), None, False
    reference.reopen(rom, None, sound)
    try:
        if whole >= 0:
            ours.step(0, BOOT_FRAMES, "none", sound)
            reference.call("step", 0, BOOT_FRAMES, "none", sound)
            found = verify.compare(
                ours, reference, masks[:whole], frames=frames, render=render, sound=sound, ram_banks=banks
            )
            difference = None if found is None else str(found)
    except adapter().ReferenceHung as error:
        difference = str(error)
    if try_hang and whole < steps and not outside and difference is None:
        hung = _hangs(reference, (masks[whole], frames) if whole >= 0 else (0, BOOT_FRAMES), sound)
        difference = None if hung else "PyBoy goes on where we lock up"
    return Outcome(max(whole, 0), difference, whole < steps, outside, hung, ours.machine.interrupts_taken)


def _console(rom: bytes, sound: bool) -> verify.Follower:
    return verify.Follower(make_machine(rom, adapter().boot_rom(bool(rom[0x143] & 0x80)), None, sound))


def _steps_before_lock_up(console: verify.Follower, masks: list[int], frames: int, sound: bool) -> int:
    """Steps that a console does whole: all, or fewer if it locks up; -1 if that is before the first."""
    done = -1
    try:
        console.step(0, BOOT_FRAMES, "none", sound)
        for mask in masks:
            done += 1
            console.step(mask, frames, "none", sound)
    except LockedUp:
        return done
    return len(masks)


def _hangs(reference: Any, step: tuple[int, int], sound: bool) -> bool:
    """Whether PyBoy does not return from a step (buttons, frames) and had to be killed."""
    patience, reference.timeout = reference.timeout, HANG_S
    try:
        reference.call("step", *step, "none", sound)
    except adapter().ReferenceHung:
        return True
    finally:
        reference.timeout = patience
    return False


def compare_block(first: int, steps: int) -> dict[str, Any]:
    """Compares the programs of `BLOCK` seeds; counts, and what was different by seed."""
    counts = dict.fromkeys(("programs", "locked_up", "outside_rom", "hung", "steps", "interrupts"), 0)
    written: set[int] = set()
    read: set[int] = set()
    differing: dict[int, str] = {}
    with adapter().PyBoyProcess(fuzz.generate(first).rom) as reference:
        for seed in range(first, first + BLOCK):
            found = compare_program(seed, steps, reference, try_hang=seed % HANGS_TRIED == 0)
            program = fuzz.generate(seed)
            counts["programs"] += not found.locked_up
            counts["locked_up"] += found.locked_up
            counts["outside_rom"] += found.outside_rom
            counts["hung"] += found.hung
            counts["steps"] += found.steps
            counts["interrupts"] |= found.interrupts
            written |= program.written
            read |= program.read
            if found.difference is not None:
                differing[seed] = found.difference
                print(f"program {seed}: {found.difference}", flush=True)
    return {**counts, "written": sorted(written), "read": sorted(read), "differing": differing}


def survey(journal: Journal, first: int, count: int, steps: int) -> dict[str, Any]:
    """Compares ``count`` programs to their end; those that lock up come on top, up to that moment."""
    blocks: list[dict[str, Any]] = []
    while sum(block["programs"] for block in blocks) < count:
        seed = first + len(blocks) * BLOCK
        blocks.append(journal.result(f"{seed} for {steps} steps", partial(compare_block, seed, steps)))
        print(f"{sum(block['programs'] for block in blocks)} programs", flush=True)
    differing = {seed: words for block in blocks for seed, words in block["differing"].items()}
    written, read = ({port for block in blocks for port in block[kind]} for kind in ("written", "read"))
    entered = 0
    for block in blocks:
        entered |= block["interrupts"]
    return {
        "first_seed": first,
        "programs": sum(block["programs"] for block in blocks),
        "steps": sum(block["steps"] for block in blocks),
        "mismatches": len(differing),
        "differing": differing,
        "locked_up": {
            "programs": sum(block["locked_up"] for block in blocks),
            "outside_rom": sum(block["outside_rom"] for block in blocks),
            "pyboy_seen_hanging": sum(block["hung"] for block in blocks),
        },
        # as FFxx, in the instructions of all programs
        "ports_written": len(written),
        "ports_read": len(read),
        "ports": len(written | read),
        "interrupt_sources_entered": [name for bit, name in enumerate(SOURCES) if entered >> bit & 1],
    }


def compare_programs(programs: int) -> Findings:
    """The rollout set: generated programs, or what is missing of them after an interruption."""
    journal = open_journal("programs")
    found = survey(journal, FIRST_SEED, programs, STEPS)
    return Findings({"generated programs": found}, {"sources_sha256": journal.owner})
