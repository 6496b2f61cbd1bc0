"""`GameBoy`: one console with an interface close to `pyboy.PyBoy`."""

import heapq
from collections.abc import Sequence
from functools import cached_property
from operator import index
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from emurust import _core
from emurust.errors import InvalidArgumentError, InvalidRomError, InvalidStateError, RomFileError, translated

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
SCREEN_ROWS = 18
# frames that run without a look at signals, such as Ctrl-C
_STRETCH = 600
_INTEGERS = (int, np.integer)


def read_rom(rom: "str | PathLike[str] | bytes | BinaryIO") -> bytes:
    """The bytes of a ROM given as path, bytes or binary file.

    Raises:
        InvalidRomError: None of these, or a file that cannot be read.
    """
    if isinstance(rom, bytes | bytearray | memoryview):
        return bytes(rom)
    if isinstance(rom, str | PathLike):
        return _read_file(rom)
    data = rom.read() if hasattr(rom, "read") else None
    if not isinstance(data, bytes):
        raise InvalidRomError(f"{rom!r:.60}: expected a path, bytes or a binary file")
    return data


def _read_file(path: "str | PathLike[str]") -> bytes:
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise RomFileError(f"{path}: {error}; expected a file") from None


def make_machine(
    rom: "str | PathLike[str] | bytes | BinaryIO",
    bootrom: "str | PathLike[str] | None" = None,
    cgb: bool | None = None,
    sound_emulated: bool = True,
    color_palette: Sequence[int] = GREYS,
    cgb_color_palette: Sequence[Sequence[int]] = CGB_COLORS,
) -> _core.Machine:
    """A console at power on. Without `bootrom` it stands where PyBoy's boot ROM ends, at 0100h."""
    if bootrom is not None and not isinstance(bootrom, str | PathLike):
        raise InvalidArgumentError(f"bootrom {bootrom!r:.60}: expected a path")
    boot = None if bootrom is None else _read_file(bootrom)
    if cgb not in (None, True, False):
        raise InvalidArgumentError(f"cgb {cgb!r}: expected True, False or None")
    with translated():
        return _core.Machine(
            read_rom(rom),
            boot,
            cgb,
            bool(sound_emulated),
            _palette("color_palette", color_palette),
            [_palette("cgb_color_palette", palette) for palette in _three(cgb_color_palette)],
        )


def _three(palettes: Any) -> list[Any]:
    found = list(palettes) if isinstance(palettes, Sequence | np.ndarray) else []
    if len(found) != 3:
        raise InvalidArgumentError(f"cgb_color_palette {palettes!r}: expected three palettes")
    return found


def _palette(name: str, colors: Any) -> list[int]:
    found = list(colors) if isinstance(colors, Sequence | np.ndarray) else []
    if len(found) != 4 or not all(isinstance(one, int | np.integer) and 0 <= one <= 0xFFFFFF for one in found):
        raise InvalidArgumentError(f"{name} {colors!r}: expected four colours from 0 to 0xFFFFFF")
    return [int(one) for one in found]


class Memory(_core.LeanMemory):
    """`memory[address]`, `memory[start:stop:step]`, `memory[bank, address]`, `memory[bank, start:stop]`.

    Slices include the last byte of a bank, which PyBoy's banked slices cannot. Writing to a bank of ROM patches this
    console's image. Single addresses without a bank are read and written in the core.
    """

    def __init__(self, machine: _core.Machine):
        self._machine = machine

    def _get(self, key: Any) -> "int | list[int]":
        bank, where = _key(key)
        with translated():
            if not isinstance(where, slice):
                address = _address(where)
                return self._machine.read(address) if bank is None else self._machine.read_bank(bank, address)
            start, stop, step = _range(where)
            if bank is None:
                data = self._machine.read_range(start, stop - start)
            else:
                data = self._machine.read_bank_range(bank, start, stop - start)
            return list(data if step == 1 else data[::step])

    def _set(self, key: Any, value: Any) -> None:
        bank, where = _key(key)
        if not isinstance(where, slice):
            self._write(bank, _address(where), 1, bytes([_byte(value)]))
            return
        start, stop, step = _range(where)
        values = _bytes(value, len(range(start, stop, step)))
        if bank is not None:
            with translated():  # the slice has to lie in one bank
                self._machine.read_bank_range(bank, start, (len(values) - 1) * step + 1)
        self._write(bank, start, step, values)

    def _write(self, bank: int | None, start: int, step: int, values: bytes) -> None:
        with translated():
            if bank is None:
                self._machine.write_range(start, step, values)
                return
            for number, value in enumerate(values):
                self._machine.write_bank(bank, start + number * step, value)


