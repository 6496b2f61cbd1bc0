"""What is compiled for a GPU that is not there, by `rlenv_emit.gpu.report` as one kernel and by `ci.gpu_compile`."""

from __future__ import annotations

from typing import Any

from tcgjax.env import Tcg


def one_pass() -> Tcg:
    """A step is one pass, so that the games of a warp need not wait for the slowest one."""
    return Tcg(micro_steps=1)


def by_xla() -> tuple[Any, ...]:
    """XLA's form of the same, as `rlenv_bench.gpu.program.Program`."""
    from rlenv_bench.gpu.program import random_rollout

    return (random_rollout("by XLA", one_pass(), steps=4, batches=(65_536,)),)
