"""Speed through Gymnasium's interface, as a user's loop sees it: NumPy in, NumPy out, one call per step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rlenv_bench.workloads import HostWorkload

SEED = 0


def face(env: Any, steps: int, *, name: str) -> HostWorkload:
    """Random actions drawn beforehand, ``steps`` a call; a single `gymnasium.Env` begins anew, or a vector does."""
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
        settings={"policy": "random", "reset_mode": mode, "outputs": "returned"},
    )


def registered(made: Mapping[str, Mapping[str, Any]], batch: int, steps: int) -> list[HostWorkload]:
    """Environments that Gymnasium's registry makes, beside one another.

    ``made`` has keywords of `gymnasium.make_vec` by who offers the environment; the mode of vectorisation is left out
    where there is one environment, which `gymnasium.make` makes, without its wrappers.
    """
    import gymnasium  # an optional dependency of the packages that are measured

    if batch > 1:
        vectors = {who: gymnasium.make_vec(**how, num_envs=batch) for who, how in made.items()}
        return [face(env, steps, name=f"{who}, vector") for who, env in vectors.items()]
    ones = {who: {key: how[key] for key in how if key != "vectorization_mode"} for who, how in made.items()}
    return [face(gymnasium.make(**how).unwrapped, steps, name=f"{who}, single") for who, how in ones.items()]
