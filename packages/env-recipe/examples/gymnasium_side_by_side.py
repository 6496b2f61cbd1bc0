"""Drives an environment of Gymnasium for comparisons: it sets, steps and reads the originals, and has no rules.

`prepare.py` puts this file beside the adapter of every example that imports it.
"""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np


class SideBySide:
    """`num_envs` originals side by side; an episode that has ended stays where it is.

    A subclass names the environment, and the numbers of ``env.unwrapped.state`` in their order.
    """

    ENV_ID: ClassVar[str]
    STATE: ClassVar[tuple[str, ...]]

    def __init__(self, num_envs: int = 1) -> None:
        self.envs = [gymnasium.make(self.ENV_ID) for _ in range(num_envs)]

    def reset(self, *, seed: int = 0) -> None:
        """Begin all episodes, environment i with seed + i."""
        for i, env in enumerate(self.envs):
            env.reset(seed=seed + i)
        count = len(self.envs)
        self.ended, self.terminated, self.truncated = (np.zeros(count, bool) for _ in range(3))
        self.reward = np.zeros(count)

    def step(self, actions: np.ndarray) -> None:
        """Step every episode that has not ended; actions is [num_envs]."""
        for i in np.flatnonzero(~self.ended):
            _, self.reward[i], self.terminated[i], self.truncated[i], _ = self.envs[i].step(int(actions[i]))
        self.ended |= self.terminated | self.truncated

    def snapshot(self) -> dict[str, Any]:
        """Arrays [num_envs]."""
        states = np.array([env.unwrapped.state for env in self.envs], np.float64)
        shown = {f"state.{name}": states[:, i] for i, name in enumerate(self.STATE)}
        return shown | {"reward": self.reward, "terminated": self.terminated, "truncated": self.truncated}
