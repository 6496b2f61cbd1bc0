"""sb3-contrib's MaskablePPO on a walk with illegal actions: ``python -m ci.doors.maskable``.

`GymVectorEnv` refuses an illegal action with an error, so that the training ends at all shows that the masks arrive.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import VecMonitor

from ci.doors import record
from rlenv_shared.adapters.gymnasium import GymVectorEnv
from rlenv_shared.adapters.sb3 import SB3VecEnv
from rlenv_testing.walk import RIGHT, Walk

NUM_ENVS: Final = 64
TOTAL_STEPS: Final = 20_480
EPISODES: Final = 256


def mean_of(action: int | None, seed: int) -> float:
    """Mean return of always the same action, or of uniformly drawn legal ones."""
    envs, rng = GymVectorEnv(Walk(), EPISODES, seed=seed), np.random.default_rng(seed)
    _, info = envs.reset()
    returns, running = np.zeros(EPISODES), np.ones(EPISODES, np.bool_)
    while running.any():
        drawn = (rng.random((EPISODES, 3)) * info["action_mask"]).argmax(axis=1)
        _, reward, terminated, truncated, info = envs.step(drawn if action is None else np.full(EPISODES, action))
        returns += reward * running
        running &= ~(terminated | truncated)
    return float(returns.mean())


def main() -> None:
    """Train, evaluate, and compare with the best policy, which always walks right."""
    torch.set_num_threads(1)
    envs = VecMonitor(SB3VecEnv(GymVectorEnv(Walk(), NUM_ENVS)))
    model = MaskablePPO("MlpPolicy", envs, seed=0, device="cpu", n_steps=32, batch_size=512, learning_rate=3e-3)
    model.learn(TOTAL_STEPS)
    seed = 10_000
    found = evaluate_policy(model, VecMonitor(SB3VecEnv(GymVectorEnv(Walk(), EPISODES, seed=seed))), EPISODES)[0]
    best, drawn = mean_of(RIGHT, seed), mean_of(None, seed)
    record.write(
        "maskable",
        ("stable-baselines3", "sb3-contrib"),
        [{"seed": 0, "final_return": float(found), "best_policy": best, "random_policy": drawn}],
        trainer="sb3_contrib.MaskablePPO",
        environment=f"SB3VecEnv(GymVectorEnv(Walk(), {NUM_ENVS}))",
        settings={"total_timesteps": TOTAL_STEPS, "n_steps": 32, "batch_size": 512, "learning_rate": 3e-3},
        evaluation_episodes=EPISODES,
        required=best - 0.05,
    )


if __name__ == "__main__":
    main()
