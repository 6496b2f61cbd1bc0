"""EnvPool as a program in a Python environment of its own: ``envpool_program.py TASK BATCH STEPS THREADS``.

It reads the names of a workload's methods from standard input, one per line, and answers each with a line of JSON.  It
imports nothing of this repository, because it runs where that is not installed: see `other_python`.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import zlib
from typing import Any


class Rollout:
    """Steps of all environments at once with random actions drawn beforehand; the outputs of a call are kept.

    Args:
        task: EnvPool's id.
        batch: environments.
        steps: steps of a call.
        threads: that step them.
    """

    def __init__(self, task: str, batch: int, steps: int, threads: int) -> None:
        self.task, self.batch, self.steps, self.threads = task, batch, steps, threads

    def compile(self) -> None:
        """Make the environments and draw the actions."""
        import numpy as np

        self._env: Any = importlib.import_module("envpool").make(
            self.task, env_type="gymnasium", num_envs=self.batch, num_threads=self.threads, seed=0
        )
        space, rng = self._env.action_space, np.random.default_rng(0)
        if hasattr(space, "n"):
            self._actions: Any = rng.integers(0, space.n, (self.steps, self.batch))
        else:
            self._actions = rng.uniform(space.low, space.high, (self.steps, self.batch, *space.shape))
        self._outputs: list[Any] = []

    def begin(self) -> None:
        """Begin all episodes."""
        self._env.reset()

    def call(self) -> None:
        """One rollout."""
        self._outputs = [self._env.step(action)[:4] for action in self._actions]

    def finish(self) -> None:
        """A call returns when it is done."""

    def checksum(self) -> float:
        """CRC-32 of the last call's outputs."""
        crc = 0
        for step in self._outputs:
            for array in step:
                crc = zlib.crc32(array.tobytes(), crc)
        return float(crc)


def main() -> None:
    """Answer until the input ends."""
    task, *sizes = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    batch, steps, threads = map(int, sizes)
    workload = Rollout(task, batch, steps, threads)
    for line in sys.stdin:
        print(json.dumps(getattr(workload, line.strip())()), file=answers, flush=True)


if __name__ == "__main__":
    main()
