"""What can go wrong between a step and its native form."""

from __future__ import annotations

import dataclasses

from rlenv_shared.errors import EnvError, explain


@dataclasses.dataclass(frozen=True)
class Missing:
    """Something that a function uses and that cannot be emitted.

    Attributes:
        primitive: of JAX, or ``argument``, ``constant`` or ``result`` of the function.
        source: file and line, ``game.py:12``.
        got: what the function has there.
        expected: what can be emitted.
        remedy: what to write instead.
    """

    primitive: str
    source: str
    got: str
    expected: str
    remedy: str

    def __str__(self) -> str:
        what = f"emit {self.primitive} at {self.source}"
        return explain(what, got=self.got, expected=self.expected, remedy=self.remedy)


class EmitError(EnvError):
    """Base of the errors of this package."""


class UnsupportedError(EmitError, NotImplementedError):
    """A step uses what cannot be emitted; the message names the primitive and the source line.

    Attributes:
        missing: the same in parts; None where it is not an equation of a step.
    """

    missing: Missing | None = None

    @classmethod
    def of(cls, missing: Missing) -> UnsupportedError:
        """The error that says so."""
        error = cls(str(missing))
        error.missing = missing
        return error


class CompilerError(EmitError, RuntimeError):
    """There is no compiler, or it failed."""


class ObjectFileError(EmitError, RuntimeError):
    """A compiled object cannot be loaded, or asks for a processor that this is not."""


class DifferentiationError(EmitError, TypeError):
    """Somebody asked for the derivative of an emitted function."""


class GateError(EmitError, AssertionError):
    """A handler changed something although its predicate was false."""


class CacheWarning(UserWarning):
    """What is kept cannot be used, or nothing can be kept; everything works, but is made again."""
