"""Generated programs, run in both emulators."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from references.pyboy.adapter import PyBoyProcess, boot_rom

from emurust import LockedUp, fuzz, verify
from emurust.game_boy import make_machine

BOOT_FRAMES = 65
PROGRAMS_A_CHILD = 100
LOCKED = "locked up"  # the program leaves the claim: PyBoy would hang


def settings(seed: int) -> tuple[int, str, bool]:
    """Frames per step, render and sound registers of a program."""
    return 1 if seed % 3 else 5, ("last", "all", "none")[seed // 3 % 3], seed % 4 != 0


def compare_program(
    seed: int, steps: int, reference: PyBoyProcess | None = None
) -> tuple[verify.Difference | str | None, int]:
    """None, the first difference, or `LOCKED`; and the interrupts that were entered, as bits of IF."""
    rom = fuzz.generate(seed).rom
    frames, _, sound = settings(seed)
    boot, masks = boot_rom(bool(rom[0x143] & 0x80)), verify.pad_masks(seed, steps)
    trial = verify.Follower(make_machine(rom, boot, None, sound))
    try:
        trial.step(0, BOOT_FRAMES, "none", sound)
        for mask in masks:
            trial.step(mask, frames, "none", sound)
    except LockedUp:
        return LOCKED, 0
    ours = verify.Follower(make_machine(rom, boot, None, sound))
    ours.step(0, BOOT_FRAMES, "none", sound)
    if reference is None:
        with PyBoyProcess(rom, None, sound) as own:
            return _follow(ours, own, masks, rom, seed), ours.machine.interrupts_taken
    reference.reopen(rom, None, sound)
    return _follow(ours, reference, masks, rom, seed), ours.machine.interrupts_taken


def _follow(
    ours: verify.Follower, reference: PyBoyProcess, masks: list[int], rom: bytes, seed: int
) -> verify.Difference | None:
    frames, render, sound = settings(seed)
    reference.call("step", 0, BOOT_FRAMES, "none", sound)
    banks = verify.declared_ram_banks(rom)
    return verify.compare(ours, reference, masks, frames=frames, render=render, sound=sound, ram_banks=banks)


@dataclass
class Survey:
    """What a run over many programs compared.

    Attributes:
        programs: that were compared to the end or to a difference.
        steps: of them.
        locked: programs left out.
        differing: seeds.
        ports: accessed.
        interrupts: bits of IF of those that were entered.
    """

    programs: int = 0
    steps: int = 0
    locked: int = 0
    differing: list[int] = field(default_factory=list)
    ports: set[int] = field(default_factory=set)
    interrupts: int = 0

    def to_dict(self) -> dict[str, Any]:
        """For the results file."""
        return {
            "programs": self.programs,
            "locked_up": self.locked,
            "steps": self.steps,
            "mismatches": len(self.differing),
            "differing_seeds": self.differing,
            "ports_accessed": len(self.ports),
            "interrupt_sources": self.interrupts.bit_count(),
        }


def survey(first_seed: int, count: int, steps: int) -> Survey:
    """Compares ``count`` programs that do not lock up."""
    found, first = Survey(), first_seed
    while found.programs < count:
        with PyBoyProcess(fuzz.generate(first).rom) as reference:  # PyBoy keeps some memory of every console
            for seed in range(first, first + PROGRAMS_A_CHILD):
                _add(found, seed, steps, reference)
        first += PROGRAMS_A_CHILD
        print(f"{found.programs} programs, {len(found.differing)} differ", flush=True)
    return found


def _add(found: Survey, seed: int, steps: int, reference: PyBoyProcess) -> None:
    result, entered = compare_program(seed, steps, reference)
    if result == LOCKED:
        found.locked += 1
        return
    program = fuzz.generate(seed)
    found.programs += 1
    found.steps += steps
    found.ports |= program.written | program.read
    found.interrupts |= entered
    if result is not None:
        found.differing.append(seed)
        print(f"program {seed}: {result}", flush=True)
