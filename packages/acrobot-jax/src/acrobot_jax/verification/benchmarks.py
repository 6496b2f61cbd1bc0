"""Speed of Acrobot here, in gymnax, in Gymnasium and in EnvPool."""

from __future__ import annotations

from typing import Any, Final

import acrobot_jax
from acrobot_jax import Acrobot
from acrobot_jax.verification import EMITTED, OURS
from rlenv_bench.faces import registered
from rlenv_bench.other_jax import GymnaxTask
from rlenv_bench.other_python import envpool
from rlenv_bench.workloads import HostWorkload, Workload, host_rollout, jax_rollout
from rlenv_emit import emit_env
from rlenv_shared.verification.declaration import threads_in_words
from rlenv_shared.verification.locate import reference

GYMNAX, VECTOR, SINGLE = "gymnax", "gymnasium side by side", "gymnasium single"
THREADS: Final = (1, 2)
TASK: Final = "Acrobot-v1"
MOST_PYTHON: Final = 64  # environments side by side in Python; more are no faster, and take minutes
STEPS: Final = 128  # of each environment per call: a learner's rollout
FACE_STEPS: Final = 4096  # of all environments together, at least


def gymnasium_vector_env(num_envs: int) -> Any:
    """Single environments of Gymnasium side by side."""
    return reference("gymnasium_classic").vector_env(num_envs, env_id=TASK)


def gymnasium(batch: int) -> HostWorkload:
    """Gymnasium's environments under random actions."""
    settings = {"policy": "random", "reset_mode": "same_step", "outputs": "kept"}
    name = SINGLE if batch == 1 else VECTOR
    return host_rollout(gymnasium_vector_env(batch), STEPS, name=name, num_actions=3, settings=settings)


def workloads(batch: int, pools: bool) -> list[Workload]:
    """Every implementation at a batch size; EnvPool, which needs a Python environment of its own, where wanted."""
    made: list[Workload] = [
        jax_rollout(Acrobot(), None, batch, STEPS, name=OURS, keep_outputs=True),
        jax_rollout(GymnaxTask(TASK), None, batch, STEPS, name=GYMNAX, keep_outputs=True),
        *(envpool(TASK, batch, STEPS, threads) for threads in THREADS if pools and threads <= batch),
    ]
    return [*made, gymnasium(batch)] if batch <= MOST_PYTHON else made


def against_envpool(batch: int) -> list[Workload]:
    """Our native step and EnvPool in both its modes, each on one thread and on two."""
    native = [
        jax_rollout(
            emit_env(Acrobot(), threads=threads),
            None,
            batch,
            STEPS,
            name=f"{EMITTED}, {threads_in_words(threads)}",
            keep_outputs=True,
            constant_params=True,
        )
        for threads in THREADS
    ]
    pools = [envpool(TASK, batch, STEPS, threads, asynchronous=mode) for threads in THREADS for mode in (False, True)]
    return [*native, *pools]


def faces(batch: int) -> list[Workload]:
    """Gymnasium's interface: ours, by XLA and emitted, and Gymnasium's own environments side by side."""
    reference("gymnasium_classic")  # says what to do where Gymnasium is missing or another
    import gymnasium as gym

    gym.register_envs(acrobot_jax)
    made: dict[str, dict[str, Any]] = {
        "acrobot-jax": {"id": Acrobot.name},
        "acrobot-jax emitted": {"id": Acrobot.name, "backend": "emit"},
        "gymnasium": {"id": TASK, "vectorization_mode": "sync"},
    }
    return [*registered(made, batch, max(STEPS, FACE_STEPS // batch))]
