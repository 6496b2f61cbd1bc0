"""Train PPO on HalfCheetah.

python training/train.py --ppo.seed 3
python training/train.py --run-dir .cache/runs/halfcheetah            metrics, checkpoints and policy.npz go there
python training/train.py --run-dir .cache/runs/halfcheetah --resume   goes on where a run was killed
"""

from __future__ import annotations

import sys
from pathlib import Path

from halfcheetah_jax import HalfCheetah
from rlenv_learn import Policy, PPOConfig, cli, evaluate, train

CONFIG = Path(__file__).parent / "configs" / "fast.toml"


def learn(options: cli.TrainOptions) -> Policy:
    """Train, then play 100 new episodes."""
    policy = train(HalfCheetah(), options.ppo, **options.run()).policy
    returns = evaluate(policy, HalfCheetah(), episodes=100, seed=1).returns
    print(f"mean return {returns.mean():.1f} over 100 new episodes (lowest {returns.min():.0f})")
    return policy


if __name__ == "__main__":
    sys.exit(cli.main(cli.TrainOptions(PPOConfig.from_toml(CONFIG)), learn, __doc__))
