"""A process of test_games.py: a few updates of PPO in a test bed on so many devices, written to a file.

Usage: games_child.py OUT GAME DEVICES
"""

from __future__ import annotations

import os
import sys

import jax
import numpy as np

from rlenv_games import Hand, Skirmish
from rlenv_learn import PPOConfig, SelfPlayConfig, train
from rlenv_learn.opponents import random_script

CONFIG = PPOConfig(
    total_steps=64 * 8 * 3,
    num_envs=64,
    rollout_length=8,
    num_minibatches=2,
    update_epochs=1,
    preset="gru-tiny",
    embedding=4,
)
GAMES = {  # self-play where players take turns, a script where they choose at the same time
    "hand": (Hand(), SelfPlayConfig(pool_size=2, snapshot_every=2)),
    "skirmish": (Skirmish(), SelfPlayConfig(pool_size=0, scripts=(random_script(Skirmish()),))),
}


def main(out: str, game: str, devices: str) -> None:
    """Train and write."""
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={devices}"
    env, selfplay = GAMES[game]
    result = train(env, CONFIG, selfplay=selfplay, devices=int(devices))
    metrics = {
        name: np.array([np.nan if record[name] is None else float(record[name]) for record in result.records])
        for name in result.records[0]
        if name != "timing"
    }
    leaves = {f"policy{i}": np.asarray(leaf) for i, leaf in enumerate(jax.tree.leaves(result.policy.params))}
    np.savez(out, device_count=jax.device_count(), **metrics, **leaves)


if __name__ == "__main__":
    main(*sys.argv[1:])
