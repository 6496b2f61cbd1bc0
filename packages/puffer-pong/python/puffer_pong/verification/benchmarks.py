"""Speed of Pong in Rust, in JAX and in the original C.

C runs in its own tight loop, and Rust is called from Python at every step, as its users do; both read actions drawn
beforehand.  C's threads never wait for one another, Rust's do at every step.  JAX draws actions in its scan and keeps
all outputs in memory.
"""

from __future__ import annotations

import os
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from puffer_pong import PongBuffers, PongVectorEnv
from puffer_pong.gym_env import PongEnv
from puffer_pong.jax import Pong
from puffer_pong.verification import FRAMESKIP, JAX
from rlenv_bench.faces import face
from rlenv_bench.workloads import HostWorkload, Workload, jax_rollout
from rlenv_shared.adapters.gymnasium import GymEnv, GymVectorEnv
from rlenv_shared.verification.declaration import threads_in_words
from rlenv_shared.verification.locate import reference

FACE_STEPS: Final = 4096  # of all environments together, at least
STEPS: Final = 128  # of each environment per call: a learner's rollout


def _actions(batch: int) -> NDArray[np.int32]:
    """Of all steps of a call, ``[STEPS, batch]``."""
    return np.random.default_rng(0).integers(0, 3, (STEPS, batch), np.int32)


def c_workload(batch: int, frameskip: int, threads: int) -> HostWorkload:
    """The unmodified pong.h in a C loop, with its environments' own generators."""
    pong = reference("puffer_pong").PufferPong(batch, frameskip=frameskip)
    actions = _actions(batch).astype(np.float32)
    reward_sum = [0.0]

    def advance(steps: int) -> None:
        reward_sum[0] = pong.bench(actions[:steps], threads)

    return HostWorkload(
        f"C, {threads_in_words(threads)}",
        batch,
        STEPS,
        reset=lambda: pong.reset(0),
        advance=advance,
        read_checksum=lambda: reward_sum[0] + float(pong.observations.sum(dtype=np.float64)),
        settings={"frameskip": frameskip, "policy": "random", "outputs": "overwritten"},
    )


def rust_workload(batch: int, frameskip: int, threads: int) -> HostWorkload:
    """The Rust core through Python, one call per step."""
    pong = PongBuffers(batch, num_threads=threads, frameskip=frameskip)
    actions = _actions(batch)

    def advance(steps: int) -> None:
        for t in range(steps):
            pong.step(actions[t])

    return HostWorkload(
        f"Rust, {threads_in_words(threads)}",
        batch,
        STEPS,
        reset=lambda: pong.reset(0),
        advance=advance,
        read_checksum=lambda: float(pong.observations.sum(dtype=np.float64) + pong.rewards.sum(dtype=np.float64)),
        settings={"frameskip": frameskip, "policy": "random", "outputs": "overwritten"},
    )


def workloads(batch: int, frameskip: int) -> list[Workload]:
    """Every implementation at one batch size."""
    threads = sorted({1, os.cpu_count() or 1})
    env = Pong(frameskip=frameskip)
    return [
        *(c_workload(batch, frameskip, n) for n in threads if n <= batch),
        *(rust_workload(batch, frameskip, n) for n in threads),
        jax_rollout(env, None, batch, STEPS, name=JAX, keep_outputs=True, settings={"frameskip": frameskip}),
    ]


def faces(batch: int) -> list[Workload]:
    """Gymnasium's interface: Rust, JAX, and the original C behind an interface of our own."""
    steps, name = max(8, FACE_STEPS // batch), f"{'single' if batch == 1 else 'vector'}"
    c = reference("puffer_pong").PufferPongVectorEnv(batch, rng="counter", frameskip=FRAMESKIP)
    jax_env = Pong(frameskip=FRAMESKIP)
    if batch == 1:
        ours: dict[str, Any] = {"Rust": PongEnv(frameskip=FRAMESKIP), JAX: GymEnv(jax_env)}
    else:
        ours = {"Rust": PongVectorEnv(batch, frameskip=FRAMESKIP), JAX: GymVectorEnv(jax_env, batch)}
    return [face(env, steps, name=f"{who}, {name}") for who, env in {**ours, "C": c}.items()]
