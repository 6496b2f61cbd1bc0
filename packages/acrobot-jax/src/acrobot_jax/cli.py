"""The command ``acrobot-jax``: ``gif`` and ``play``, and those that follow from the declaration, as ``verify``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from acrobot_jax.verification import DECLARATION
from rlenv_shared.command_line import checked
from rlenv_shared.verification import commands


def gif(out: Path = Path("acrobot.gif"), policy: Path | None = None, steps: int = 200, seed: int = 0) -> None:
    """Write an animated GIF of an episode.

    Args:
        out: file to write.
        policy: file that a training run wrote; a hand-written player when left out.
        steps: steps to show.
        seed: of the environment.
    """
    from acrobot_jax.recording import save_gif

    checked("--steps", steps, 1)
    checked("--seed", seed, 0)
    act = None
    if policy is not None:
        from rlenv_learn import Policy

        act = Policy.load(policy).act
    print(save_gif(out, act, steps=steps, seed=seed))


def play(episodes: int = 100, policy: Path | None = None, seed: int = 0) -> None:
    """Play whole episodes and print their mean return.

    Args:
        episodes: how many.
        policy: file that a training run wrote; a hand-written player when left out.
        seed: of the environments.
    """
    import numpy as np

    from acrobot_jax.controller import swing
    from acrobot_jax.env import Acrobot
    from rlenv_shared.adapters.gymnasium import GymVectorEnv

    act: Any = swing
    if policy is not None:
        from rlenv_learn import Policy

        act = Policy.load(policy).act
    env = GymVectorEnv(Acrobot(), episodes)
    obs, _ = env.reset(seed=seed)
    returns, running = np.zeros(episodes), np.ones(episodes, np.bool_)
    while running.any():
        obs, reward, terminated, truncated, _ = env.step(act(obs))
        returns += reward * running
        running &= ~(terminated | truncated)
    print(f"mean return {returns.mean():.1f} over {episodes} episodes (lowest {returns.min():.0f})")


def main() -> None:
    """Run the command that was asked for."""
    sys.exit(commands.main(DECLARATION, {"gif": gif, "play": play}))
