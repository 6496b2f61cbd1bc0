"""Runs under rejax's own Python: unmodified rejax PPO on an environment of ours; writes the learning curve as JSON.

Usage: train.py OUT MODULE:CLASS
"""

import importlib
import sys
from importlib.metadata import version

import jax
import numpy as np
from rejax import PPO

from rlenv_shared import files
from rlenv_shared.adapters.gymnax import FiveValueEnv

SETTINGS = {
    "total_timesteps": 131_072,
    "eval_freq": 32_768,
    "num_envs": 64,
    "num_steps": 32,
    "num_minibatches": 16,
    "num_epochs": 8,
    "learning_rate": 1e-3,
    "max_grad_norm": 10.0,
    "ent_coef": 0.0,
}
SEED = 0


def main(out: str, name: str) -> None:
    """Train and write."""
    module, class_name = name.split(":")
    env = FiveValueEnv(getattr(importlib.import_module(module), class_name)())
    algorithm = PPO.create(env=env, env_params=env.default_params, **SETTINGS)
    _, (lengths, returns) = jax.jit(algorithm.train)(jax.random.PRNGKey(SEED))
    returns = np.asarray(returns)
    curve = {
        **{"format": "rlenv-learning-curve", "schema": 1},
        "trainer": "rejax.PPO",
        "env": f"FiveValueEnv({env.name})",
        "versions": {name: version(name) for name in ("rejax", "gymnax", "jax")},
        "settings": SETTINGS,
        "seed": SEED,
        "step": [i * SETTINGS["eval_freq"] for i in range(len(returns))],
        "mean_return": [float(row.mean()) for row in returns],
        "lengths_are_returns": bool((np.asarray(lengths) == returns).all()),
    }
    files.write_json(out, curve)


if __name__ == "__main__":
    main(*sys.argv[1:])
