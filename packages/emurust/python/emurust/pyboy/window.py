"""Windows: none, or one of SDL2 through PyBoy's own dependency pysdl2."""

from __future__ import annotations

import ctypes
import time
from typing import Any, Final

from emurust.pyboy.api.constants import COLS, ROWS
from emurust.pyboy.api.screen import Screen
from emurust.pyboy.errors import PyBoyDependencyError, PyBoyKeyError, not_offered, refused
from emurust.pyboy.events import WindowEvent
from emurust.pyboy.logging import Log
from rlenv_shared.errors import explain

_OLD_NONE: Final = ("headless", "dummy")
_NONE: Final = ("null", *_OLD_NONE)
_FRAMES_PER_SECOND: Final = 60
# SDL's names of keys: the event of pressing, and of letting go
_KEYS: Final = {
    "Up": (WindowEvent.PRESS_ARROW_UP, WindowEvent.RELEASE_ARROW_UP),
    "Down": (WindowEvent.PRESS_ARROW_DOWN, WindowEvent.RELEASE_ARROW_DOWN),
    "Right": (WindowEvent.PRESS_ARROW_RIGHT, WindowEvent.RELEASE_ARROW_RIGHT),
    "Left": (WindowEvent.PRESS_ARROW_LEFT, WindowEvent.RELEASE_ARROW_LEFT),
    "A": (WindowEvent.PRESS_BUTTON_A, WindowEvent.RELEASE_BUTTON_A),
    "S": (WindowEvent.PRESS_BUTTON_B, WindowEvent.RELEASE_BUTTON_B),
    "Return": (WindowEvent.PRESS_BUTTON_START, WindowEvent.RELEASE_BUTTON_START),
    "Backspace": (WindowEvent.PRESS_BUTTON_SELECT, WindowEvent.RELEASE_BUTTON_SELECT),
    "Space": (WindowEvent.PRESS_SPEED_UP, WindowEvent.RELEASE_SPEED_UP),
    "Z": (WindowEvent.STATE_SAVE, None),
    "X": (WindowEvent.STATE_LOAD, None),
    "P": (WindowEvent.PAUSE_TOGGLE, None),
    "C": (WindowEvent.CYCLE_PALETTE, None),
    "Escape": (WindowEvent.QUIT, None),
}


class NullWindow:
    """No window; paces the console where a speed is asked for."""

    initial_speed = 0

    def __init__(self) -> None:
        self._due = time.perf_counter()

    def events(self) -> list[int]:
        """What the user did since the last frame."""
        return []

    def present(self, screen: Screen, speed: int) -> None:
        """Shows the picture, and waits until it is due at so many times the real speed; 0 does not wait."""
        if speed > 0:
            self._pace(speed)

    def set_title(self, title: str) -> None:
        """Shows a title."""

    def _pace(self, speed: int) -> None:
        now = time.perf_counter()
        self._due += 1 / (_FRAMES_PER_SECOND * speed)
        if self._due > now:
            time.sleep(self._due - now)
        else:
            self._due = now

    def close(self) -> None:
        """Closes it."""


class Sdl2Window(NullWindow):
    """A window of SDL2."""

    initial_speed = 1

    def __init__(self, scale: int, screen: Screen) -> None:
        super().__init__()
        try:
            import sdl2  # type: ignore[import-untyped]
        except ImportError:
            raise PyBoyDependencyError(
                explain("window 'SDL2'", got="no pysdl2", expected="it installed", remedy="pass window='null'")
            ) from None
        self._sdl2: Any = sdl2
        if sdl2.SDL_InitSubSystem(sdl2.SDL_INIT_VIDEO) < 0:
            reason = sdl2.SDL_GetError().decode()
            raise PyBoyDependencyError(
                explain("window 'SDL2'", got=reason, expected="a display", remedy="pass window='null'")
            )
        centre = sdl2.SDL_WINDOWPOS_CENTERED
        size = (scale * COLS, scale * ROWS)
        self._window = sdl2.SDL_CreateWindow(b"emurust", centre, centre, *size, sdl2.SDL_WINDOW_RESIZABLE)
        self._renderer = sdl2.SDL_CreateRenderer(self._window, -1, 0)
        sdl2.SDL_RenderSetLogicalSize(self._renderer, COLS, ROWS)
        kind = sdl2.SDL_PIXELFORMAT_RGBA32, sdl2.SDL_TEXTUREACCESS_STREAMING
        self._texture = sdl2.SDL_CreateTexture(self._renderer, *kind, COLS, ROWS)
        self._keys = {sdl2.SDL_GetKeyFromName(name.encode()): changes for name, changes in _KEYS.items()}
        self._pixels = ctypes.c_void_p(screen._pixels.ctypes.data)

    def events(self) -> list[int]:
        """Keys pressed and let go, and the window's closing."""
        sdl2, event, found = self._sdl2, self._sdl2.SDL_Event(), []
        while sdl2.SDL_PollEvent(ctypes.byref(event)):
            if event.type == sdl2.SDL_QUIT:
                found.append(WindowEvent.QUIT)
            elif event.type in (sdl2.SDL_KEYDOWN, sdl2.SDL_KEYUP) and not event.key.repeat:
                changes = self._keys.get(event.key.keysym.sym, (None, None))
                change = changes[event.type == sdl2.SDL_KEYUP]
                if change is not None:
                    found.append(change)
        return found

    def present(self, screen: Screen, speed: int) -> None:
        """Shows the picture, and waits until it is due."""
        sdl2 = self._sdl2
        sdl2.SDL_UpdateTexture(self._texture, None, self._pixels, 4 * COLS)
        sdl2.SDL_RenderClear(self._renderer)
        sdl2.SDL_RenderCopy(self._renderer, self._texture, None, None)
        sdl2.SDL_RenderPresent(self._renderer)
        super().present(screen, speed)

    def set_title(self, title: str) -> None:
        """Shows a title."""
        self._sdl2.SDL_SetWindowTitle(self._window, title.encode())

    def close(self) -> None:
        """Closes the window."""
        self._sdl2.SDL_DestroyWindow(self._window)
        self._sdl2.SDL_QuitSubSystem(self._sdl2.SDL_INIT_VIDEO)


def check_name(name: object, log: Log) -> None:
    """Refuses windows that there are not.

    Raises:
        PyBoyKeyError: An unknown name; it is a `KeyError`.
        NotOfferedError: One that PyBoy has.
    """
    if name in ("OpenGL", "GLFW"):
        raise not_offered(f"window {name!r}", "pass window='SDL2' or 'null'")
    if name not in (*_NONE, "SDL2"):
        raise refused(PyBoyKeyError, "window", repr(name), "'null' or 'SDL2'")
    if name in _OLD_NONE:
        log.error("pyboy.plugins.window_null", f"{name!r} is an old name of the window 'null'")


def open_window(name: str, scale: int, screen: Screen) -> NullWindow:
    """A window by its name.

    Raises:
        PyBoyDependencyError: There is no pysdl2, or no display.
    """
    return NullWindow() if name in _NONE else Sdl2Window(scale, screen)
