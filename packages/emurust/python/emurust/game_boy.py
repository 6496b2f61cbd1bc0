"""`GameBoy`: one console with an interface close to `pyboy.PyBoy`."""

import heapq
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from emurust import _core
from emurust.errors import InvalidArgumentError, translated

BUTTONS = ("right", "left", "up", "down", "a", "b", "select", "start")
GREYS = (0xFFFFFF, 0x999999, 0x555555, 0x000000)
# By PyBoy's names, in the order in which its windows go through them.
MONOCHROME_PALETTES = {
    "SameBoy DMG": (0xC6DE8C, 0x84A563, 0x396139, 0x081810),
    "Classic Green": (0x9BBC0F, 0x8BAC0F, 0x306230, 0x0F380F),
    "Parchment": (0xE0DBCD, 0xA89F94, 0x706B64, 0x2B2B26),
    "Mossy": (0xC4CFA1, 0x8B956D, 0x4D533C, 0x1F1F1C),
    "Grey": GREYS,
}
_WARM = (0xFFFFFF, 0xFF8484, 0x943A3A, 0x000000)
CGB_COLORS = ((0xFFFFFF, 0x7BFF31, 0x0063C5, 0x000000), _WARM, _WARM)
MAP_SIDE = 32


def read_rom(rom: "str | PathLike[str] | bytes | BinaryIO") -> bytes:
    """The bytes of a ROM given as path, bytes or binary file."""
    if isinstance(rom, bytes | bytearray | memoryview):
        return bytes(rom)
    if isinstance(rom, str | PathLike):
        return Path(rom).read_bytes()
    return rom.read()


def make_machine(
    rom: "str | PathLike[str] | bytes | BinaryIO",
    bootrom: "str | PathLike[str] | None" = None,
    cgb: bool | None = None,
    sound_emulated: bool = True,
    color_palette: Sequence[int] = GREYS,
    cgb_color_palette: Sequence[Sequence[int]] = CGB_COLORS,
) -> _core.Machine:
    """A console at power on. Without `bootrom` it stands where PyBoy's boot ROM ends, at 0100h."""
    boot = None if bootrom is None else Path(bootrom).read_bytes()
    with translated():
        return _core.Machine(
            read_rom(rom),
            boot,
            cgb,
            sound_emulated,
            list(color_palette),
            [list(palette) for palette in cgb_color_palette],
        )


class Memory:
    """`memory[address]`, `memory[start:stop:step]`, `memory[bank, address]`, `memory[bank, start:stop]`.

    Slices include the last byte of a bank, which PyBoy's banked slices cannot.
    """

    def __init__(self, machine: _core.Machine):
        self._machine = machine

    def __getitem__(self, key: "int | slice | tuple[int, int | slice]") -> "int | list[int]":
        bank, where = key if isinstance(key, tuple) else (None, key)
        if isinstance(where, slice):
            return [self._read(bank, address) for address in _addresses(where)]
        return self._read(bank, _address(where))

    def __setitem__(self, key: "int | slice | tuple[int, int | slice]", value: "int | Sequence[int]") -> None:
        bank, where = key if isinstance(key, tuple) else (None, key)
        if not isinstance(where, slice):
            if not isinstance(value, int | np.integer):
                raise InvalidArgumentError(f"value {value}: expected an integer from 0 to 255 for one address")
            self._write(bank, _address(where), int(value))
            return
        addresses = _addresses(where)
        values = list(value) if isinstance(value, Sequence) else [value] * len(addresses)
        if len(values) != len(addresses):
            raise InvalidArgumentError(f"{len(values)} values for a slice of {len(addresses)} bytes")
        for address, byte in zip(addresses, values, strict=True):
            self._write(bank, address, byte)

    def _read(self, bank: int | None, address: int) -> int:
        if bank is None:
            return self._machine.read(address)
        with translated():
            return self._machine.read_bank(bank, address)

    def _write(self, bank: int | None, address: int, value: int) -> None:
        if not 0 <= value <= 0xFF:
            raise InvalidArgumentError(f"value {value}: expected 0 to 255")
        if bank is None:
            self._machine.write(address, value)
            return
        with translated():
            self._machine.write_bank(bank, address, value)


def _address(value: int) -> int:
    if not 0 <= value <= 0xFFFF:
        raise InvalidArgumentError(f"address {value:#x}: expected 0 to 0xffff")
    return value


