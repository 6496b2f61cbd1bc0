"""What is compiled for a GPU that is not there, by `rlenv_emit.gpu.report` as one kernel and by `ci.gpu_compile`."""

from __future__ import annotations

from typing import Any

from pokejax.env import RandomBattle


def one_action() -> RandomBattle:
    """A step is one action of a turn, so that the battles of a warp need not wait for the longest turn."""
    return RandomBattle(micro_steps=1)


def by_xla() -> tuple[Any, ...]:
    """XLA's form of the same, as `rlenv_bench.gpu.program.Program`; it compiles for a quarter of an hour."""
    from rlenv_bench.gpu.program import random_rollout

    return (random_rollout("by XLA", one_action(), steps=4, batches=(65_536,)),)
