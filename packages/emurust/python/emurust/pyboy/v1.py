"""PyBoy's interface of 1.x, as `PyBoy` 1.6 has it: ``from emurust.pyboy.v1 import PyBoy, WindowEvent``.

The console is the same, and its frames are those of PyBoy 2.8.1; names, arguments and results are those of 1.6.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emurust.pyboy import console
from emurust.pyboy.api.sprite import Sprite
from emurust.pyboy.api.tile import Tile
from emurust.pyboy.api.tilemap import TileMap
from emurust.pyboy.errors import not_offered
from emurust.pyboy.events import WindowEvent

__all__ = ["BotSupportManager", "PyBoy", "Screen", "WindowEvent"]

# arguments of 1.x that changed nothing for a console without a window, or were for its debugger
_LEFT_OUT = ("debugging", "disable_input", "hide_window", "profiling", "autopause", "no_input", "disable_renderer")
_IGNORED_EVENTS = (
    WindowEvent.PASS,
    WindowEvent._INTERNAL_TOGGLE_DEBUG,
    WindowEvent._INTERNAL_RENDERER_FLUSH,
    WindowEvent._INTERNAL_MOUSE,
    WindowEvent._INTERNAL_MARK_TILE,
)


class Screen:
    """What ``botsupport_manager().screen()`` gives."""

    def __init__(self, pyboy: console.PyBoy):
        self._screen = pyboy.screen

    def screen_ndarray(self) -> NDArray[np.uint8]:
        """The picture, uint8 [144, 160, 3]: blue, green and red, as 1.6 has them; live, copy it to keep it."""
        found: NDArray[np.uint8] = self._screen.ndarray[:, :, 2::-1]
        return found

    def screen_image(self) -> Any:
        """The picture as a `PIL.Image` of its own."""
        return self._screen.image.convert("RGB")

    def raw_screen_buffer(self) -> bytes:
        """The picture's bytes in `raw_screen_buffer_format`."""
        return self._screen.ndarray[:, :, ::-1].tobytes()

    def raw_screen_buffer_dims(self) -> tuple[int, int]:
        """Its width and height."""
        height, width = self._screen.raw_buffer_dims
        return width, height

    def raw_screen_buffer_format(self) -> str:
        """Order of a pixel's bytes."""
        return "RGBX"

    def tilemap_position(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """``((SCX, SCY), (WX - 7, WY))``."""
        return self._screen.get_tilemap_position()

    def tilemap_position_list(self) -> list[list[int]]:
        """The same of every line, as it was drawn with."""
        return self._screen.tilemap_position_list


class BotSupportManager:
    """What ``PyBoy.botsupport_manager()`` gives."""

    def __init__(self, pyboy: console.PyBoy):
        self._pyboy = pyboy

    def screen(self) -> Screen:
        """The picture."""
        return Screen(self._pyboy)

    def sprite(self, sprite_index: int) -> Sprite:
        """A sprite, 0 to 39."""
        return self._pyboy.get_sprite(sprite_index)

    def sprite_by_tile_identifier(self, tile_identifiers: Sequence[int], on_screen: bool = True) -> list[list[int]]:
        """Per tile the numbers of the sprites that show it."""
        return self._pyboy.get_sprite_by_tile_identifier(tile_identifiers, on_screen)

    def tile(self, identifier: int) -> Tile:
        """A tile."""
        return self._pyboy.get_tile(identifier)

    def tilemap_background(self) -> TileMap:
        """The map of the background."""
        return self._pyboy.tilemap_background

    def tilemap_window(self) -> TileMap:
        """The map of the window."""
        return self._pyboy.tilemap_window


class PyBoy:
    """A Game Boy with a cartridge, with the names, arguments and results of ``pyboy.PyBoy`` 1.6.

    Args:
        gamerom_file: path of the ROM.
        bootrom_file: path of a boot ROM.
        window_type: ``"headless"`` or ``"dummy"``, or ``"SDL2"`` with pysdl2.
        disable_renderer: no picture is drawn until ``_rendering(True)``.
        **others: of 1.6: `color_palette`, `cgb`, `scale`, `sound` and those without effect on a console.

    Raises:
        PyBoyException: or a class below it; see `emurust.pyboy.errors`.
    """

    def __init__(
        self,
        gamerom_file: str,
        *,
        bootrom_file: str | None = None,
        window_type: str = "SDL2",
        disable_renderer: bool = False,
        **others: Any,
    ):
        kept = {name: value for name, value in others.items() if name not in _LEFT_OUT and value is not None}
        kept.pop("sound", None)
        window = "null" if window_type in ("headless", "dummy", None) else window_type
        kept.setdefault("log_level", "WARNING")
        self._console = console.PyBoy(gamerom_file, window=window, bootrom=bootrom_file, **kept)
        self._drawn = not disable_renderer
        self._processed: list[int] = []
        self.gamerom_file = gamerom_file

    @property
    def frame_count(self) -> int:
        """Frames since the start."""
        return self._console.frame_count

    @property
    def paused(self) -> bool:
        """Whether it was paused."""
        return self._console.paused

    @property
    def events(self) -> list[int]:
        """What the next frame begins with."""
        return self._console.events

    def tick(self) -> bool:
        """Runs one frame.

        Returns:
            True when the window was closed or the console stopped: the other way round than in 2.x.
        """
        if self._console.stopped:
            return True
        self._processed = list(self._console.events)
        return not self._console.tick(1, self._drawn)

    def _rendering(self, value: bool) -> None:
        """Whether the next frames are drawn."""
        self._drawn = bool(value)

    def botsupport_manager(self) -> BotSupportManager:
        """Picture, sprites, tiles and tile maps."""
        return BotSupportManager(self._console)

    def get_memory_value(self, addr: int) -> int:
        """A byte of memory, as programs read it."""
        value: int = self._console.memory[addr]
        return value

    def set_memory_value(self, addr: int, value: int) -> None:
        """Writes a byte, as programs write it."""
        self._console.memory[addr] = value

    def override_memory_value(self, rom_bank: int, addr: int, value: int) -> None:
        """Patches a byte of a bank of ROM."""
        self._console.memory[rom_bank, addr] = value

    def send_input(self, event: int) -> None:
        """Queues an event of `WindowEvent` for the next frame."""
        self._console.send_input(event)

    def get_input(self, ignore: Sequence[int] = _IGNORED_EVENTS) -> list[int]:
        """The events of the last frame."""
        return [event for event in self._processed if event not in ignore]

    def save_state(self, file_like_object: Any) -> None:
        """Writes a state in the format of 1.6 (9) to a binary file."""
        self._console.save_state(file_like_object, state_format=9)

    def load_state(self, file_like_object: Any) -> None:
        """Reads a state of any release from a binary file."""
        self._console.load_state(file_like_object)

    def set_emulation_speed(self, target_speed: int) -> None:
        """Times the speed of the real console, 0 for no limit; without a window it has no effect, as in 1.6."""
        if self._console._window.initial_speed:
            self._console.set_emulation_speed(target_speed)

    def cartridge_title(self) -> str:
        """From the ROM's header."""
        return self._console.cartridge_title

    def screen_image(self) -> Any:
        """The picture as a `PIL.Image`."""
        return self.botsupport_manager().screen().screen_image()

    def game_wrapper(self) -> Any:
        """The game's wrapper, by the names of 2.x."""
        return self._console.game_wrapper

    def openai_gym(self, *_: object, **__: object) -> Any:
        """Not offered."""
        raise not_offered("PyBoy.openai_gym", "use emurust.EmurustVectorEnv")

    def stop(self, save: bool = True) -> None:
        """Ends the console."""
        self._console.stop(save)

    def __enter__(self) -> PyBoy:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
