"""`PyBoy`: the console as PyBoy's scripts know it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from itertools import cycle
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NoReturn, Self, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from emurust import _core
from emurust.errors import InvalidRomError, translated
from emurust.game_boy import CGB_COLORS, GREYS, MONOCHROME_PALETTES
from emurust.pyboy import options, states
from emurust.pyboy.api.constants import SPRITES, TILES_CGB
from emurust.pyboy.api.gameshark import GameShark
from emurust.pyboy.api.memory_scanner import MemoryScanner
from emurust.pyboy.api.rumble import Rumble
from emurust.pyboy.api.screen import Screen
from emurust.pyboy.api.sgb import SGB
from emurust.pyboy.api.sound import DEFAULT_RATE, Sound
from emurust.pyboy.api.sprite import Sprite
from emurust.pyboy.api.tile import Tile
from emurust.pyboy.api.tilemap import TileMap
from emurust.pyboy.errors import (
    PyBoyException,
    PyBoyInvalidInputException,
    PyBoyInvalidOperationException,
    PyBoyRomError,
    not_offered,
    refused,
)
from emurust.pyboy.events import BUTTON_CHANGES, WindowEvent
from emurust.pyboy.hooks import Hooks
from emurust.pyboy.logging import Log
from emurust.pyboy.memory import PyBoyMemoryView, PyBoyRegisterFile
from emurust.pyboy.plugins import wrapper_of
from emurust.pyboy.symbols import Symbols
from emurust.pyboy.utils import STATE_VERSION
from emurust.pyboy.window import check_name, open_window

# What consoles start with that are given no boot ROM, by whether they are colour ones; see `emurust.as_pyboy`.
BOOT_ROMS: Final[dict[bool, os.PathLike[str]]] = {}
# frames that run without a look at signals, such as Ctrl-C
_STRETCH: Final = 600


def _without(name: str, instead: str) -> property:
    """A part of PyBoy that is not here: looking at it raises the error that names what to use."""

    def get(_: PyBoy) -> NoReturn:
        raise not_offered(f"PyBoy.{name}", f"use {instead}")

    return property(get, doc="Not offered.")


class PyBoy(_core.Inputs):
    """A Game Boy with a cartridge, with the names, arguments and results of ``pyboy.PyBoy`` 2.8.1.

    What differs stands in the package's README. The main thing: without ``bootrom`` the console starts where PyBoy's
    own boot ROM ends (its 65th frame) with an empty video memory; pass that file and the two agree frame by frame.

    Args:
        gamerom: path of the ROM, or a binary file.
        ram_file, rtc_file: binary files of cartridge RAM and clock; ``<gamerom>.ram`` and ``.rtc`` without.
        window: ``"null"``, or ``"SDL2"`` with pysdl2.
        scale: of the window.
        symbols: path of a ``.sym`` or ``.map`` file, besides those that lie beside the ROM.
        bootrom: path of a boot ROM.
        sound_volume: 0 to 100; nothing is played, samples do not depend on it.
        sound_emulated: off, the sound registers read 0.
        sound_sample_rate: of `sound`, in Hz; 48,000 without.
        cgb: colour console or not; None for what the cartridge asks for.
        gameshark: codes, separated by commas.
        no_input: the window's keys do nothing.
        log_level: of what is printed about old names of arguments; nothing else is logged.
        color_palette, cgb_color_palette: colours 0xRRGGBB of monochrome consoles, and of monochrome cartridges on
            colour consoles (background, objects 0 and 1).
        title_status: is taken.
        **others: ``window_type``, ``bootrom_file`` and ``sound``, the old names of 1.x, are taken with a line on
            standard output, as in PyBoy. PyBoy's other arguments raise an error that names the replacement, where they
            ask for something.

    Attributes:
        frame_count: frames since the start.
        cartridge_title: from the ROM's header.
        events: what the next frame begins with.
        memory, register_file, screen, sound, rumble, memory_scanner, tilemap_background, tilemap_window, gameshark,
        game_wrapper: as in PyBoy.

    Raises:
        PyBoyException: or a class below it; see `emurust.pyboy.errors`.
    """

    def __init__(
        self,
        gamerom: Any,
        *,
        ram_file: Any = None,
        rtc_file: Any = None,
        window: str = "SDL2",
        scale: int = 3,
        symbols: str | os.PathLike[str] | None = None,
        bootrom: str | os.PathLike[str] | None = None,
        sound_volume: int = 100,
        sound_emulated: bool = True,
        sound_sample_rate: int | None = None,
        cgb: bool | None = None,
        gameshark: str | None = None,
        no_input: bool = False,
        log_level: str = "WARNING",
        color_palette: Sequence[int] = GREYS,
        cgb_color_palette: Sequence[Sequence[int]] = CGB_COLORS,
        title_status: bool = False,
        **others: Any,
    ) -> None:
        self.stopped = True
        options.check_log_level(log_level)
        log = Log(log_level)
        window, bootrom, sound_volume = options.old_names(others, window, bootrom, sound_volume, log)
        check_name(window, log)
        options.check_others(others)
        rate = options.sample_rate(sound_sample_rate)
        options.check_volume(sound_volume)
        self.gamerom = str(gamerom) if isinstance(gamerom, str | Path) else None
        rom = options.read_rom(gamerom)
        symbol_table = Symbols.find(symbols, self.gamerom)
        self.rom_symbols, self.rom_symbols_inverse = symbol_table.by_place, symbol_table.by_name
        monochrome, compatibility = options.palette(color_palette), options.palettes(cgb_color_palette)
        try:
            with translated():
                if bootrom is None and BOOT_ROMS:
                    cgb = options.wants_color(rom) if cgb is None else bool(cgb)
                    bootrom = BOOT_ROMS[cgb]
                boot = options.read_boot_rom(bootrom)
                self._machine = _core.Machine(
                    rom, boot, options.color(cgb, boot), bool(sound_emulated), monochrome, compatibility, rate, True
                )
        except InvalidRomError as error:
            raise PyBoyRomError(str(error)) from None
        self._battery = states.Battery(self._machine, rom)
        self._load_battery(ram_file, rtc_file)
        self.cartridge_title = self._machine.title
        self.paused = self.quitting = False
        self.no_input, self.title_status = no_input, title_status
        self._turn = threading.RLock()
        self._palettes = cycle(MONOCHROME_PALETTES.values())

        self.screen = Screen(self._machine)
        self.sound = Sound(self._machine, bool(sound_emulated), rate or DEFAULT_RATE)
        self.rumble = Rumble(self._machine)
        self.sgb = SGB()
        self.memory = PyBoyMemoryView(self._machine)
        self.register_file = PyBoyRegisterFile(self._machine)
        self.memory_scanner = MemoryScanner(self.memory)
        self.tilemap_background = TileMap(self._machine, False)
        self.tilemap_window = TileMap(self._machine, True)
        self._symbols = symbol_table
        self._hooks = Hooks(self._machine, self.memory, symbol_table)
        self._window = open_window(window, scale, self.screen)
        self.target_emulationspeed = self._window.initial_speed
        self._speed_before_pause = 0
        self.game_wrapper = wrapper_of(self)
        self.gameshark = GameShark(self.memory)
        for code in gameshark.split(",") if gameshark else ():
            self.gameshark.add(code.strip())
        self._show(False)
        self.stopped = False

    sgb_border = False
    # properties, for a class with __getattr__ is slower to look into
    mb = _without("mb", "memory, register_file, screen and sound")
    _plugin_manager = _without("_plugin_manager", "the attributes of PyBoy and game_wrapper")
    _serial = _without("_serial", "hook_register on the game's own output routine")

    @property
    def window_title(self) -> str:
        """What PyBoy writes over a window; times are not measured here."""
        return "PyBoy [PAUSED]" if self.paused else "PyBoy"

    # --- time -------------------------------------------------------------------------------------------------------

    def tick(self, count: int = 1, render: bool = True, sound: bool = True) -> bool:
        """Runs frames; only the last is drawn and sampled.

        Returns:
            False when the window was closed, or for no frame at all.

        Raises:
            PyBoyInvalidOperationException: After `stop`.
            PyBoyInvalidInputException: A count that is none.
            LockedUp: The program executed an illegal opcode; PyBoy hangs there.
        """
        if self.stopped:
            raise PyBoyInvalidOperationException("tick: got a stopped console, expected a running one; make another")
        if type(count) is not int or not 0 <= count < _STRETCH:
            count = options.frames(count)
        if count == 0:
            self._after_frames()
            return False
        with self._turn:
            if count < _STRETCH and not self._between_frames():
                try:
                    self._run_frames(count, bool(render), bool(sound))
                    if not self._is_idle():  # a hook pressed something
                        self._take_due()
                finally:
                    if not self.stopped:
                        self._show(render)
                running = not self.quitting and not self.stopped
            else:
                running = self._run(count, bool(render), bool(sound))
            self._after_frames()
        return running

    def _between_frames(self) -> bool:
        """Something is to be done before or between the next frames."""
        return not self._is_idle() or self.paused or self.gameshark.enabled or self._window.initial_speed > 0

    def _after_frames(self) -> None:
        if self.screen._image is not None:
            self.screen._after_tick()
        self.game_wrapper.post_tick()
        if self.target_emulationspeed or self._window.initial_speed:
            self._window.present(self.screen, self.target_emulationspeed)

    def _run(self, count: int, render: bool, sound: bool) -> bool:
        left = count
        try:
            while left > 0 and not self.stopped:
                self._handle_events()
                frames = self._frames_at_once(left)
                if not self.paused:
                    self.gameshark.tick()
                    last = frames == left
                    self._run_frames(frames, render and last, sound and last)
                left -= frames
                self._take_due()
        finally:
            if not self.stopped:
                self._show(render)
        return not self.quitting and not self.stopped

    def _frames_at_once(self, left: int) -> int:
        """Frames until something is to be done between two of them."""
        if self.paused or self.gameshark.enabled or self._window.initial_speed:
            return 1
        ahead = min(left, _STRETCH)
        due = self._next_due()
        return min(ahead, due) if due is not None and due > 0 else ahead

    def _run_frames(self, count: int, render: bool, sound: bool) -> None:
        first = self.frame_count
        with translated():
            reached = self._machine.run(count, render, sound)
            while reached is not None:
                self.frame_count = first + count - 1 - reached[0]
                self._show(render and reached[0] == 0)
                self._hooks.call(reached)
                if self.stopped:
                    return
                reached = self._machine.resume(reached[0], render, sound)
        self.frame_count = first + count

    def _show(self, drawn: bool) -> None:
        """Brings the live buffers up to date."""
        if _core.take_replaced(self._machine) or drawn:
            self.screen._changed()
        self.sound._changed()

    def stop(self, save: bool = True, ram_file: Any = None, rtc_file: Any = None) -> None:
        """Ends the console; with ``save`` writes battery-backed RAM and clock, beside the ROM or into the files.

        Raises:
            PyBoyInvalidInputException: Something to save, and neither a path nor a file; the console goes on.
        """
        if self.stopped:
            return
        if save:
            self._save_battery(ram_file, rtc_file)
        self._window.close()
        self.stopped = True

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        """Copies and pickles are refused: they would share the console.

        Raises:
            PyBoyTypeError: Always; it is a `TypeError`.
        """
        raise refused(
            "PyBoyTypeError", "PyBoy", "a copy or pickle of a console", "save_state, then load_state in another"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    # --- input ------------------------------------------------------------------------------------------------------

    def _handle_events(self) -> None:
        events = self.events
        if self._window.initial_speed and not self.no_input:
            events = events + self._window.events()
        for event in events:
            if (change := BUTTON_CHANGES.get(event)) is not None:
                self._machine.set_button(*change)
            elif event in self._CONTROLS:
                self._CONTROLS[event](self)

    def _quit(self) -> None:
        self.quitting = True

    def _pause(self) -> None:
        if not self.paused:
            self.paused, self._speed_before_pause = True, self.target_emulationspeed
            self.target_emulationspeed = 1

    def _unpause(self) -> None:
        if self.paused:
            self.paused, self.target_emulationspeed = False, self._speed_before_pause

    def _toggle_pause(self) -> None:
        if self.paused:
            self._unpause()
        else:
            self._pause()

    def _toggle_speed(self) -> None:
        self.target_emulationspeed = int(not self.target_emulationspeed)

    def _cycle_palette(self) -> None:
        if not self._machine.color:
            self.set_color_palette(next(self._palettes))

    def _save_beside_rom(self) -> None:
        if self.gamerom is not None:
            with open(f"{self.gamerom}.state", "wb") as file:
                self.save_state(file)

    def _load_beside_rom(self) -> None:
        if self.gamerom is not None and os.path.isfile(f"{self.gamerom}.state"):
            with open(f"{self.gamerom}.state", "rb") as file:
                self.load_state(file)

    _CONTROLS: Final[dict[int, Callable[[PyBoy], None]]] = {
        WindowEvent.QUIT: _quit,
        WindowEvent.RELEASE_SPEED_UP: _toggle_speed,
        WindowEvent.STATE_SAVE: _save_beside_rom,
        WindowEvent.STATE_LOAD: _load_beside_rom,
        WindowEvent.PAUSE: _pause,
        WindowEvent.UNPAUSE: _unpause,
        WindowEvent.PAUSE_TOGGLE: _toggle_pause,
        WindowEvent.CYCLE_PALETTE: _cycle_palette,
    }

    # --- states -----------------------------------------------------------------------------------------------------

    def save_state(self, file_like_object: Any, *, state_format: int = STATE_VERSION) -> None:
        """Writes a state in PyBoy's own format to a binary file.

        Args:
            file_like_object: the file.
            state_format: 29 for PyBoy 2.8, or that of an older release which is to load it: 17 for 2.7.1, 15 for
                2.7.0, 14 for 2.5, 12 for 2.4, 11 for 2.3, 10 for 2.0 to 2.2, 9 for 1.6, and so on down to 4. What
                the older format has no room for is lost: sound before 14, among others.
        """
        states.save(self._machine, self.sound, file_like_object, state_format)

    def load_state(self, file_like_object: Any) -> None:
        """Reads a state that any release of PyBoy, or emurust, saved from a binary file.

        Raises:
            PyBoyAssertException: Nothing to read, damaged, or of another cartridge or model; nothing was changed.
        """
        states.load(self._machine, file_like_object, self.frame_count > 0)
        self._show(True)

    def _load_battery(self, ram_file: Any, rtc_file: Any) -> None:
        given = {".ram": ram_file, ".rtc": rtc_file}
        for ending, file in given.items():
            path = f"{self.gamerom}{ending}"
            if file is None and self.gamerom is not None and os.path.isfile(path):
                with open(path, "rb") as beside:
                    self._battery.load(*(beside if ending == one else None for one in given))
            elif file is not None:
                self._battery.load(*(file if ending == one else None for one in given))

    def _save_battery(self, ram_file: Any, rtc_file: Any) -> None:
        wanted = (self._battery.has_ram and ram_file is None, self._battery.has_clock and rtc_file is None)
        if any(wanted) and self.gamerom is None:
            expected = "ram_file and rtc_file for a ROM that has no path, or save=False"
            raise refused(PyBoyInvalidInputException, "stop", "nowhere to save to", expected)
        self._battery.save(ram_file, rtc_file)
        for ending, needed in zip((".ram", ".rtc"), wanted, strict=True):
            if needed:
                with open(f"{self.gamerom}{ending}", "wb") as file:
                    self._battery.save(*(file if ending == one else None for one in (".ram", ".rtc")))

    # --- what is to be seen -----------------------------------------------------------------------------------------

    def get_sprite(self, sprite_index: int) -> Sprite:
        """A sprite, 0 to 39."""
        return Sprite(
            self._machine, sprite_index if type(sprite_index) is int else options.integer("sprite", sprite_index)
        )

    def get_sprite_by_tile_identifier(self, tile_identifiers: Sequence[int], on_screen: bool = True) -> list[list[int]]:
        """Per tile the numbers of the sprites that show it, on the screen or anywhere."""
        sprites = [self.get_sprite(number) for number in range(SPRITES)]
        shown = [sprite for sprite in sprites if sprite.on_screen or not on_screen]
        return [
            [sprite._sprite_index for sprite in shown for tile in sprite.tiles if tile.tile_identifier == wanted]
            for wanted in tile_identifiers
        ]

    def get_tile(self, identifier: int) -> Tile:
        """A tile, 0 to 383, or 767 on colour consoles."""
        return Tile(self._machine, identifier if type(identifier) is int else options.integer("tile", identifier))

    def game_area(self) -> NDArray[np.uint32]:
        """The game area, uint32 [height, width]; see `game_wrapper`."""
        return self.game_wrapper.game_area()

    def game_area_dimensions(self, x: int, y: int, width: int, height: int, follow_scrolling: bool = True) -> None:
        """Chooses the part of the tile map that `game_area` shows, in tiles."""
        self.game_wrapper._set_dimensions(x, y, width, height, follow_scrolling)

    def game_area_mapping(self, mapping: Any, sprite_offset: int = 0) -> None:
        """Maps tile numbers in `game_area`; None for the identity."""
        chosen = np.arange(TILES_CGB, dtype=np.uint32) if mapping is None else mapping
        self.game_wrapper.game_area_mapping(chosen, sprite_offset)

    def game_area_collision(self) -> NDArray[np.uint32]:
        """Where one can walk, where the wrapper knows."""
        return self.game_wrapper.game_area_collision()

    def set_color_palette(self, palette: Sequence[int]) -> None:
        """Other colours for a monochrome console: four, 0xRRGGBB, lightest first.

        Raises:
            PyBoyInvalidOperationException: A colour console.
        """
        if self._machine.color:
            raise PyBoyInvalidOperationException(
                "set_color_palette: got a colour console, expected a monochrome one; pass cgb=False"
            )
        colors = options.palette(palette)
        self.screen._refresh()  # a picture keeps the colours that it was drawn in
        self._machine.set_monochrome(colors)

    # --- hooks ------------------------------------------------------------------------------------------------------

    def hook_register(self, bank: int | None, addr: int | str, callback: Callable[[Any], object], context: Any) -> None:
        """Calls ``callback(context)`` whenever the CPU is about to execute the instruction at a place.

        Args:
            bank: bank of ROM or RAM, −1 for the boot ROM, None for a symbol.
            addr: address, or the name of a symbol.
            callback: function of the context.
            context: what it is called with.
        """
        self._hooks.register(bank, addr, callback, context)

    def hook_deregister(self, bank: int | None, addr: int | str) -> None:
        """Takes a hook away."""
        self._hooks.deregister(bank, addr)

    def symbol_lookup(self, symbol: str) -> tuple[int, int]:
        """Bank and address of a symbol."""
        return self._symbols.lookup(symbol)

    # --- other ------------------------------------------------------------------------------------------------------

    def rtc_lock_experimental(self, enable: bool) -> None:
        """Stops the cartridge's clock, or lets it go on.

        Raises:
            PyBoyException: There is none.
        """
        if not self._machine.lock_clock(bool(enable)):
            raise refused(PyBoyException, "clock", "none", "a cartridge with a clock")

    def printer_image(self) -> None:
        """None, as in PyBoy without a printer: it is not emulated."""

    def _cycles(self) -> int:
        return self._machine.registers()["cycles"]
