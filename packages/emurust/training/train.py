"""Train PPO on Windfall in emurust or in PyBoy.

python training/train.py --run-dir .cache/runs/windfall --ppo.seed 3
python training/train.py --backend pyboy --processes 2
python training/train.py --help
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Final, Literal

from emurust.games import windfall
from rlenv_learn import HostVecEnv, Policy, PPOConfig, cli, train_host

PACKAGE: Final = Path(__file__).resolve().parents[1]
CONFIG: Final = PACKAGE / "training" / "configs" / "windfall.toml"


@dataclasses.dataclass(frozen=True)
class Options(cli.TrainOptions):
    """What to train, where, and with which hyper-parameters."""

    backend: Literal["emurust", "pyboy"] = "emurust"
    processes: int = 1
    """Child processes of PyBoy."""


def make_env(options: Options) -> HostVecEnv:
    """The vector environment of a backend."""
    if options.backend == "emurust":
        return windfall.game().vector_env(options.ppo.num_envs)
    sys.path.insert(0, str(PACKAGE / "tests"))
    from pyboy_windfall import pyboy_vector_env

    return pyboy_vector_env(options.ppo.num_envs, processes=options.processes)


def learn(options: Options) -> Policy:
    """Train on the chosen backend."""
    return train_host(make_env(options), options.ppo, **options.run()).policy


if __name__ == "__main__":
    sys.exit(cli.main(Options(PPOConfig.from_toml(CONFIG)), learn, __doc__))