def _key(key: Any) -> tuple[int | None, Any]:
    if not isinstance(key, tuple):
        return None, key
    if len(key) != 2 or not isinstance(key[0], _INTEGERS) or not 0 <= key[0] <= 0xFFFF:
        raise InvalidArgumentError(f"key {key!r}: expected a bank from 0 on, and an address or slice")
    return int(key[0]), key[1]


def _address(value: Any) -> int:
    if not isinstance(value, _INTEGERS) or not 0 <= value <= 0xFFFF:
        shown = f"{value:#x}" if isinstance(value, int) else repr(value)
        raise InvalidArgumentError(f"address {shown}: expected 0 to 0xffff")
    return int(value)


def _byte(value: Any) -> int:
    if not isinstance(value, _INTEGERS) or not 0 <= value <= 0xFF:
        raise InvalidArgumentError(f"value {value!r}: expected an integer from 0 to 255")
    return int(value)


def _bytes(value: Any, count: int) -> bytes:
    """What is assigned to a slice: a byte for each address, or one for all."""
    if isinstance(value, _INTEGERS):
        return bytes([_byte(value)]) * count
    if not isinstance(value, list | Sequence | np.ndarray) or isinstance(value, str):
        raise InvalidArgumentError(f"value {value!r}: expected integers from 0 to 255")
    try:
        found = bytes(value if isinstance(value, list | tuple) else list(value))
    except (TypeError, ValueError):
        raise InvalidArgumentError(f"values {value!r:.60}: expected integers from 0 to 255") from None
    if len(found) != count:
        raise InvalidArgumentError(f"{len(found)} values for a slice of {count} bytes")
    return found


def _range(where: slice) -> tuple[int, int, int]:
    if where.start is None or where.stop is None:
        raise InvalidArgumentError("a memory slice needs a start and an end")
    try:
        start, stop, step = index(where.start), index(where.stop), 1 if where.step is None else index(where.step)
    except TypeError:
        raise InvalidArgumentError(f"slice {where}: expected integers") from None
    if step <= 0 or not 0 <= start < stop <= 0x10000:
        raise InvalidArgumentError(f"slice {where}: expected 0 <= start < stop <= 0x10000 and a positive step")
    return start, stop, step


