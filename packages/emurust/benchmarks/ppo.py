"""PPO end to end on Windfall, on emurust and on PyBoy, measured in turns on one machine.

    python benchmarks/ppo.py            some minutes; writes benchmarks/results/<date>-<device>-<commit>-ppo.json
    python benchmarks/ppo.py --quick    short blocks, the small networks, prints only

A small dense network on memory with the hyper-parameters of L4, then convolutional networks on pictures (72 × 80, grey)
with one epoch over four minibatches: a light learner, so the environment's share is not flattered.  That share is the
time of stepping the environment alone at the same batch (random actions) over the time of a whole PPO iteration.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any, Final

import numpy as np

from emurust.games import windfall
from rlenv_bench import results
from rlenv_bench.harness import Run, Timing, measure
from rlenv_bench.learner import host_ppo
from rlenv_bench.workloads import Side, host_rollout
from rlenv_learn import HostVecEnv, PPOConfig
from rlenv_shared import machine

PACKAGE: Final = Path(__file__).resolve().parents[1]
CONFIG: Final = PACKAGE / "training" / "configs" / "windfall.toml"
sys.path.insert(0, str(PACKAGE / "tests"))
from pyboy_windfall import pyboy_vector_env  # noqa: E402

ENVIRONMENT: Final = "emurust/Windfall-v0"
MEMORY_PRESET: Final = "mlp-tiny"
# Networks with their environments and steps of a rollout: an iteration of a large one on two cores takes seconds.
SIZES: Final = {MEMORY_PRESET: (64, 32), "cnn-tiny": (64, 16), "cnn-2m": (32, 16)}
QUICK: Final = (MEMORY_PRESET, "cnn-tiny")
PROCESSES: Final = os.cpu_count() or 1
STARTS: Final = 16


def config_for(preset: str) -> PPOConfig:
    """Hyper-parameters for one network."""
    num_envs, rollout = SIZES[preset]
    sizes = {"num_envs": num_envs, "rollout_length": rollout, "total_steps": num_envs * rollout}
    if preset == MEMORY_PRESET:
        return PPOConfig.from_toml(CONFIG, **sizes)
    return PPOConfig(**sizes, preset=preset, update_epochs=1, num_minibatches=4, activation="relu")


def make_sides(preset: str) -> list[Side]:
    """PPO and the environment alone, for each implementation."""
    config = config_for(preset)
    observation = windfall.OBSERVATION if preset == MEMORY_PRESET else "half_grey"
    shown = "memory" if preset == MEMORY_PRESET else observation

    def about(implementation: str, what: str) -> dict[str, Any]:
        settings = {"frameskip": windfall.FRAME_SKIP, "observation": shown}
        return {"implementation": implementation, "what": what, "preset": preset, **settings}

    def ours() -> HostVecEnv:
        return windfall.game(STARTS).vector_env(config.num_envs, observation=observation)

    def theirs() -> HostVecEnv:
        return pyboy_vector_env(config.num_envs, starts=STARTS, processes=PROCESSES, observation=observation)

    sides: list[Side] = []
    for name, make in {"emurust": ours, f"PyBoy in {PROCESSES} processes": theirs}.items():
        sides.append(host_ppo(make(), config, f"PPO on {name}, {preset}", **about(name, "PPO")))
        sides.append(
            host_rollout(
                make(),
                config.rollout_length,
                name=f"{name} alone, {preset}",
                num_actions=len(windfall.ACTIONS),
                settings=about(name, "environment"),
            )
        )
    return sides


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="4 blocks of 0.1 s; nothing is written")
    parser.add_argument("--presets", nargs="+", choices=list(SIZES), help="networks to measure")
    arguments = parser.parse_args()
    timing = Timing(blocks=4, block_s=0.1) if arguments.quick else Timing()
    about, git = machine.describe(), machine.git_state(PACKAGE)
    runs: list[Run] = []
    for group, preset in enumerate(arguments.presets or (QUICK if arguments.quick else SIZES)):
        found = measure(make_sides(preset), timing, group)
        for run in found:
            print(f"{run.side:38} {results.human(float(np.median(run.sps))):>8} steps/s", flush=True)
        runs += found
    result = results.build(ENVIRONMENT, runs, about, git, machine.command_line())
    print(results.environment_shares(result))
    if not arguments.quick:
        path = results.default_path(PACKAGE / "benchmarks" / "results", result, "ppo")
        results.save(result, path)
        print(f"written to {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
