"""What is compiled for a GPU that is not there, by `python -m rlenv_emit.gpu.report`."""

from __future__ import annotations

from tcgjax.env import Tcg


def one_pass() -> Tcg:
    """A step is one pass, so that the games of a warp need not wait for the slowest one."""
    return Tcg(micro_steps=1)
