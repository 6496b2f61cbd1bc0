"""Error types; every message names the cause.  All are `rlenv_shared.errors.EnvError`s."""

from __future__ import annotations

from types import TracebackType
from typing import Final

from emurust import _core
from rlenv_shared.errors import EnvError, IllegalActionError, InvalidParamsError, SnapshotVersionError


class EmurustError(EnvError):
    """Base of the errors that only this package has."""


class InvalidRomError(EmurustError, InvalidParamsError):
    """The ROM (or boot ROM) is damaged, cut short, of an unsupported kind, or not the one that was asked for."""


class RomFileError(InvalidRomError, FileNotFoundError):
    """A ROM file that is not there or cannot be read."""

    def __str__(self) -> str:
        return EnvError.__str__(self)


class ClosedError(EmurustError, RuntimeError):
    """A batch or environment was used after `close`."""


class InvalidStateError(EmurustError, SnapshotVersionError):
    """A saved state is damaged, too new, or of another ROM, model or setting."""


class InvalidArgumentError(EmurustError, InvalidParamsError):
    """An argument is outside its documented range, or a buffer has the wrong shape, dtype or layout."""


class InvalidActionError(EmurustError, IllegalActionError):
    """Actions of wrong shape or dtype, or out of range; nothing was stepped."""


class LockedUp(EmurustError, RuntimeError):  # noqa: N818 (the name used in the literature)
    """The program executed an illegal opcode; PyBoy hangs for ever there."""


class RewardError(EmurustError, RuntimeError):
    """A reward or termination callable raised; the batch itself is intact and the cause is chained."""


_BY_KIND: Final = {"rom": InvalidRomError, "state": InvalidStateError, "argument": InvalidArgumentError}


class Translation:
    """A block whose errors of the native core become this package's."""

    def __enter__(self) -> None:
        """Nothing."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, _core.CoreLockedUp):
            raise LockedUp(str(error)) from None
        if isinstance(error, _core.CoreValueError):
            name, message = error.args
            raise _BY_KIND[name](message) from None


_TRANSLATION: Final = Translation()


def translated() -> Translation:
    """A block that turns errors of the native core into this package's types."""
    return _TRANSLATION
