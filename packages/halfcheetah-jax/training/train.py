"""Train PPO on HalfCheetah.

python training/train.py --ppo.seed 3
python training/train.py --run-dir .cache/runs/halfcheetah            metrics, checkpoints and policy.npz go there
python training/train.py --run-dir .cache/runs/halfcheetah --resume   goes on where a run was killed
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Annotated

import tyro

from halfcheetah_jax import HalfCheetah
from rlenv_shared.errors import EnvError
from rlenv_shared.ppo import PPOConfig, evaluate, train

CONFIG = Path(__file__).parent / "configs" / "fast.toml"


@dataclasses.dataclass(frozen=True)
class Arguments:
    """What to train and where to write."""

    ppo: PPOConfig
    run_dir: Path | None = None
    """Where metrics.jsonl, checkpoints and policy.npz go; nothing is written without it."""
    resume: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False
    """Continue the run in run_dir."""


def main() -> int:
    """Train, then play 100 new episodes."""
    options = tyro.cli(Arguments, default=Arguments(PPOConfig.from_toml(CONFIG)), description=__doc__)
    try:
        result = train(HalfCheetah(), options.ppo, run_dir=options.run_dir, resume=options.resume, show_progress=True)
    except EnvError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    returns = evaluate(result.policy, HalfCheetah(), episodes=100, seed=1).returns
    print(f"mean return {returns.mean():.1f} over 100 new episodes (lowest {returns.min():.0f})")
    if options.run_dir is not None:
        result.policy.save(options.run_dir / "policy.npz")
        print(f"policy: {options.run_dir / 'policy.npz'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
