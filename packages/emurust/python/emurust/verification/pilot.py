"""What transfer.toml was fixed from: one policy trained in PyBoy with a seed of its own, and a random player, in PyBoy.

python -m emurust.verification.pilot     writes results/pilot.json
"""

from __future__ import annotations

import json

import numpy as np

from emurust.verification import DECLARATION, PPO
from emurust.verification.windfall_in_pyboy import pyboy_vector_env
from rlenv_learn import PPOConfig, evaluate_host, train_host

SEED, STEPS, EPISODES = 1_000, 100_000, 100


def random_returns(episodes: int, seed: int) -> list[float]:
    """Returns of the first episode of each console under uniform actions."""
    env, random = pyboy_vector_env(episodes), np.random.default_rng(seed)
    env.reset(seed=seed)
    running, returns = np.ones(episodes, np.bool_), np.zeros(episodes)
    while running.any():
        _, reward, terminated, truncated, _ = env.step(random.integers(0, 3, episodes))
        returns += reward * running
        running &= ~(terminated | truncated)
    env.close()
    return returns.tolist()


def main() -> None:
    """Train, play and write."""
    ppo = PPOConfig(**PPO, seed=SEED, total_steps=STEPS)
    trained = evaluate_host(
        train_host(pyboy_vector_env(ppo.num_envs), ppo).policy, pyboy_vector_env(EPISODES), seed=SEED
    ).returns.ravel()
    by_chance = random_returns(EPISODES, SEED)
    found = {
        "seed": SEED,
        "steps": STEPS,
        "trained_mean": float(np.mean(trained)),
        "random_mean": float(np.mean(by_chance)),
        "trained": [float(x) for x in trained],
        "random": by_chance,
    }
    (DECLARATION.results / "pilot.json").write_text(json.dumps(found, indent=1) + "\n")
    print(f"trained {found['trained_mean']:.2f}, random {found['random_mean']:.2f}")


if __name__ == "__main__":
    main()
