"""What is compiled for a GPU that is not there, and measured on one that is."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from cartpole_jax import CartPole
from cartpole_jax.verification import OURS
from rlenv_bench.gpu.program import random_rollout
from rlenv_bench.workloads import Comparison, jax_rollout

PROGRAMS: Final = (
    random_rollout("step", CartPole(), unroll=4),
    random_rollout("kernel", CartPole(), in_kernel=True, batches=(262_144,)),
)


def learning_env(on_gpu: bool) -> CartPole:
    """The environment that PPO is measured on."""
    return CartPole()


def against_gymnax(batch: int) -> list[Any]:
    """Ours and gymnax's in turns, as on a CPU."""
    from cartpole_jax.verification.benchmarks import GYMNAX
    from rlenv_bench.other_jax import GymnaxTask

    steps = 64
    return [
        jax_rollout(CartPole(), None, batch, steps, name=OURS, keep_outputs=True),
        jax_rollout(GymnaxTask("CartPole-v1"), None, batch, steps, name=GYMNAX, keep_outputs=True),
    ]


COMPARISONS: Final = tuple(
    Comparison(
        f"gymnax at batch {batch:,}", partial(against_gymnax, batch), needs=("gymnax", "gymnasium"), gpu_only=True
    )
    for batch in (65_536, 1_048_576)
)
