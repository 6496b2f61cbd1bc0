"""PPO end to end on Windfall, on emurust and on PyBoy.

A small dense network on memory with the hyper-parameters of L4, then convolutional networks on pictures (72 × 80, grey)
with one epoch over four minibatches: a light learner, so the environment's share is not flattered.  That share is the
time of stepping the environment alone at the same batch (random actions) over the time of a whole PPO iteration.
"""

from __future__ import annotations

import os
from typing import Any, Final

from emurust.games import windfall
from emurust.verification import PPO
from emurust.verification.windfall_in_pyboy import pyboy_vector_env
from rlenv_bench.learner import host_ppo
from rlenv_bench.workloads import Workload, host_rollout
from rlenv_learn import HostVecEnv, PPOConfig

MEMORY_PRESET: Final = "mlp-tiny"
ROLLOUT: Final = {MEMORY_PRESET: 32}  # steps; 16 with other networks
PROCESSES: Final = os.cpu_count() or 1
STARTS: Final = 16


def config_for(preset: str, num_envs: int) -> PPOConfig:
    """Hyper-parameters for one network."""
    rollout = ROLLOUT.get(preset, 16)
    sizes: dict[str, Any] = {"num_envs": num_envs, "rollout_length": rollout, "total_steps": num_envs * rollout}
    if preset == MEMORY_PRESET:
        return PPOConfig(**{**PPO, **sizes})
    return PPOConfig(**sizes, preset=preset, update_epochs=1, num_minibatches=4, activation="relu")


def workloads(num_envs: int, preset: str) -> list[Workload]:
    """PPO and the environment alone, for each implementation."""
    config = config_for(preset, num_envs)
    observation: Any = windfall.OBSERVATION if preset == MEMORY_PRESET else "half_grey"
    shown = "memory" if preset == MEMORY_PRESET else observation

    def about(implementation: str, what: str) -> dict[str, Any]:
        settings = {"frameskip": windfall.FRAME_SKIP, "observation": shown}
        return {"implementation": implementation, "what": what, "preset": preset, **settings}

    def ours() -> HostVecEnv:
        return windfall.game(STARTS).vector_env(config.num_envs, observation=observation)

    def theirs() -> HostVecEnv:
        return pyboy_vector_env(config.num_envs, starts=STARTS, processes=PROCESSES, observation=observation)

    made: list[Workload] = []
    for name, make in {"emurust": ours, f"PyBoy in {PROCESSES} processes": theirs}.items():
        made.append(host_ppo(make(), config, f"PPO on {name}, {preset}", **about(name, "PPO")))
        made.append(
            host_rollout(
                make(),
                config.rollout_length,
                name=f"{name} alone, {preset}",
                num_actions=len(windfall.ACTIONS),
                settings=about(name, "environment"),
            )
        )
    return made
