"""sb3-contrib's MaskablePPO on pokejax and tcgjax against random play: ``python -m ci.doors.games [pokejax|tcgjax]``.

Ids are looked up in embeddings (`rlenv_shared.adapters.flat`); the learner's seat alternates.
"""

from __future__ import annotations

import sys
import time
from typing import Any, Final

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecMonitor

import pokejax
import tcgjax
from ci.doors import record
from rlenv_shared.adapters.flat import FlatVectorObservation
from rlenv_shared.adapters.sb3 import SB3VecEnv
from rlenv_shared.adapters.sb3_embedding import EmbeddingExtractor

GAMES: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "pokejax": (pokejax.RandomBattle.name, {"faint_reward": 0.1, "hp_reward": 0.1}),
    "tcgjax": (tcgjax.Tcg.name, {}),
}
"""Ids and options of training, among them rewards on the way; by package."""
NUM_ENVS: Final = 64
BACKEND: Final = "emit"  # the learner is to wait for itself, not for the games
TOTAL_STEPS: Final = 50_000
EPISODES: Final = 400
SEED, EVALUATION_SEED = 0, 10_000
REQUIRED: Final = 0.6
SETTINGS: Final = {
    "n_steps": 32,
    "batch_size": 256,
    "n_epochs": 6,
    "learning_rate": 1e-3,
    "gamma": 0.99,
    "ent_coef": 0.01,
}


def make(env_id: str, **options: Any) -> Any:
    """64 games against random play."""
    return FlatVectorObservation(
        gymnasium.make_vec(
            env_id, num_envs=NUM_ENVS, vectorization_mode="vector_entry_point", backend=BACKEND, **options
        )
    )


def points(model: Any, envs: Any) -> float:
    """Points, 1 for a win and 0.5 for a tie, of the same number of games in each environment, sampled play."""
    each = -(-EPISODES // NUM_ENVS)
    obs, info = envs.reset(seed=EVALUATION_SEED)
    torch.manual_seed(EVALUATION_SEED)
    won: list[list[float]] = [[] for _ in range(NUM_ENVS)]
    while min(map(len, won)) < each:
        actions, _ = model.predict(obs, action_masks=info["action_mask"].astype(bool))
        obs, reward, terminated, truncated, info = envs.step(actions)
        for i in np.flatnonzero(terminated | truncated):
            won[i].append((np.sign(reward[i]) + 1) / 2)
    return float(np.mean([games[:each] for games in won]))


def run(package: str) -> dict[str, Any]:
    """Evaluate, train, evaluate again."""
    env_id, options = GAMES[package]
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    envs = VecMonitor(SB3VecEnv(make(env_id, **options)))
    kwargs = {"features_extractor_class": EmbeddingExtractor, "net_arch": [128]}
    model = MaskablePPO("MlpPolicy", envs, seed=SEED, device="cpu", policy_kwargs=kwargs, **SETTINGS)
    judged = make(env_id)
    before, begin = points(model, judged), time.perf_counter()
    print(package, "before", before, flush=True)
    model.learn(TOTAL_STEPS)
    spent = time.perf_counter() - begin
    found = points(model, judged)
    print(package, "after", found, f"{spent:.0f} s", flush=True)
    return {"seed": SEED, "package": package, "before": before, "final_return": found, "seconds": round(spent)}


def main(*packages: str) -> None:
    """Train in these packages' games, or in all."""
    record.write(
        "games",
        ("stable-baselines3", "sb3-contrib"),
        [run(package) for package in packages or GAMES],
        trainer="sb3_contrib.MaskablePPO",
        environment=f"SB3VecEnv(FlatVectorObservation(make_vec(id, {NUM_ENVS}, backend={BACKEND!r})))",
        settings={**SETTINGS, "total_timesteps": TOTAL_STEPS},
        evaluation_episodes=EPISODES,
        required=REQUIRED,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
