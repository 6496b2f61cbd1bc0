"""stable-baselines3's PPO on CartPole: ``python -m ci.doors.sb3 [SEEDS]``; needs what `make verify-doors` installs.

The settings are those of RL Baselines3 Zoo for CartPole-v1, with 16 environments in place of 8.
"""

from __future__ import annotations

import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any, Final

import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import VecMonitor

from cartpole_jax import CartPole
from ci.doors import record
from rlenv_shared.adapters.gymnasium import GymVectorEnv
from rlenv_shared.adapters.sb3 import SB3VecEnv

NUM_ENVS: Final = 16
TOTAL_STEPS: Final = 102_400
SETTINGS: Final = {"n_steps": 32, "batch_size": 256, "n_epochs": 20, "gae_lambda": 0.8, "gamma": 0.98, "ent_coef": 0.0}
LEARNING_RATE, CLIP_RANGE = 1e-3, 0.2  # both fall linearly to 0
EPISODES: Final = 100
REQUIRED: Final = 475.0  # what Gymnasium registers as CartPole-v1's reward threshold


class Curve(BaseCallback):
    """Remembers the mean return of the last hundred episodes ten times during the training."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[int] = []
        self.returns: list[float] = []

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        if self.num_timesteps >= TOTAL_STEPS * (len(self.steps) + 1) / 10 and self.model.ep_info_buffer:
            self.steps.append(self.num_timesteps)
            self.returns.append(float(np.mean([episode["r"] for episode in self.model.ep_info_buffer])))


def run(seed: int) -> dict[str, Any]:
    """Train once and evaluate in our CartPole and in Gymnasium's."""
    torch.set_num_threads(1)
    envs = VecMonitor(SB3VecEnv(GymVectorEnv(CartPole(), NUM_ENVS)))
    model = PPO(
        "MlpPolicy",
        envs,
        seed=seed,
        device="cpu",
        learning_rate=lambda left: left * LEARNING_RATE,
        clip_range=lambda left: left * CLIP_RANGE,
        **SETTINGS,
    )
    curve = Curve()
    model.learn(TOTAL_STEPS, callback=curve)
    ours = VecMonitor(SB3VecEnv(GymVectorEnv(CartPole(), EPISODES, seed=10_000 + seed)))
    theirs = make_vec_env("CartPole-v1", n_envs=10, seed=10_000 + seed)
    found = {
        name: float(evaluate_policy(model, where, EPISODES, deterministic=True)[0])
        for name, where in (("final_return", ours), ("final_return_in_gymnasium", theirs))
    }
    print(seed, found, flush=True)
    return {"seed": seed, "step": curve.steps, "mean_return": curve.returns, **found}


def main(seeds: int = 5, workers: int = 3) -> None:
    """Train with each seed, in processes of their own; the result is written anew after each of them."""
    settings = {**SETTINGS, "learning_rate": LEARNING_RATE, "clip_range": CLIP_RANGE, "total_timesteps": TOTAL_STEPS}
    runs: list[dict[str, Any]] = []
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        for done in as_completed(pool.submit(run, seed) for seed in range(seeds)):
            runs = sorted([*runs, done.result()], key=lambda one: one["seed"])
            record.write(
                "sb3",
                ("stable-baselines3",),
                runs,
                trainer="stable_baselines3.PPO",
                environment=f"SB3VecEnv(GymVectorEnv(CartPole(), {NUM_ENVS}))",
                settings=settings,
                evaluation_episodes=EPISODES,
                required=REQUIRED,
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
