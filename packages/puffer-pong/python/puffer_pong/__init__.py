"""PufferLib's Pong in Rust and JAX, equal to the original C bit by bit.

| what                                 | where                         | needs         |
|--------------------------------------|-------------------------------|---------------|
| Gymnasium vector environment, Rust   | `PongVectorEnv`               | `[gymnasium]` |
| Gymnasium environment, Rust          | `PongEnv`                     | `[gymnasium]` |
| PufferLib-style in-place buffers     | `PongBuffers`                 |               |
| pure functional environment, JAX     | `puffer_pong.jax.Pong`        | `[jax]`       |
| pictures and GIFs                    | `puffer_pong.render`          | `[render]`    |

>>> import puffer_pong
>>> envs = puffer_pong.PongBuffers(num_envs=4, frameskip=8)
>>> observations, _ = envs.reset(seed=0)
>>> observations.shape
(4, 8)
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from puffer_pong.buffers import PongBuffers
    from puffer_pong.config import PongConfig
    from puffer_pong.gym_env import PongEnv
    from puffer_pong.vector_env import PongVectorEnv

__version__ = "0.1.0"
__all__ = ["PongBuffers", "PongConfig", "PongEnv", "PongVectorEnv", "__version__", "make", "register_envs"]

# Imported when first used: the Gymnasium faces need an extra.
_MODULES = {"PongBuffers": "buffers", "PongConfig": "config", "PongEnv": "gym_env", "PongVectorEnv": "vector_env"}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)


def make(env_id: str = "puffer_pong/Pong-v0", **options: Any) -> Any:
    """Construct one of this package's environments.

    Args:
        env_id: an id of `puffer_pong.ids.GYMNASIUM_IDS` (a `PongVectorEnv` with the options of that id; pass
            ``num_envs``), or ``"puffer_pong/PongJax-v0"`` (a `puffer_pong.jax.Pong`).
        **options: passed to the constructor.

    Raises:
        UnknownEnvError: no such id; the message lists near matches.
        InvalidParamsError: an option the environment does not have, or an impossible value.
    """
    from puffer_pong import ids

    return ids.make(env_id, **options)


def register_envs() -> None:
    """Register the ids of `puffer_pong.ids.GYMNASIUM_IDS` with Gymnasium; may be called again.

    Importing this package does it where Gymnasium is installed, so ``gymnasium.register_envs(puffer_pong)`` suffices.

    >>> import gymnasium, puffer_pong
    >>> gymnasium.register_envs(puffer_pong)
    >>> gymnasium.make_vec("puffer_pong/Pong-v0", num_envs=2, vectorization_mode="vector_entry_point").num_envs
    2
    """
    from puffer_pong import ids

    ids.register_with_gymnasium()


if importlib.util.find_spec("gymnasium"):
    register_envs()
