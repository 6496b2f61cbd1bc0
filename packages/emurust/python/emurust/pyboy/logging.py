"""PyBoy's log, as far as it concerns scripts: lines on standard output about old names."""

from __future__ import annotations

from typing import Final

# Levels as PyBoy orders them; "DISABLE" still lets critical lines through.
_LEVELS: Final = {"DEBUG": 0, "WARNING": 1, "ERROR": 2, "CRITICAL": 3, "DISABLE": 3, "INFO": 4}
_ERROR: Final = _LEVELS["ERROR"]


class Log:
    """What a console prints.

    Args:
        level: by name or number; less severe lines are left out.
    """

    def __init__(self, level: str | int):
        self._level = _LEVELS[level] if isinstance(level, str) else level

    def error(self, name: str, text: str) -> None:
        """A line about something that is wrong and still works."""
        if self._level <= _ERROR:
            print(f"{name:<30} {'ERROR':<8} {text}")
