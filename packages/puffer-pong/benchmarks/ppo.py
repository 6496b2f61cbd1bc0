"""PPO end to end on Pong: JAX, Rust and the original C under one trainer, measured in turns on one machine.

    python benchmarks/ppo.py            some minutes; writes benchmarks/results/<date>-<device>-<commit>-ppo.json
    python benchmarks/ppo.py --quick    the smallest network, short blocks, prints only

The share of an iteration that the environment takes is the time of stepping it alone at the same batch (random actions)
over the time of a whole PPO iteration.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, Final

import numpy as np

from puffer_pong import PongVectorEnv
from puffer_pong.jax import Pong
from rlenv_bench import results
from rlenv_bench.harness import Run, Timing, measure
from rlenv_bench.learner import host_ppo, native_ppo
from rlenv_bench.workloads import HostSide, Side, host_rollout, jax_rollout
from rlenv_learn import HostVecEnv, PPOConfig
from rlenv_shared import machine

PACKAGE: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PACKAGE.parents[1]))  # references.<name>.adapter
from references.puffer_pong.adapter import PufferPongVectorEnv  # noqa: E402

FRAMESKIP: Final = 8
# Network and number of environments: large networks get few, so that an iteration on two cores takes seconds.
SIZES: Final = (("gru-2m", 256), ("gru-20m", 64))
QUICK_SIZES: Final = (("gru-tiny", 256),)
ROLLOUT: Final = 16  # steps


def config_for(preset: str, num_envs: int) -> PPOConfig:
    """One epoch over four minibatches: a light learner, so the environment's share is not flattered."""
    return PPOConfig(
        total_steps=num_envs * ROLLOUT,
        num_envs=num_envs,
        rollout_length=ROLLOUT,
        update_epochs=1,
        num_minibatches=4,
        preset=preset,
        normalise_observations=True,
    )


def make_sides(preset: str, num_envs: int) -> list[Side]:
    """PPO and the environment alone, for each implementation."""
    config, env = config_for(preset, num_envs), Pong(frameskip=FRAMESKIP)

    def c() -> PufferPongVectorEnv:
        return PufferPongVectorEnv(num_envs, frameskip=FRAMESKIP)

    def rust() -> PongVectorEnv:
        return PongVectorEnv(num_envs, frameskip=FRAMESKIP)

    def about(implementation: str, what: str) -> dict[str, Any]:
        return {"implementation": implementation, "what": what, "preset": preset, "frameskip": FRAMESKIP}

    def alone(env: HostVecEnv, implementation: str) -> HostSide:
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
        host_ppo(rust(), config, f"PPO on Rust, {preset}", **about("Rust", "PPO")),
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
        alone(rust(), "Rust"),
        alone(c(), "C"),
    ]


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="smallest network, 4 blocks of 0.1 s; nothing is written")
    parser.add_argument("--presets", nargs="+", default=[preset for preset, _ in SIZES], help="networks to measure")
    arguments = parser.parse_args()
    sizes = QUICK_SIZES if arguments.quick else tuple(size for size in SIZES if size[0] in arguments.presets)
    timing = Timing(blocks=4, block_s=0.1) if arguments.quick else Timing()
    about, git = machine.describe(), machine.git_state(PACKAGE)
    runs: list[Run] = []
    for group, (preset, num_envs) in enumerate(sizes):
        runs += measure(make_sides(preset, num_envs), timing, group)
        for run in runs[-6:]:
            print(f"{run.side:24} {results.human(float(np.median(run.sps))):>8} steps/s", flush=True)
    result = results.build("puffer_pong/Pong-v0", runs, about, git, machine.command_line())
    print(results.environment_shares(result))
    if not arguments.quick:
        path = results.default_path(PACKAGE / "benchmarks" / "results", result, "ppo")
        results.save(result, path)
        print(f"written to {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
