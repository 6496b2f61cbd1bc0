"""PPO end to end on Windfall, on emurust and on PyBoy, measured in turns on one machine.

    python benchmarks/ppo.py            some minutes; writes benchmarks/results/<date>-<device>-<commit>-ppo.json
    python benchmarks/ppo.py --quick    short blocks, prints only

The share of an iteration that the environment takes is the time of stepping it alone at the same batch (random actions)
over the time of a whole PPO iteration.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any, Final

import numpy as np

from emurust.games import windfall
from rlenv_shared.bench import machine, report
from rlenv_shared.bench.harness import Timing, measure
from rlenv_shared.bench.learner import host_ppo
from rlenv_shared.bench.sides import HostSide, Side
from rlenv_shared.ppo import HostVecEnv, PPOConfig

PACKAGE: Final = Path(__file__).resolve().parents[1]
CONFIG: Final = PACKAGE / "training" / "configs" / "windfall.toml"
sys.path.insert(0, str(PACKAGE / "tests"))
from pyboy_windfall import pyboy_vector_env  # noqa: E402

ENVIRONMENT: Final = "emurust/Windfall-v0"
NUM_ENVS, ROLLOUT = 64, 32
PROCESSES: Final = os.cpu_count() or 1


def env_side(env: HostVecEnv, name: str, **settings: Any) -> HostSide:
    """Stepping an environment alone, through the interface the trainer uses."""
    actions = np.random.default_rng(0).integers(0, len(windfall.ACTIONS), (ROLLOUT, env.num_envs))
    last: list[Any] = [None]

    def advance(steps: int) -> None:
        for t in range(steps):
            last[0] = env.step(actions[t])

    return HostSide(
        name,
        env.num_envs,
        ROLLOUT,
        reset=lambda: env.reset(seed=0),
        advance=advance,
        read_checksum=lambda: float(last[0][0].sum(dtype=np.float64)),
        settings=settings,
    )


def make_sides() -> list[Side]:
    """PPO and the environment alone, for each implementation."""
    config = PPOConfig.from_toml(CONFIG, num_envs=NUM_ENVS, rollout_length=ROLLOUT, total_steps=NUM_ENVS * ROLLOUT)

    def about(implementation: str, what: str) -> dict[str, Any]:
        frame_skip = windfall.FRAME_SKIP
        return {"implementation": implementation, "what": what, "preset": config.preset, "frameskip": frame_skip}

    makers = {
        "emurust": lambda: windfall.game().vector_env(NUM_ENVS),
        f"PyBoy in {PROCESSES} processes": lambda: pyboy_vector_env(NUM_ENVS, processes=PROCESSES),
    }
    sides: list[Side] = []
    for name, make in makers.items():
        sides.append(host_ppo(make(), config, f"PPO on {name}", **about(name, "PPO")))
        sides.append(env_side(make(), f"{name} alone", **about(name, "environment")))
    return sides


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="4 blocks of 0.1 s; nothing is written")
    arguments = parser.parse_args()
    timing = Timing(blocks=4, block_s=0.1) if arguments.quick else Timing()
    about, git = machine.describe(), machine.git_state(PACKAGE)
    runs = measure(make_sides(), timing)
    for run in runs:
        print(f"{run.side:28} {report.human(float(np.median(run.sps))):>8} steps/s", flush=True)
    result = report.build(ENVIRONMENT, runs, about, git, machine.command_line())
    print(report.environment_shares(result))
    if not arguments.quick:
        path = report.default_path(PACKAGE / "benchmarks" / "results", result, "ppo")
        path.parent.mkdir(parents=True, exist_ok=True)
        report.save(result, path)
        print(f"written to {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
