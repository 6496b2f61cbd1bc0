"""Gymnasium's CartPole-v1 in JAX, verified step by step against the original.

>>> import cartpole_jax
>>> env = cartpole_jax.make()
>>> env.name
'cartpole_jax/CartPole-v1'
"""

import importlib.util
from typing import Any

from cartpole_jax.env import CartPole
from cartpole_jax.types import EnvParams, State
from rlenv_shared import registry
from rlenv_shared.env import Env

__version__ = "0.1.0"
__all__ = ["CartPole", "EnvParams", "State", "__version__", "make", "register"]

registry.register(CartPole.name, CartPole)


def make(**kwargs: Any) -> Env:
    """Construct a `CartPole`; keyword arguments are its own, and ``backend="emit"`` (`rlenv_emit`, extra ``emit``).

    Raises:
        InvalidParamsError: an unknown keyword, or a value the constructor refuses.
    """
    return registry.make(CartPole.name, **kwargs)


def register() -> None:
    """Register ``cartpole_jax/CartPole-v1`` with Gymnasium, single and vector; safe to repeat.

    Importing this package does it where Gymnasium is installed, so ``gymnasium.register_envs(cartpole_jax)`` suffices.
    """
    import gymnasium

    from rlenv_shared.adapters.gymnasium import gymnasium_entry_points

    if CartPole.name not in gymnasium.registry:
        gymnasium.register(CartPole.name, **gymnasium_entry_points(make))


if importlib.util.find_spec("gymnasium"):
    register()
