"""Speed through Gymnasium's interface, as a user's loop sees it: NumPy in, NumPy out, one call per step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rlenv_bench.workloads import HostWorkload

SEED = 0


def face(env: Any, steps: int, *, name: str, settings: Mapping[str, Any] | None = None) -> HostWorkload:
    """Random actions, drawn beforehand, as the environment's own space has them.

    Args:
        env: `gymnasium.Env`, whose episodes are begun anew as they end, or `gymnasium.vector.VectorEnv`.
        steps: steps per call.
        name: of the workload.
        settings: facts for the report.
    """
    batch = getattr(env, "num_envs", None)
    env.action_space.seed(SEED)
    actions = [env.action_space.sample() for _ in range(steps)]
    last: list[Any] = [None]

    def advance_one(steps: int) -> None:
        for action in actions[:steps]:
            last[0] = outcome = env.step(action)
            if outcome[2] or outcome[3]:
                env.reset()

    def advance_all(steps: int) -> None:
        for action in actions[:steps]:
            last[0] = env.step(action)

    mode = "gymnasium" if batch is None else env.metadata["autoreset_mode"].name.lower()
    return HostWorkload(
        name,
        batch or 1,
        steps,
        reset=lambda: env.reset(seed=SEED),
        advance=advance_one if batch is None else advance_all,
        read_checksum=lambda: float(np.sum(last[0][0], dtype=np.float64)),
        deterministic=False,  # a single environment's later episodes go on from wherever its generator stands
        settings={"policy": "random", "reset_mode": mode, "outputs": "returned", **(settings or {})},
    )