def _addresses(where: slice) -> range:
    if where.start is None or where.stop is None:
        raise InvalidArgumentError("a memory slice needs a start and an end")
    step = 1 if where.step is None else where.step
    if step <= 0 or not 0 <= where.start < where.stop <= 0x10000:
        raise InvalidArgumentError(f"slice {where}: expected 0 <= start < stop <= 0x10000 and a positive step")
    return range(where.start, where.stop, step)


class Screen:
    """The picture of the last drawn frame."""

    def __init__(self, machine: _core.Machine):
        self._machine = machine
        self._buffer = np.zeros((144, 160, 4), dtype=np.uint8)

    @property
    def ndarray(self) -> np.ndarray:
        """RGBA, uint8 `(144, 160, 4)`; one buffer, refreshed by this property: copy it to keep it."""
        self._machine.picture_rgba(self._buffer)
        return self._buffer

    @property
    def image(self) -> Any:
        """The picture as a `PIL.Image`; needs Pillow."""
        from PIL import Image

        return Image.fromarray(self.ndarray.copy(), "RGBA")

    @property
    def tilemap_position_list(self) -> list[list[int]]:
        """Per line `[SCX, SCY, WX - 7, WY]`; zeroes while the LCD is off."""
        off = self._machine.read(0xFF40) & 0x80 == 0
        return [[scx, scy, 0 if off else wx - 7, wy] for scx, scy, wx, wy in self._machine.line_positions()]


