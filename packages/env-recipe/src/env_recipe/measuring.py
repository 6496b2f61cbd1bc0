"""Times two versions of the target in turns; a process of its own, which starts one process for each side.

``python -m env_recipe.measuring WORKLOAD ROUNDS BATCHES SIDE=PATH …`` prints one line of JSON: seconds of each side's
calls, by batch size.  ``WORKLOAD`` is ``module:function``, ``(batch) -> call``; a call does a fixed number of steps and
ends when their results are there.  ``PATH`` is what the side imports from.
"""

from __future__ import annotations

import contextlib
import json
import os
import pkgutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from env_recipe.process import ProgramError
from rlenv_shared.command_line import guarded

ONE_SIDE: Final = "--one-side"
WARM_UP: Final = 2  # calls that are not timed: they compile


def serve(workload: str) -> int:
    """Be one side: time a call for every batch size that is read from stdin."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the target prints is no answer
    make = pkgutil.resolve_name(workload)
    calls: dict[int, Any] = {}
    for line in sys.stdin:
        batch = int(line)
        if batch not in calls:
            calls[batch] = make(batch)
            for _ in range(WARM_UP):
                calls[batch]()
        started = time.perf_counter()
        calls[batch]()
        print(time.perf_counter() - started, file=answers, flush=True)
    return 0


def in_turns(
    workload: str, rounds: int, batches: Sequence[int], sides: Mapping[str, str]
) -> dict[int, dict[str, list[float]]]:
    """Seconds of each side's calls, by batch size; who comes first changes from round to round.

    Raises:
        ProgramError: a side ended before it answered.
    """
    found: dict[int, dict[str, list[float]]] = {batch: {side: [] for side in sides} for batch in batches}
    with contextlib.ExitStack() as stack:
        running = {side: stack.enter_context(_side(workload, path)) for side, path in sides.items()}
        order = list(sides)
        for number in range(rounds):
            order = [*order[1:], order[0]]
            for batch in batches:
                for side in order if number % 2 else reversed(order):
                    found[batch][side].append(_ask(running[side], side, batch))
    return found


@contextlib.contextmanager
def _side(workload: str, path: str) -> Iterator[subprocess.Popen[str]]:
    """A process that serves one side."""
    command = [sys.executable, "-m", "env_recipe.measuring", ONE_SIDE, workload]
    env = {**os.environ, "PYTHONPATH": path}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env) as process:
        yield process
        process.stdin.close()  # type: ignore[union-attr]


def _ask(process: subprocess.Popen[str], side: str, batch: int) -> float:
    try:
        print(batch, file=process.stdin, flush=True)
        answer = process.stdout.readline()  # type: ignore[union-attr]
    except BrokenPipeError:
        answer = ""
    if not answer:
        remedy = "its message is above; call the workload by hand"
        raise ProgramError(f"workload of the side {side!r}", "no answer", f"a time at batch {batch}", remedy)
    return float(answer)


def main(arguments: list[str]) -> int:
    """See the module's docstring."""
    if arguments[0] == ONE_SIDE:
        return serve(arguments[1])
    workload, rounds, batches, *sides = arguments
    paths = dict(side.split("=", 1) for side in sides)
    print(json.dumps(in_turns(workload, int(rounds), [int(batch) for batch in batches.split(",")], paths)))
    return 0


if __name__ == "__main__":
    sys.exit(guarded(lambda: main(sys.argv[1:])))
