"""What can go wrong between a step and its native form."""

from __future__ import annotations

from rlenv_shared.errors import EnvError


class EmitError(EnvError):
    """Base of the errors of this package."""


class UnsupportedError(EmitError, NotImplementedError):
    """A step uses what cannot be emitted; the message names the primitive and the source line."""


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
