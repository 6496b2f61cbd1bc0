"""What verified environments share: protocol, verification, statistics, benchmarks and PPO.

Importing this package needs NumPy alone. Everything heavier sits in a submodule behind an extra
(``rlenv-shared[jax]``, ``[gymnasium]``, ``[stats]``, ``[bench]``, ``[ppo]``, ``[cli]``, ``[test]``).
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