class Screen:
    """The picture of the last drawn frame."""

    def __init__(self, machine: _core.Machine):
        self._machine = machine
        self._buffer = np.zeros((144, 160, 4), dtype=np.uint8)

    @cached_property
    def ndarray(self) -> np.ndarray:
        """RGBA, uint8 `(144, 160, 4)`; one buffer, refreshed when it is looked at: copy it to keep it."""
        self._machine.picture_rgba(self._buffer)
        return self._buffer

    def _changed(self) -> None:
        """There is another picture; the next look fetches it."""
        self.__dict__.pop("ndarray", None)

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
        self._area: tuple[int, int, int, int, bool] = (0, 0, MAP_SIDE, MAP_SIDE, False)
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
            InvalidArgumentError: A count that is none.
            LockedUp: The program executed an illegal opcode.
        """
        left = _whole("count", count)
        if left >= 2**63:
            raise InvalidArgumentError(f"count {count}: expected less than 2**63 frames")
        self.screen._changed()
        while left > 0:
            events, self._next_events = self._next_events, []
            for button, pressed in events:
                self._machine.set_button(button, pressed)
            frames = min(left, _STRETCH)
            if self._later_events:
                frames = min(frames, max(self._later_events[0][0] - self.frame_count, 1))
            left -= frames
            with translated():
                self._machine.run(frames, bool(render) and left == 0, bool(sound) and left == 0)
            self.frame_count += frames
            while self._later_events and self._later_events[0][0] == self.frame_count:
                _, _, button, pressed = heapq.heappop(self._later_events)
                self._next_events.append((button, pressed))
        return True

    def button(self, input: str, delay: int = 1) -> None:
        """Presses a button in the next frame and releases it `delay` frames later (0: at once, as in PyBoy).

        Raises:
            InvalidArgumentError: No such button, or a negative delay; nothing is pressed then.
        """
        number, frames = _button(input), _whole("delay", delay)
        self._next_events.append((number, True))
        if frames == 0:
            self._next_events.append((number, False))
            return
        self._event_number += 1
        heapq.heappush(self._later_events, (self.frame_count + frames, self._event_number, number, False))

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
        """Reads a state written by `save_state` or by any release of PyBoy.

        Raises:
            InvalidStateError: Damaged, newer, or of another ROM, model or sound setting; nothing changes then.
        """
        state = file.read()
        if not isinstance(state, bytes | bytearray):
            raise InvalidStateError(f"{type(state).__name__}: expected a binary file")
        with translated():
            self._machine.load_state(bytes(state))
        self.screen._changed()

    def game_area_dimensions(self, x: int, y: int, width: int, height: int, follow_scrolling: bool = True) -> None:
        """Chooses the cut-out of the tile map that `game_area` returns.

        Raises:
            InvalidArgumentError: It leaves the map of 32 × 32 tiles, or the 18 rows of the screen that it follows.
        """
        x, y, width, height = (_whole(name, value) for name, value in zip("xywh", (x, y, width, height), strict=True))
        follow = bool(follow_scrolling)
        if x + (0 if follow else width) > MAP_SIDE or y + height > (SCREEN_ROWS if follow else MAP_SIDE):
            raise InvalidArgumentError(
                f"game area of {width} x {height} at ({x}, {y}): expected a part of the {MAP_SIDE} x {MAP_SIDE} map, "
                f"or of the {SCREEN_ROWS} rows of the screen that it follows"
            )
        self._area = (x, y, width, height, follow)

    def game_area_mapping(self, mapping: "Sequence[int] | np.ndarray | None", sprite_offset: int = 0) -> None:
        """Maps tile numbers to values of your own; 384 or 768 entries, None for the identity.

        Raises:
            InvalidArgumentError: Another number of entries, or values that are no integers from 0 to 2**32 - 1.
        """
        values = np.asarray(np.arange(768) if mapping is None else mapping)
        if values.shape not in ((384,), (768,)) or values.dtype.kind not in "iu":
            raise InvalidArgumentError(f"a mapping of {values.dtype} {values.shape}: expected 384 or 768 integers")
        if values.min() < 0 or values.max() >= 2**32 or not isinstance(sprite_offset, int | np.integer):
            raise InvalidArgumentError("a mapping: expected values from 0 to 2**32 - 1, and an integer for the sprites")
        self._mapping = np.ascontiguousarray(values, np.uint32)
        self._sprite_offset = int(sprite_offset) % 2**32

    def game_area(self) -> np.ndarray:
        """Tile numbers of the chosen cut-out with objects drawn over them, uint32 `(height, width)`.

        Like PyBoy's they are read from the video bank that the program selected.

        Raises:
            InvalidArgumentError: A tile has no entry in the mapping.
        """
        with translated():
            return self._machine.game_area(self._area, self._mapping, self._sprite_offset)

    def stop(self, save: bool = False) -> None:
        """Does nothing; here so that PyBoy code runs unchanged. Cartridge RAM is not written to disk."""
        if save:
            raise InvalidArgumentError("stop(save=True): save the cartridge RAM with save_state instead")

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"memory": None, "screen": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        self.memory, self.screen = Memory(self._machine), Screen(self._machine)

    def __enter__(self) -> "GameBoy":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _button(name: str) -> int:
    if not isinstance(name, str) or name.lower() not in BUTTONS:
        raise InvalidArgumentError(f"button {name!r}: expected one of {', '.join(BUTTONS)}")
    return BUTTONS.index(name.lower())


def _whole(name: str, value: Any) -> int:
    """A number of something."""
    if not isinstance(value, int | np.integer) or value < 0:
        raise InvalidArgumentError(f"{name} {value!r}: expected a non-negative integer")
    return int(value)