class GameBoy:
    """One Game Boy with a cartridge.

    Args:
        gamerom: Path, bytes or binary file of the ROM.
        bootrom: Path of a boot ROM to start with. Without one the console starts where PyBoy's own boot
            ROM ends (65th frame, 0100h), with empty video memory.
        cgb: Console: True for colour, False for monochrome, None for what the cartridge asks for.
        sound_emulated: Emulate the sound registers; off, they read 0, as in PyBoy.
        color_palette: Four colours 0xRRGGBB of a monochrome console.
        cgb_color_palette: Background, object 0 and object 1 colours of monochrome cartridges on a colour console.

    Raises:
        InvalidRomError: Empty or cut ROM, wrong header checksum, unsupported mapper.
    """

    def __init__(
        self,
        gamerom: "str | PathLike[str] | bytes | BinaryIO",
        *,
        bootrom: "str | PathLike[str] | None" = None,
        cgb: bool | None = None,
        sound_emulated: bool = True,
        color_palette: Sequence[int] = GREYS,
        cgb_color_palette: Sequence[Sequence[int]] = CGB_COLORS,
        window: str = "null",
        **ignored: object,
    ):
        if window not in ("null", "headless", "dummy"):
            raise InvalidArgumentError(f"window {window!r}: this emulator is headless, use 'null'")
        unknown = set(ignored) - {"no_input", "log_level", "scale", "sound_volume"}
        if unknown:
            raise InvalidArgumentError(f"unknown arguments {sorted(unknown)}")
        self._machine = make_machine(gamerom, bootrom, cgb, sound_emulated, color_palette, cgb_color_palette)
        self.memory = Memory(self._machine)
        self.screen = Screen(self._machine)
        self.frame_count = 0
        self._next_events: list[tuple[int, bool]] = []
        self._later_events: list[tuple[int, int, int, bool]] = []
        self._event_number = 0
        self._area = (0, 0, MAP_SIDE, MAP_SIDE, False)
        self._mapping = np.arange(768, dtype=np.uint32)
        self._sprite_offset = 0

    @property
    def cartridge_title(self) -> str:
        """Title from the ROM header."""
        return self._machine.title

    @property
    def registers(self) -> dict[str, int]:
        """CPU registers, interrupt registers and the cycle counter."""
        return self._machine.registers()

    def tick(self, count: int = 1, render: bool = True, sound: bool = True) -> bool:
        """Runs `count` frames; only the last one is drawn and sampled. Always True, as PyBoy without a window.

        Raises:
            LockedUp: The program executed an illegal opcode.
        """
        if count < 0:
            raise InvalidArgumentError(f"count {count}: expected a non-negative integer")
        for left in range(count, 0, -1):
            events, self._next_events = self._next_events, []
            for button, pressed in events:
                self._machine.set_button(button, pressed)
            with translated():
                self._machine.run_frame(render and left == 1, sound and left == 1)
            self.frame_count += 1
            while self._later_events and self._later_events[0][0] == self.frame_count:
                _, _, button, pressed = heapq.heappop(self._later_events)
                self._next_events.append((button, pressed))
        return True

    def button(self, input: str, delay: int = 1) -> None:
        """Presses a button in the next frame and releases it `delay` frames later."""
        self.button_press(input)
        self._event_number += 1
        heapq.heappush(self._later_events, (self.frame_count + delay, self._event_number, _button(input), False))

    def button_press(self, input: str) -> None:
        """Presses a button from the next frame on."""
        self._next_events.append((_button(input), True))

    def button_release(self, input: str) -> None:
        """Releases a button from the next frame on."""
        self._next_events.append((_button(input), False))

    def save_state(self, file: BinaryIO) -> None:
        """Writes the whole console to a binary file (emurust's own format)."""
        file.write(self._machine.save_state())

    def load_state(self, file: BinaryIO) -> None:
        """Reads a state written by `save_state` or by PyBoy (formats 14 to 29).

        Raises:
            InvalidStateError: Damaged, newer, or of another ROM, model or sound setting; nothing changes then.
        """
        with translated():
            self._machine.load_state(file.read())

    def game_area_dimensions(self, x: int, y: int, width: int, height: int, follow_scrolling: bool = True) -> None:
        """Chooses the cut-out of the tile map that `game_area` returns."""
        self._area = (x, y, width, height, follow_scrolling)

    def game_area_mapping(self, mapping: "Sequence[int] | np.ndarray | None", sprite_offset: int = 0) -> None:
        """Maps tile numbers to values of your own; 384 or 768 entries, None for the identity."""
        values = np.arange(768) if mapping is None else np.asarray(mapping)
        if len(values) not in (384, 768):
            raise InvalidArgumentError(f"a mapping of {len(values)} entries: expected 384 or 768")
        self._mapping = values.astype(np.uint32)
        self._sprite_offset = sprite_offset

    def game_area(self) -> np.ndarray:
        """Tile numbers of the chosen cut-out with objects drawn over them, uint32 `(height, width)`."""
        x0, y0, width, height, follow = self._area
        tiles = np.array(self._machine.tile_map(False), dtype=np.uint32).reshape(MAP_SIDE, MAP_SIDE)
        columns = (x0 + np.arange(width))[None, :].repeat(height, 0)
        rows = (y0 + np.arange(height))[:, None].repeat(width, 1)
        if follow:
            positions = np.frombuffer(b"".join(self._machine.line_positions()), np.uint8).reshape(-1, 4)
            lines = positions.astype(np.int64)[(y0 + np.arange(height)) * 8]
            columns = (columns + lines[:, :1] // 8) % MAP_SIDE
            rows = (rows + lines[:, 1:2] // 8) % MAP_SIDE
        area = self._mapping[tiles[rows, columns]]
        self._draw_objects(area, x0, y0)
        return area

    def _draw_objects(self, area: np.ndarray, x0: int, y0: int) -> None:
        tall = self._machine.object_height() == 16
        height, width = area.shape
        for number in range(40):
            y, x, tile, attributes = (self._machine.read(0xFE00 + 4 * number + i) for i in range(4))
            y, x = y - 16, x - 8
            if not (-(16 if tall else 8) < y < 144 and -8 < x < 160):
                continue
            if self._machine.color and attributes & 8:
                tile += 384
            if tall:
                tile &= ~1
            column, row = x // 8 - x0, y // 8 - y0
            if not 0 <= column < width:
                continue
            for part in range(2 if tall else 1):
                if 0 <= row + part < height:
                    area[row + part, column] = self._mapping[tile + part] + self._sprite_offset

    def stop(self, save: bool = False) -> None:
        """Does nothing; here so that PyBoy code runs unchanged. Cartridge RAM is not written to disk."""
        if save:
            raise InvalidArgumentError("stop(save=True): save the cartridge RAM with save_state instead")

    def __enter__(self) -> "GameBoy":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _button(name: str) -> int:
    try:
        return BUTTONS.index(name.lower())
    except ValueError:
        raise InvalidArgumentError(f"button {name!r}: expected one of {', '.join(BUTTONS)}") from None
