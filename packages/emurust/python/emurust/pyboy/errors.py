"""PyBoy's exceptions, and what stands where PyBoy raises a bare built-in one; all are `EmurustError`s.

Where PyBoy raises a built-in exception the class here is one of that kind too, so ``except`` clauses keep working.
"""

from __future__ import annotations

import sys
from typing import ClassVar, NoReturn

from emurust.errors import EmurustError, InvalidArgumentError, InvalidRomError, InvalidStateError
from rlenv_shared.errors import explain


class PyBoyException(EmurustError):  # noqa: N818 (PyBoy's name)
    """Base of the errors that PyBoy declares."""


class PyBoyInternalError(PyBoyException):
    """Never raised here; there so that it can be caught."""


class PyBoyAssertException(PyBoyException):
    """A file ended too early, or does not fit."""


class PyBoyOutOfBoundsException(PyBoyException, InvalidArgumentError):  # noqa: N818 (PyBoy's name)
    """An address, bank, index or count outside its range."""


class PyBoyNotImplementedException(PyBoyException):
    """Something that is not offered."""


class PyBoyInvalidInputException(PyBoyException, InvalidArgumentError):  # noqa: N818 (PyBoy's name)
    """An argument of the wrong kind or value."""


class PyBoyInvalidOperationException(PyBoyException, RuntimeError):  # noqa: N818 (PyBoy's name)
    """Something that cannot be done now."""


class PyBoyDependencyError(PyBoyException, ImportError):
    """A package that is needed is not installed."""


class PyBoyFeatureDisabledError(PyBoyException):
    """The console was made without this feature."""


class PyBoyOverflowError(PyBoyOutOfBoundsException, OverflowError):
    """A number that is too large, too small or negative; PyBoy raises `OverflowError`, or cuts it."""


class PyBoyTypeError(PyBoyInvalidInputException, TypeError):
    """An argument of the wrong type; PyBoy raises `TypeError`, or crashes."""


class PyBoyKeyError(PyBoyInvalidInputException, KeyError):
    """An unknown name; PyBoy raises `KeyError`."""


class PyBoyIndexError(PyBoyOutOfBoundsException, IndexError):
    """A row or column outside the tile map; PyBoy raises `IndexError`."""


class PyBoyAssertionError(PyBoyInvalidInputException, AssertionError):
    """An argument that PyBoy refuses by an assertion."""


class PyBoyFileNotFoundError(PyBoyException, FileNotFoundError):
    """A file that is not there."""

    def __str__(self) -> str:
        return EmurustError.__str__(self)


class PyBoyRomError(PyBoyException, InvalidRomError):
    """A ROM that cannot be played."""


class PyBoyStateError(PyBoyAssertException, InvalidStateError):
    """A state that cannot be loaded; nothing was changed."""


class NotOfferedError(PyBoyNotImplementedException, NotImplementedError, AttributeError):
    """A part of PyBoy that is not here; the message names what to use instead."""


class AccessError(PyBoyException):
    """Stands in the place of a feature that is not there: whatever is done with it raises."""

    _raised: ClassVar[tuple[type[PyBoyException], str]] = (PyBoyException, "this feature is not available")

    def __bool__(self) -> bool:
        return False

    def __getattribute__(self, name: str) -> object:
        if name.startswith("__") or name == "_raised":
            return super().__getattribute__(name)
        kind, message = self._raised
        raise kind(message)

    def __getitem__(self, key: object) -> NoReturn:
        kind, message = self._raised
        raise kind(message)

    def __setitem__(self, key: object, value: object) -> NoReturn:
        kind, message = self._raised
        raise kind(message)


class PillowImportError(AccessError, PyBoyDependencyError):
    """In the place of `screen.image` without Pillow."""

    _raised = (
        PyBoyDependencyError,
        explain("screen.image", got="no Pillow", expected="Pillow", remedy="pip install 'emurust[render]'"),
    )


class SoundEnabledError(AccessError, PyBoyFeatureDisabledError):
    """In the place of samples of a console without sound."""

    _raised = (
        PyBoyFeatureDisabledError,
        explain("sound", got="sound_emulated=False", expected="a console with sound", remedy="leave it True"),
    )


def refused(kind: str | type[PyBoyException], what: str, got: object, expected: str) -> PyBoyException:
    """An error of a kind, by class or name, that says what was wrong."""
    found = getattr(sys.modules[__name__], kind) if isinstance(kind, str) else kind
    error: PyBoyException = found(explain(what, got=got, expected=expected, remedy=f"correct the {what}"))
    return error


def not_offered(what: str, instead: str) -> NotOfferedError:
    """The error for a part of PyBoy that is not here."""
    return NotOfferedError(explain(what, got="a use of it", expected="none: it is not offered", remedy=instead))
