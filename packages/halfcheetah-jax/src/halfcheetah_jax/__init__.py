"""MuJoCo's HalfCheetah in JAX, in float64 equal to 1e-9 to MuJoCo C with its solver at tolerance 0.

>>> import halfcheetah_jax
>>> env = halfcheetah_jax.make()
>>> env.name
'halfcheetah_jax/HalfCheetah-v5'
"""

import importlib.util
from typing import Any

from halfcheetah_jax.env import HalfCheetah
from halfcheetah_jax.types import MAX_STEPS, EnvParams, State
from rlenv_shared import registry
from rlenv_shared.env import Env

__version__ = "0.1.0"
__all__ = ["EnvParams", "HalfCheetah", "State", "__version__", "make", "register"]

REWARD_THRESHOLD = 4800.0  # gymnasium/envs/__init__.py: HalfCheetah-v5 @ gymnasium 1.3.0

registry.register(HalfCheetah.name, HalfCheetah)


def make(**kwargs: Any) -> Env:
    """Construct a `HalfCheetah`; keyword arguments are its own, and ``backend="emit"`` (`rlenv_emit`, extra ``emit``).

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

    if HalfCheetah.name in gymnasium.registry:
        return
    gymnasium.register(
        HalfCheetah.name,
        entry_point="halfcheetah_jax.gym_env:single",
        vector_entry_point="halfcheetah_jax.gym_env:vector",
        max_episode_steps=MAX_STEPS,
        reward_threshold=REWARD_THRESHOLD,
    )


if importlib.util.find_spec("gymnasium"):
    register()
