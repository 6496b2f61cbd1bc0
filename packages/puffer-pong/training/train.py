"""Train PPO on JAX Pong, Rust Pong or the original C.

python training/train.py --backend jax --run-dir runs/pong --ppo.seed 3
python training/train.py --backend jax --run-dir runs/pong --resume
python training/train.py --help
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Final, Literal

from rlenv_learn import HostVecEnv, Policy, PPOConfig, cli, train, train_host

PACKAGE: Final = Path(__file__).resolve().parents[1]
CONFIG: Final = PACKAGE / "training" / "configs" / "ppo.toml"
FRAMESKIP: Final = 8  # PufferLib's shipped setting

Backend = Literal["jax", "rust", "c"]


@dataclasses.dataclass(frozen=True)
class Options(cli.TrainOptions):
    """What to train, where, and with which hyper-parameters."""

    backend: Backend = "jax"
    frameskip: int = FRAMESKIP


def host_env(backend: Backend, num_envs: int, frameskip: int) -> HostVecEnv:
    """A vector environment of the Rust or the C implementation."""
    if backend == "rust":
        from puffer_pong import PongVectorEnv

        return PongVectorEnv(num_envs, frameskip=frameskip)
    sys.path.insert(0, str(PACKAGE.parents[1]))  # references/ lies in the repository
    from references.puffer_pong.adapter import PufferPongVectorEnv

    return PufferPongVectorEnv(num_envs, frameskip=frameskip)


def learn(options: Options) -> Policy:
    """Train on the chosen backend."""
    if options.backend == "jax":
        from puffer_pong.jax import Pong

        return train(Pong(frameskip=options.frameskip), options.ppo, **options.run()).policy
    env = host_env(options.backend, options.ppo.num_envs, options.frameskip)
    return train_host(env, options.ppo, **options.run()).policy


if __name__ == "__main__":
    sys.exit(cli.main(Options(PPOConfig.from_toml(CONFIG)), learn, __doc__))
