"""PPO end to end on Pong: JAX, Rust and the original C under one trainer.

The share of an iteration that the environment takes is the time of stepping it alone at the same batch (random actions)
over the time of a whole PPO iteration.
"""

from __future__ import annotations

from typing import Any, Final

from puffer_pong.verification import FRAMESKIP
from puffer_pong.verification.implementations import jax_env, rust_vector_env
from rlenv_bench.learner import host_ppo, light_config, native_ppo
from rlenv_bench.workloads import HostWorkload, Workload, host_rollout, jax_rollout
from rlenv_learn import HostVecEnv
from rlenv_shared.verification.locate import reference

ROLLOUT: Final = 16  # steps


def workloads(num_envs: int, preset: str) -> list[Workload]:
    """PPO and the environment alone, for each implementation."""
    config, env = light_config(preset, num_envs, ROLLOUT), jax_env()

    def c() -> HostVecEnv:
        return reference("puffer_pong").PufferPongVectorEnv(num_envs, frameskip=FRAMESKIP)

    def about(implementation: str, what: str) -> dict[str, Any]:
        return {"implementation": implementation, "what": what, "preset": preset, "frameskip": FRAMESKIP}

    def alone(env: HostVecEnv, implementation: str) -> HostWorkload:
        return host_rollout(
            env,
            ROLLOUT,
            name=f"{implementation} alone, {preset}",
            num_actions=3,
            deterministic=False,  # glibc's generator belongs to the process
            settings=about(implementation, "environment"),
        )

    return [
        native_ppo(env, config, f"PPO on JAX, {preset}", **about("JAX", "PPO")),
        host_ppo(rust_vector_env(num_envs), config, f"PPO on Rust, {preset}", **about("Rust", "PPO")),
        host_ppo(c(), config, f"PPO on C, {preset}", **about("C", "PPO")),
        jax_rollout(
            env,
            None,
            num_envs,
            ROLLOUT,
            name=f"JAX alone, {preset}",
            keep_outputs=True,
            settings=about("JAX", "environment"),
        ),
        alone(rust_vector_env(num_envs), "Rust"),
        alone(c(), "C"),
    ]
