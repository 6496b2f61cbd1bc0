"""EnvPool as a program in a Python environment of its own: ``envpool_program.py TASK BATCH STEPS THREADS WAITED``.

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
    """``steps`` steps of ``batch`` environments with random actions drawn beforehand; the outputs of a call are kept.

    Fewer waited for than there are is EnvPool's asynchronous mode: whoever is ready first is answered first.
    """

    def __init__(self, task: str, batch: int, steps: int, threads: int, waited: int) -> None:
        self.task, self.batch, self.steps, self.threads, self.waited = task, batch, steps, threads, waited

    def compile(self) -> None:
        """Make the environments and draw the actions."""
        import numpy as np

        sizes = {"num_envs": self.batch, "batch_size": self.waited, "num_threads": self.threads}
        self._env: Any = importlib.import_module("envpool").make(self.task, env_type="gymnasium", seed=0, **sizes)
        space, rng = self._env.action_space, np.random.default_rng(0)
        drawn = self.steps * self.batch // self.waited, self.waited
        if hasattr(space, "n"):
            self._actions: Any = rng.integers(0, space.n, drawn)
        else:
            self._actions = rng.uniform(space.low, space.high, (*drawn, *space.shape))
        self._outputs: list[Any] = []
        self._in_flight = 0

    def begin(self) -> None:
        """Begin all episodes."""
        if self.waited == self.batch:
            self._env.reset()
        else:
            for _ in range(0, self._in_flight, self.waited):
                self._env.recv()
            self._env.async_reset()
            self._in_flight = self.batch

    def call(self) -> None:
        """One rollout."""
        if self.waited == self.batch:
            self._outputs = [self._env.step(action)[:4] for action in self._actions]
        else:
            self._outputs = [self._answer(action) for action in self._actions]

    def _answer(self, action: Any) -> tuple[Any, ...]:
        """What those who are ready saw; they act next."""
        *seen, info = self._env.recv()
        self._env.send(action, info["env_id"])
        return tuple(seen[:4])

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
    workload = Rollout(task, *map(int, sizes))
    for line in sys.stdin:
        print(json.dumps(getattr(workload, line.strip())()), file=answers, flush=True)


if __name__ == "__main__":
    main()
