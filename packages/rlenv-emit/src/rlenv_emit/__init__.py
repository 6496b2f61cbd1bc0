"""Compiles a whole environment step, written once in JAX, into one native function."""

from rlenv_emit.emit import emit
from rlenv_emit.hooks import EMIT, any_lane, emit_ops

__version__ = "0.1.0"
__all__ = ["EMIT", "__version__", "any_lane", "emit", "emit_ops"]
