"""What is compiled for a GPU that is not there, and measured on one that is."""

from __future__ import annotations

import os
from typing import Any, Final

import numpy as np

from puffer_pong.jax import Pong
from rlenv_bench.gpu.program import random_rollout
from rlenv_bench.workloads import Comparison, HostWorkload
from rlenv_shared.verification.locate import reference

ONE_FRAME: Final = Pong(frameskip=1)
STEPS: Final = 64

PROGRAMS: Final = (
    random_rollout("frameskip 1", ONE_FRAME, unroll=4),
    random_rollout(
        "frameskip 8", Pong(frameskip=8, loop="inline"), cpu_env=Pong(frameskip=8, loop="fori"), batches=(262_144,)
    ),
    random_rollout("frameskip 1, kernel", ONE_FRAME, in_kernel=True, batches=(262_144,)),
)


def learning_env(on_gpu: bool) -> Pong:
    """The environment that PPO is measured on, with PufferLib's frameskip."""
    return Pong(frameskip=8, loop="inline" if on_gpu else "fori")


def c_on_all_cores() -> list[HostWorkload]:
    """The unmodified C, one thread per core, each with its own environments and its own tight loop."""
    threads = os.cpu_count() or 1
    batch = 4096 * threads
    pong = reference("puffer_pong").PufferPong(batch, frameskip=1)
    actions = np.random.default_rng(0).integers(0, 3, (STEPS, batch)).astype(np.float32)
    reward = [0.0]

    def advance(steps: int) -> None:
        reward[0] = pong.bench(actions[:steps], threads)

    settings: dict[str, Any] = {"frameskip": 1, "policy": "random", "outputs": "overwritten"}
    return [
        HostWorkload(
            f"C, {threads} threads", batch, STEPS, lambda: pong.reset(0), advance, lambda: reward[0], settings=settings
        )
    ]


COMPARISONS: Final = (Comparison("C on all cores", c_on_all_cores, needs=("gymnasium",)),)
