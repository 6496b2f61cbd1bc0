"""What is compiled for a GPU and run on one; see ``ci/gpu_declarations.py``."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any, Final

import jax.numpy as jnp

from cartpole_jax import CartPole
from rlenv_bench.gpu.program import random_rollout
from rlenv_bench.sections import Comparison, Replay
from rlenv_bench.workloads import jax_rollout

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "l3_rollout"))
from cartpole_replay import TRACE, replay

PROGRAMS: Final = (
    random_rollout("step", CartPole(), unroll=4),
    random_rollout("kernel", CartPole(), in_kernel=True, batches=(262_144,)),
)

REPLAYS: Final = tuple(
    Replay(f"Gymnasium's CartPole-v1, each step from its state, {dtype.__name__}", TRACE, partial(replay, dtype=dtype))
    for dtype in (jnp.float32, jnp.float64)
)


def ppo_env(on_gpu: bool) -> CartPole:
    """The environment that PPO is measured on."""
    return CartPole()


def against_gymnax() -> list[Any]:
    """Ours and gymnax's in turns, as in `bench`."""
    from bench import GYMNAX, OURS, GymnaxCartPole

    batch, steps = 65_536, 64
    return [
        jax_rollout(CartPole(), None, batch, steps, name=OURS, keep_outputs=True),
        jax_rollout(GymnaxCartPole(), None, batch, steps, name=GYMNAX, keep_outputs=True),
    ]


COMPARISONS: Final = (Comparison("gymnax", against_gymnax, needs=("gymnax", "gymnasium"), gpu_only=True),)
