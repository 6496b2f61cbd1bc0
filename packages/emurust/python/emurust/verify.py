"""Frame-by-frame comparison with PyBoy 2.8.1."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from emurust import _core
from emurust.errors import LockedUp, translated

REGIONS = ("screen", "wram", "vram", "oam", "hram", "io", "cart")
_MASK = (1 << 64) - 1


class Reference(Protocol):
    """The part of `references.pyboy.adapter.PyBoyProcess` that is used here."""

    def call(self, name: str, *arguments: Any) -> Any:
        """Calls a method of the console."""


class _SplitMix64:
    def __init__(self, seed: int):
        self._state = seed & _MASK

    def below(self, limit: int) -> int:
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = self._state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return (z ^ (z >> 31)) % limit


def pad_masks(seed: int, steps: int) -> list[int]:
    """Button masks of a seeded player that gets through menus: directions held, A, B and start tapped."""
    random = _SplitMix64(seed)
    masks: list[int] = []
    while len(masks) < steps:
        kind = random.below(100)
        if kind < 20:
            mask, length = 0, 1 + random.below(20)
        elif kind < 50:
            mask, length = 1 << random.below(4), 4 + random.below(37)
        elif kind < 65:
            mask, length = (1 << random.below(4)) | (0x10 << random.below(2)), 2 + random.below(15)
        elif kind < 85:
            mask, length = 0x10 << random.below(2), 1 + random.below(8)
        elif kind < 95:
            mask, length = 0x80, 1 + random.below(6)
        elif kind < 97:
            mask, length = 0x40, 1 + random.below(6)
        else:
            mask, length = random.below(256), 1 + random.below(3)
        masks += [mask] * length
    return masks[:steps]


class Follower:
    """Our console, stepped and hashed as the reference's worker does it."""

    def __init__(self, machine: _core.Machine):
        self.machine = machine
        self._held = 0
        self._picture = np.zeros((144, 160, 4), dtype=np.uint8)

    def step(self, mask: int, frames: int, render: str, sound: bool) -> None:
        """Runs one step of `frames` frames; `render` is "all", "last" or "none"."""
        for changed, pressed in ((self._held & ~mask, False), (mask & ~self._held, True)):
            for bit in range(8):
                if changed >> bit & 1:
                    self.machine.set_button(bit, pressed)
        self._held = mask
        for frame in range(frames):
            drawn = render == "all" or (render == "last" and frame == frames - 1)
            with translated():
                self.machine.run_frame(drawn, sound and drawn)

    def regions(self, ram_banks: int) -> dict[str, bytes]:
        """Bytes of every compared region, by name."""
        machine = self.machine
        machine.picture_rgba(self._picture)
        return {
            "screen": self._picture.tobytes(),
            "wram": machine.wram(),
            "vram": machine.vram(),
            "oam": machine.read_range(0xFE00, 0x100),
            "hram": machine.read_range(0xFF80, 0x80),
            "io": machine.read_range(0xFF00, 0x41) + b"\0" + machine.read_range(0xFF42, 0x3E),
            "cart": machine.cartridge_ram()[: ram_banks * 0x2000],
        }

    def hashes(self, ram_banks: int) -> dict[str, int]:
        """CRC-32 of every region."""
        return {name: zlib.crc32(data) for name, data in self.regions(ram_banks).items()}


@dataclass(frozen=True)
class Difference:
    """The first step that differs."""

    step: int
    regions: tuple[str, ...]
    registers: dict[str, int]

    def __str__(self) -> str:
        values = ", ".join(f"{name}={value:#x}" for name, value in self.registers.items())
        return f"step {self.step} differs in {', '.join(self.regions)}; our registers: {values}"


def declared_ram_banks(rom: bytes) -> int:
    """Banks of cartridge RAM that the header declares."""
    return 1 if rom[0x147] in (5, 6) else {1: 1, 2: 1, 3: 4, 4: 16, 5: 8}.get(rom[0x149], 0)


def compare(
    follower: Follower,
    reference: Reference,
    masks: Sequence[int],
    *,
    frames: int,
    render: str,
    sound: bool,
    ram_banks: int,
    chunk: int = 300,
) -> Difference | None:
    """Steps both consoles over `masks`; None if every hash of every step is equal."""
    for start in range(0, len(masks), chunk):
        part = list(masks[start : start + chunk])
        wanted = reference.call("run", part, frames, render, sound, follower.machine.color, ram_banks)
        for offset, (mask, row) in enumerate(zip(part, wanted, strict=True)):
            try:
                follower.step(mask, frames, render, sound)
            except LockedUp:
                return Difference(start + offset, ("locked up",), follower.machine.registers())
            got = follower.hashes(ram_banks)
            differing = tuple(name for name in REGIONS if got[name] != row[name])
            if differing:
                return Difference(start + offset, differing, follower.machine.registers())
    return None
