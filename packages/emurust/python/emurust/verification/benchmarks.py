"""What is measured on Windfall: many consoles of emurust, and as many PyBoys in child processes."""

from __future__ import annotations

import functools
import os
from typing import Any, Final

from emurust.games import windfall
from emurust.verification.windfall_in_pyboy import pyboy_vector_env
from rlenv_bench.workloads import HostWorkload, Workload, host_rollout
from rlenv_shared.verification.declaration import threads_in_words

FRAME_SKIP: Final = 24  # frames a step, as in the published experiments
STARTS: Final = 16
STEPS: Final = 4  # a call
PICTURES: Final = "half_grey"
PROCESSES: Final = (1, 2)  # of PyBoy


def emurust_vector_env(num_envs: int) -> Any:
    """Ours, with the settings of the environment's id."""
    return windfall.game().vector_env(num_envs)


@functools.cache
def pyboy_on_all_cores(num_envs: int) -> Any:
    """The same in PyBoy; kept, since a reset leaves nothing of the episodes before and constructing takes longer."""
    return pyboy_vector_env(num_envs, processes=os.cpu_count() or 1)


def workloads(batch: int) -> list[Workload]:
    """Both emulators at one batch size, with one thread or process and with several."""
    ours: list[Workload] = [emurust_workload(batch, count) for count in thread_counts()]
    return [*ours, *(pyboy_workload(batch, count) for count in PROCESSES if count <= batch)]


def thread_counts() -> list[int]:
    """One thread, and one for each core."""
    return sorted({1, os.cpu_count() or 1})


def emurust_workload(batch: int, threads: int, pictures: bool = False) -> HostWorkload:
    """Ours: observes memory, or the last frame of a step in grey, at half size."""
    env = windfall.game(STARTS).vector_env(batch, threads=threads, **_options(pictures))
    return _workload(env, f"emurust, {threads_in_words(threads)}", pictures)


def pyboy_workload(batch: int, processes: int, pictures: bool = False) -> HostWorkload:
    """PyBoy with the same observations."""
    options = _options(pictures)
    del options["press_frames"]  # it holds the buttons for all frames of a step
    env = pyboy_vector_env(batch, starts=STARTS, processes=processes, **options)
    return _workload(env, f"PyBoy, {processes} process{'es' * (processes > 1)}", pictures)


def _options(pictures: bool) -> dict[str, Any]:
    observation = PICTURES if pictures else windfall.OBSERVATION
    return {"frame_skip": FRAME_SKIP, "press_frames": FRAME_SKIP, "observation": observation}


def _workload(env: Any, name: str, pictures: bool) -> HostWorkload:
    return host_rollout(
        env,
        STEPS,
        name=f"{name}, pictures" if pictures else name,
        num_actions=len(windfall.ACTIONS),
        settings={"frame_skip": FRAME_SKIP, "observation": PICTURES if pictures else "memory"},
    )
