"""What verified environments share: the contract, the tools of verification, the doors to other libraries.

Importing this package needs NumPy alone. Everything heavier sits in a submodule behind an extra, such as
``rlenv-shared[jax]`` or ``[gymnasium]``.
"""

from rlenv_shared.errors import (
    DivergenceError,
    EnvError,
    IllegalActionError,
    InvalidParamsError,
    ReferenceUnavailableError,
    SnapshotVersionError,
    UnknownEnvError,
)

__version__ = "0.1.0"

__all__ = [
    "DivergenceError",
    "EnvError",
    "IllegalActionError",
    "InvalidParamsError",
    "ReferenceUnavailableError",
    "SnapshotVersionError",
    "UnknownEnvError",
    "__version__",
]
