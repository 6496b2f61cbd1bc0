"""`WindowEvent`: what `PyBoy.send_input` takes, by PyBoy's names and numbers."""

from __future__ import annotations

from typing import Final, Self

from emurust.pyboy.errors import PyBoyInvalidInputException, not_offered, refused


class WindowEvent(int):
    """Buttons and controls of the emulator: the attributes are plain integers, as in PyBoy.

    ``WindowEvent(number)`` is that integer with a name: ``str`` gives it.

    Raises:
        PyBoyInvalidInputException: No such event.
    """

    QUIT = 0
    PRESS_ARROW_UP = 1
    PRESS_ARROW_DOWN = 2
    PRESS_ARROW_RIGHT = 3
    PRESS_ARROW_LEFT = 4
    PRESS_BUTTON_A = 5
    PRESS_BUTTON_B = 6
    PRESS_BUTTON_SELECT = 7
    PRESS_BUTTON_START = 8
    RELEASE_ARROW_UP = 9
    RELEASE_ARROW_DOWN = 10
    RELEASE_ARROW_RIGHT = 11
    RELEASE_ARROW_LEFT = 12
    RELEASE_BUTTON_A = 13
    RELEASE_BUTTON_B = 14
    RELEASE_BUTTON_SELECT = 15
    RELEASE_BUTTON_START = 16
    _INTERNAL_TOGGLE_DEBUG = 17
    PRESS_SPEED_UP = 18
    RELEASE_SPEED_UP = 19
    STATE_SAVE = 20
    STATE_LOAD = 21
    PASS = 22
    SCREEN_RECORDING_TOGGLE = 23
    PAUSE = 24
    UNPAUSE = 25
    PAUSE_TOGGLE = 26
    PRESS_REWIND_BACK = 27
    PRESS_REWIND_FORWARD = 28
    RELEASE_REWIND_BACK = 29
    RELEASE_REWIND_FORWARD = 30
    WINDOW_FOCUS = 31
    WINDOW_UNFOCUS = 32
    _INTERNAL_RENDERER_FLUSH = 33
    _INTERNAL_MOUSE = 34
    _INTERNAL_MARK_TILE = 35
    SCREENSHOT_RECORD = 36
    DEBUG_MEMORY_SCROLL_DOWN = 37
    DEBUG_MEMORY_SCROLL_UP = 38
    MOD_SHIFT_ON = 39
    MOD_SHIFT_OFF = 40
    FULL_SCREEN_TOGGLE = 41
    CYCLE_PALETTE = 42
    SCREEN_RECORDING_TOGGLE_MP4 = 43
    DEBUG_GAME_AREA_TOGGLE = 44

    def __new__(cls, event: int) -> Self:
        """The event of a number."""
        if type(event) is bool or not isinstance(event, int) or event not in _NAMES:
            raise refused(PyBoyInvalidInputException, "event", event, f"a WindowEvent, 0 to {len(_NAMES) - 1}")
        return super().__new__(cls, event)

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """Its name."""
        return _NAMES[int(self)]


_NAMES: Final = {value: name for name, value in vars(WindowEvent).items() if type(value) is int}

# The core's numbers of the buttons, in its order.
BUTTONS: Final = ("right", "left", "up", "down", "a", "b", "select", "start")
_EVENT_NAMES: Final = {
    name: f"{'ARROW' if number < 4 else 'BUTTON'}_{name.upper()}" for number, name in enumerate(BUTTONS)
}


def _numbers(kind: str) -> dict[str, int]:
    """The events of a kind, by button."""
    return {name: getattr(WindowEvent, f"{kind}_{event}") for name, event in _EVENT_NAMES.items()}


PRESSES: Final = _numbers("PRESS")
RELEASES: Final = _numbers("RELEASE")
# What an event does to a button: its number, and whether it is pressed.
BUTTON_CHANGES: Final = {
    event: (BUTTONS.index(name), pressed)
    for events, pressed in ((PRESSES, True), (RELEASES, False))
    for name, event in events.items()
}

_RECORDING: Final = "keep screen.image of every frame, or use `emurust record`"
_WITHOUT: Final = {
    WindowEvent.SCREEN_RECORDING_TOGGLE: _RECORDING,
    WindowEvent.SCREEN_RECORDING_TOGGLE_MP4: _RECORDING,
    WindowEvent.SCREENSHOT_RECORD: "call screen.image.save(path)",
    WindowEvent.PRESS_REWIND_BACK: "keep states with save_state",
    WindowEvent.PRESS_REWIND_FORWARD: "keep states with save_state",
}


# Every event by its number; None where it starts something that is not offered.
OFFERED: Final = [None if number in _WITHOUT else WindowEvent(number) for number in sorted(_NAMES)]


def event_of(value: object) -> WindowEvent:
    """An event from its number.

    Raises:
        PyBoyInvalidInputException: There is none.
        NotOfferedError: It starts something that is not offered.
    """
    if not isinstance(value, int):
        raise refused("PyBoyTypeError", "event", repr(value), "a WindowEvent or its number")
    event = WindowEvent(value)
    if event in _WITHOUT:
        raise not_offered(f"WindowEvent.{event.name}", _WITHOUT[event])
    return event


def button_of(name: object) -> str:
    """The name of a button as it is written in the tables here.

    Raises:
        PyBoyInvalidInputException: There is no such button.
    """
    if not isinstance(name, str):
        raise refused("PyBoyTypeError", "button", repr(name), f"one of {', '.join(BUTTONS)}")
    lower = name.lower()
    if lower not in PRESSES:
        raise refused(PyBoyInvalidInputException, "button", repr(name), f"one of {', '.join(BUTTONS)}")
    return lower
