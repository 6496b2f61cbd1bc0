"""Environment ids: which options each stands for, and how they reach the registries."""

from __future__ import annotations

import importlib
from typing import Any, Final

from rlenv_shared import registry

GYMNASIUM_IDS: Final[dict[str, dict[str, Any]]] = {
    "puffer_pong/Pong-v0": {},  # the defaults of PufferLib's Python class
    "puffer_pong/PongFrameskip-v0": {"frameskip": 8},  # what PufferLib trains on (pong.ini)
    "puffer_pong/PongContinuous-v0": {"continuous": True},
}
"""Options by id; ``frameskip=``, ``max_score=`` and the others of `PongConfig` may be given to any of them."""

JAX_ID: Final = "puffer_pong/PongJax-v0"


def make(env_id: str, **options: Any) -> Any:
    """See `puffer_pong.make`."""
    if env_id == JAX_ID:
        importlib.import_module("puffer_pong.jax")  # registers itself
    return registry.make(env_id, **options)


def register_with_gymnasium() -> None:
    """See `puffer_pong.register_envs`."""
    import gymnasium

    for env_id, options in GYMNASIUM_IDS.items():
        if env_id not in gymnasium.registry:
            gymnasium.register(
                env_id,
                entry_point="puffer_pong.gym_env:PongEnv",
                vector_entry_point="puffer_pong.vector_env:PongVectorEnv",
                kwargs=options,
            )


def _register_factories() -> None:
    for env_id, fixed in GYMNASIUM_IDS.items():

        def factory(num_envs: int = 1, *, fixed: dict[str, Any] = fixed, **options: Any) -> Any:
            from puffer_pong.vector_env import PongVectorEnv

            return PongVectorEnv(num_envs, **{**fixed, **options})

        registry.register(env_id, factory)


_register_factories()
