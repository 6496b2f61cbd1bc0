"""A vector environment's dictionary of arrays as one dictionary for each environment."""

from __future__ import annotations

from typing import Any

import numpy as np


def of_each(info: dict[str, Any], num_envs: int) -> list[dict[str, Any]]:
    """What each environment reported, by key; ``_<key>``, bool ``[num_envs]``, says whose ``key`` is meant."""
    each: list[dict[str, Any]] = [{} for _ in range(num_envs)]
    for key, values in info.items():
        if key.startswith("_") and key[1:] in info:
            continue
        present = info.get(f"_{key}")
        rows = of_each(values, num_envs) if isinstance(values, dict) else values
        for i in range(num_envs) if present is None else np.flatnonzero(present):
            each[i][key] = rows[i]
    return each


def of_each_with_ends(info: dict[str, Any], terminated: np.ndarray, truncated: np.ndarray) -> list[dict[str, Any]]:
    """What each environment reported in a step with SAME_STEP auto-reset, ends told as stable-baselines3 tells them.

    Where an episode ended (bool ``[N]``) there is ``terminal_observation``, its last observation, and
    ``TimeLimit.truncated``, True when the time limit alone ended it; the rest is what the ended episode reported.
    ``info`` is of `gymnasium.vector.VectorEnv.step`.
    """
    ended = np.flatnonzero(terminated | truncated)
    going = {key: value for key, value in info.items() if key.lstrip("_") not in ("final_obs", "final_info")}
    each = of_each(going, len(terminated))
    if len(ended):
        last = of_each(info.get("final_info", {}), len(terminated))
        for i in ended:
            each[i] |= last[i]
            each[i]["terminal_observation"] = _row(info["final_obs"], int(i))
            each[i]["TimeLimit.truncated"] = bool(truncated[i] and not terminated[i])
    return each


def _row(obs: Any, i: int) -> Any:
    return {name: _row(part, i) for name, part in obs.items()} if isinstance(obs, dict) else obs[i]
