"""The command ``halfcheetah-jax``: ``gif``, and those that follow from the declaration, as ``verify``."""

from __future__ import annotations

import sys
from pathlib import Path

from halfcheetah_jax.verification import DECLARATION
from rlenv_shared.command_line import checked
from rlenv_shared.verification import commands


def gif(out: Path = Path("halfcheetah.gif"), policy: Path | None = None, steps: int = 100, seed: int = 0) -> None:
    """Write an animated GIF of an episode.

    Args:
        out: file to write.
        policy: file that a training run wrote; random actions when left out.
        steps: steps to show.
        seed: of the environment.
    """
    from halfcheetah_jax.recording import save_gif

    checked("--steps", steps, 1)
    checked("--seed", seed, 0)
    act = None
    if policy is not None:
        from rlenv_learn import Policy

        act = Policy.load(policy).act
    print(save_gif(out, act, steps=steps, seed=seed))


def main() -> None:
    """Run the command that was asked for."""
    sys.exit(commands.main(DECLARATION, {"gif": gif}))
