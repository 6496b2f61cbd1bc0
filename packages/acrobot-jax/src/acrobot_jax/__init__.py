"""Gymnasium's Acrobot-v1 in JAX, verified step by step against the original.

>>> import acrobot_jax
>>> env = acrobot_jax.make()
>>> env.name
'acrobot_jax/Acrobot-v1'
"""

import importlib.util
from typing import Any

from acrobot_jax.env import Acrobot
from acrobot_jax.types import EnvParams, State
from rlenv_shared import registry
from rlenv_shared.env import Env

__version__ = "0.1.0"
__all__ = ["Acrobot", "EnvParams", "State", "__version__", "make", "register"]

registry.register(Acrobot.name, Acrobot)


def make(**kwargs: Any) -> Env:
    """Construct a `Acrobot`; keyword arguments are its own, and ``backend="emit"`` (`rlenv_emit`, extra ``emit``).

    Raises:
        InvalidParamsError: an unknown keyword, or a value the constructor refuses.
    """
    return registry.make(Acrobot.name, **kwargs)


def register() -> None:
    """Register ``acrobot_jax/Acrobot-v1`` with Gymnasium, single and vector; safe to repeat.

    Importing this package does it where Gymnasium is installed, so ``gymnasium.register_envs(acrobot_jax)`` suffices.
    """
    import gymnasium

    from rlenv_shared.adapters.gymnasium import gymnasium_entry_points

    if Acrobot.name not in gymnasium.registry:
        gymnasium.register(Acrobot.name, **gymnasium_entry_points(make))


if importlib.util.find_spec("gymnasium"):
    register()
