"""Train PPO on JAX Pong, Rust Pong or the original C.

python training/train.py --backend jax --run-dir runs/pong --ppo.seed 3
python training/train.py --backend jax --run-dir runs/pong --resume
python training/train.py --help
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Annotated, Final, Literal

import tyro

from rlenv_shared.errors import EnvError
from rlenv_shared.ppo import HostVecEnv, Policy, PPOConfig, train, train_host

PACKAGE: Final = Path(__file__).resolve().parents[1]
CONFIG: Final = PACKAGE / "training" / "configs" / "ppo.toml"
FRAMESKIP: Final = 8  # PufferLib's shipped setting

Backend = Literal["jax", "rust", "c"]


@dataclasses.dataclass(frozen=True)
class Arguments:
    """What to train, where, and with which hyper-parameters."""

    ppo: PPOConfig
    backend: Backend = "jax"
    frameskip: int = FRAMESKIP
    run_dir: Path | None = None
    """Where metrics.jsonl, checkpoints and policy.npz go; nothing is written without it."""
    resume: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False
    """Continue the run in run_dir."""
    checkpoint_every: int = 20
    """Updates between checkpoints."""


def host_env(backend: Backend, num_envs: int, frameskip: int) -> HostVecEnv:
    """A vector environment of the Rust or the C implementation."""
    if backend == "rust":
        from puffer_pong import PongVectorEnv

        return PongVectorEnv(num_envs, frameskip=frameskip)
    sys.path.insert(0, str(PACKAGE.parents[1]))  # references/ lies in the repository
    from references.puffer_pong.adapter import PufferPongVectorEnv

    return PufferPongVectorEnv(num_envs, frameskip=frameskip)


def train_policy(arguments: Arguments) -> Policy:
    """Train on the chosen backend."""
    options = {
        "run_dir": arguments.run_dir,
        "resume": arguments.resume,
        "checkpoint_every": arguments.checkpoint_every,
        "show_progress": True,
    }
    if arguments.backend == "jax":
        from puffer_pong.jax import Pong

        return train(Pong(frameskip=arguments.frameskip), arguments.ppo, **options).policy
    env = host_env(arguments.backend, arguments.ppo.num_envs, arguments.frameskip)
    return train_host(env, arguments.ppo, **options).policy


def main() -> int:
    """Command line."""
    arguments = tyro.cli(Arguments, default=Arguments(ppo=PPOConfig.from_toml(CONFIG)), description=__doc__)
    try:
        policy = train_policy(arguments)
        if arguments.run_dir is not None:
            policy.save(arguments.run_dir / "policy.npz")
            print(f"policy: {arguments.run_dir / 'policy.npz'}")
    except EnvError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
