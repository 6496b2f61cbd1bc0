"""Error types; every message names the cause."""

from collections.abc import Iterator
from contextlib import contextmanager

from emurust import _core


class EmurustError(Exception):
    """Base of all errors of this package."""


class InvalidRomError(EmurustError, ValueError):
    """The ROM (or boot ROM) is damaged, cut short, or of an unsupported kind."""


class InvalidStateError(EmurustError, ValueError):
    """A saved state is damaged, too new, or of another ROM, model or setting."""


class InvalidArgumentError(EmurustError, ValueError):
    """An argument is outside its documented range, or a buffer has the wrong shape, dtype or layout."""


class LockedUp(EmurustError, RuntimeError):  # noqa: N818 (the name used in the literature)
    """The program executed an illegal opcode; PyBoy hangs for ever there."""


class RewardError(EmurustError, RuntimeError):
    """A reward or termination callable raised; the batch itself is intact and the cause is chained."""


_BY_KIND = {"rom": InvalidRomError, "state": InvalidStateError, "argument": InvalidArgumentError}


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
