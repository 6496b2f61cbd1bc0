"""What is compiled for a GPU that is not there, by `python -m rlenv_emit.gpu.report`."""

from __future__ import annotations

from pokejax.env import RandomBattle


def one_action() -> RandomBattle:
    """A step is one action of a turn, so that the battles of a warp need not wait for the longest turn."""
    return RandomBattle(micro_steps=1)
