"""Train PPO on Windfall in emurust or in PyBoy.

python training/train.py --run-dir .cache/runs/windfall --ppo.seed 3
python training/train.py --backend pyboy --processes 2
python training/train.py --help
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Annotated, Final, Literal

import tyro

from emurust.games import windfall
from rlenv_shared.errors import EnvError
from rlenv_shared.ppo import HostVecEnv, PPOConfig, train_host

PACKAGE: Final = Path(__file__).resolve().parents[1]
CONFIG: Final = PACKAGE / "training" / "configs" / "windfall.toml"


@dataclasses.dataclass(frozen=True)
class Arguments:
    """What to train, where, and with which hyper-parameters."""

    ppo: PPOConfig
    backend: Literal["emurust", "pyboy"] = "emurust"
    processes: int = 1
    """Child processes of PyBoy."""
    run_dir: Path | None = None
    """Where metrics.jsonl, checkpoints and policy.npz go; nothing is written without it."""
    resume: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False
    """Continue the run in run_dir."""
    checkpoint_every: int = 20
    """Updates between checkpoints."""


def make_env(arguments: Arguments) -> HostVecEnv:
    """The vector environment of a backend."""
    if arguments.backend == "emurust":
        return windfall.game().vector_env(arguments.ppo.num_envs)
    sys.path.insert(0, str(PACKAGE / "tests"))
    from pyboy_windfall import pyboy_vector_env

    return pyboy_vector_env(arguments.ppo.num_envs, processes=arguments.processes)


def main() -> int:
    """Command line."""
    arguments = tyro.cli(Arguments, default=Arguments(ppo=PPOConfig.from_toml(CONFIG)), description=__doc__)
    try:
        policy = train_host(
            make_env(arguments),
            arguments.ppo,
            run_dir=arguments.run_dir,
            resume=arguments.resume,
            checkpoint_every=arguments.checkpoint_every,
            show_progress=True,
        ).policy
        if arguments.run_dir is not None:
            policy.save(arguments.run_dir / "policy.npz")
            print(f"policy: {arguments.run_dir / 'policy.npz'}")
    except EnvError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
