"""Pong with PufferLib's frameskip in each implementation, to train and to evaluate on."""

from __future__ import annotations

from typing import Any

from puffer_pong.verification import FRAMESKIP
from rlenv_shared.verification.locate import reference


def jax_env() -> Any:
    """JAX."""
    from puffer_pong.jax import Pong

    return Pong(frameskip=FRAMESKIP)


def rust_vector_env(num_envs: int) -> Any:
    """Our Rust."""
    from puffer_pong import PongVectorEnv

    return PongVectorEnv(num_envs, frameskip=FRAMESKIP)


def c_vector_env(num_envs: int) -> Any:
    """The unmodified C, which draws its serves from glibc's generator, as PufferLib does."""
    return reference("puffer_pong").PufferPongVectorEnv(num_envs, rng="glibc", frameskip=FRAMESKIP)
