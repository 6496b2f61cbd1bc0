"""PufferLib's Pong in JAX, equal to the original C bit by bit.

>>> import puffer_pong.jax
>>> env = puffer_pong.jax.make(frameskip=8)
>>> env.name
'puffer_pong/PongJax-v0'
"""

from typing import Any

from puffer_pong.jax.env import Pong
from puffer_pong.jax.types import EnvParams, State, check_params
from rlenv_shared import registry
from rlenv_shared.env import Env

__all__ = ["EnvParams", "Pong", "State", "check_params", "make"]

registry.register(Pong.name, Pong)


def make(**kwargs: Any) -> Env:
    """Construct a `Pong`; keyword arguments are its own, and ``backend="emit"`` (`rlenv_emit`, extra ``emit``).

    Raises:
        InvalidParamsError: an unknown keyword, or a value the constructor refuses.
    """
    return registry.make(Pong.name, **kwargs)
