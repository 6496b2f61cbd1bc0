"""Speed of CartPole here, in gymnax, in Gymnasium and in EnvPool."""

from __future__ import annotations

from typing import Any, Final

import cartpole_jax
from cartpole_jax import CartPole
from cartpole_jax.verification import EMITTED, OURS
from rlenv_bench.faces import registered
from rlenv_bench.other_jax import GymnaxTask
from rlenv_bench.other_python import envpool
from rlenv_bench.workloads import HostWorkload, Workload, host_rollout, jax_rollout
from rlenv_emit import emit_env
from rlenv_shared.verification.declaration import threads_in_words
from rlenv_shared.verification.locate import reference

GYMNAX, VECTOR, SINGLE = "gymnax", "gymnasium CartPoleVectorEnv", "gymnasium single"
THREADS: Final = (1, 2)
STEPS: Final = 128  # of each environment per call: a learner's rollout
FACE_STEPS: Final = 4096  # of all environments together, at least


def gymnasium_vector_env(num_envs: int) -> Any:
    """Single environments of Gymnasium side by side."""
    return reference("gymnasium_classic").vector_env(num_envs)


def host_workload(name: str, env: Any) -> HostWorkload:
    """A Gymnasium vector environment under random actions."""
    mode = env.metadata["autoreset_mode"].name.lower()
    settings = {"policy": "random", "reset_mode": mode, "outputs": "kept"}
    return host_rollout(env, STEPS, name=name, num_actions=2, settings=settings)


def workloads(batch: int, pools: bool) -> list[Workload]:
    """Every implementation at a batch size; EnvPool, which needs a Python environment of its own, where wanted."""
    made: list[Workload] = [
        jax_rollout(CartPole(), None, batch, STEPS, name=OURS, keep_outputs=True),
        jax_rollout(GymnaxTask("CartPole-v1"), None, batch, STEPS, name=GYMNAX, keep_outputs=True),
        host_workload(VECTOR, reference("gymnasium_classic").fast_vector_env(batch)),
        *(envpool("CartPole-v1", batch, STEPS, threads) for threads in THREADS if pools and threads <= batch),
    ]
    return [*made, host_workload(SINGLE, gymnasium_vector_env(1))] if batch == 1 else made


def against_envpool(batch: int) -> list[Workload]:
    """Our native step and EnvPool in both its modes, each on one thread and on two."""
    native = [
        jax_rollout(
            emit_env(CartPole(), threads=threads),
            None,
            batch,
            STEPS,
            name=f"{EMITTED}, {threads_in_words(threads)}",
            keep_outputs=True,
            constant_params=True,
        )
        for threads in THREADS
    ]
    task = "CartPole-v1"
    pools = [envpool(task, batch, STEPS, threads, asynchronous=mode) for threads in THREADS for mode in (False, True)]
    return [*native, *pools]


def faces(batch: int) -> list[Workload]:
    """Gymnasium's interface: ours, by XLA and emitted, and Gymnasium's own, which has its vector written in NumPy."""
    reference("gymnasium_classic")  # says what to do where Gymnasium is missing or another
    import gymnasium

    gymnasium.register_envs(cartpole_jax)
    made: dict[str, dict[str, Any]] = {
        "cartpole-jax": {"id": CartPole.name},
        "cartpole-jax emitted": {"id": CartPole.name, "backend": "emit"},
        "gymnasium": {"id": "CartPole-v1"},
    }
    return [*registered(made, batch, max(STEPS, FACE_STEPS // batch))]
