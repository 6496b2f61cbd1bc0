"""Error types; every message names the cause.  All are `rlenv_shared.errors.EnvError`s."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
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


@contextmanager
def translated() -> Iterator[None]:
    """Turns errors of the native core into this package's types."""
    try:
        yield
    except _core.CoreLockedUp as error:
        raise LockedUp(str(error)) from None
    except _core.CoreValueError as error:
        kind, message = error.args
        raise _BY_KIND[kind](message) from None
