"""Exception types.  Every message says what went wrong, what was got, what was expected and the remedy.

raise InvalidParamsError("frameskip", 0, "an integer >= 1", "pass frameskip=1 for every frame")
"""

from __future__ import annotations


class EnvError(Exception):
    """Base of every error these packages raise on purpose: a message, or what is wrong, got, expected, the remedy."""

    def __init__(self, what: str = "", *parts: object) -> None:
        super().__init__(f"{what}: got {parts[0]}, expected {parts[1]}; {parts[2]}" if parts else what)

    def __str__(self) -> str:  # KeyError would print its message quoted
        return "; ".join(str(arg) for arg in self.args)


class InvalidParamsError(EnvError, ValueError):
    """A parameter, option or array that no environment could work with."""


class IllegalActionError(EnvError, ValueError):
    """An action of wrong shape or dtype, out of range, or not legal now (raised by host adapters only)."""


class UnknownEnvError(EnvError, KeyError):
    """An environment id that is not registered."""


class ReferenceUnavailableError(EnvError, RuntimeError):
    """A reference implementation cannot be obtained or built on this machine."""


class SnapshotVersionError(EnvError, ValueError):
    """A checkpoint, snapshot or result file that is corrupt, foreign or of another schema version."""


class StorageError(EnvError, OSError):
    """A file cannot be written: full disk, no permission, a folder or nothing where the path leads."""


class DivergenceError(EnvError, AssertionError):
    """Two implementations of one environment disagree; the message locates the first difference."""


def explain(what: str, *, got: object, expected: object, remedy: str) -> str:
    """The message of such an error: ``what: got …, expected …; remedy``."""
    return str(EnvError(what, got, expected, remedy))
