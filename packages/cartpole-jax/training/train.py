"""Train PPO on CartPole: ``python training/train.py [--config FILE] [any field of PPOConfig]``.

Metrics and checkpoints go to ``runs/cartpole``, or where RUN_DIR says; the same command continues a killed run.
"""

from __future__ import annotations

import os
from pathlib import Path

from cartpole_jax import CartPole
from rlenv_shared.ppo import PPOConfig, evaluate, train
from rlenv_shared.ppo.cli import parse

DEFAULT = Path(__file__).parent / "configs" / "fast.toml"


def main() -> None:
    config = parse(default=PPOConfig.from_toml(DEFAULT))
    run_dir = Path(os.environ.get("RUN_DIR", "runs/cartpole"))
    policy = train(CartPole(), config, run_dir=run_dir, resume=True, show_progress=True).policy
    policy.save(run_dir / "policy.npz")
    print(f"mean return {evaluate(policy, CartPole(), episodes=100, seed=1).mean_return:.1f} over 100 new episodes")
    print(f"policy: {run_dir / 'policy.npz'}")


if __name__ == "__main__":
    main()
