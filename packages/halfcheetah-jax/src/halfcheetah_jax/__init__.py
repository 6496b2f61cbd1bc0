"""MuJoCo's HalfCheetah in JAX, equal to MuJoCo C to 1e-9 in float64.

>>> import halfcheetah_jax
>>> env = halfcheetah_jax.make()
>>> env.name
'halfcheetah_jax/HalfCheetah-v5'
"""

import importlib.util
from typing import Any

from halfcheetah_jax.env import HalfCheetah
from halfcheetah_jax.types import EnvParams, State
from rlenv_shared import registry

__version__ = "0.1.0"
__all__ = ["EnvParams", "HalfCheetah", "State", "__version__", "make", "register"]

registry.register(HalfCheetah.name, HalfCheetah)


def make(**kwargs: Any) -> HalfCheetah:
    """Construct a `HalfCheetah`; keyword arguments are its own.

    Raises:
        InvalidParamsError: an unknown keyword, or a value the constructor refuses.
    """
    return registry.make(HalfCheetah.name, **kwargs)


def register() -> None:
    """Register ``halfcheetah_jax/HalfCheetah-v5`` with Gymnasium, single and vector; safe to repeat.

    Importing this package does it where Gymnasium is installed, so ``gymnasium.register_envs(halfcheetah_jax)``
    suffices.
    """
    import gymnasium

    from rlenv_shared.adapters.gymnasium import gymnasium_entry_points

    if HalfCheetah.name not in gymnasium.registry:
        gymnasium.register(HalfCheetah.name, **gymnasium_entry_points(HalfCheetah))


if importlib.util.find_spec("gymnasium"):
    register()
