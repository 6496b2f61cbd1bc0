"""What is measured on Windfall: many consoles of emurust, and as many PyBoys in child processes."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Final

from emurust.games import windfall
from rlenv_bench.workloads import HostSide, host_rollout

PACKAGE: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PACKAGE / "tests"))
from pyboy_windfall import pyboy_vector_env  # noqa: E402

ENVIRONMENT: Final = "emurust/Windfall-v0"
FRAME_SKIP: Final = 24  # frames a step, as in the published experiments
STARTS: Final = 16
STEPS: Final = 4  # a call
PICTURES: Final = "half_grey"


def thread_counts() -> list[int]:
    """One thread, and one for each core."""
    return sorted({1, os.cpu_count() or 1})


def emurust_side(batch: int, threads: int, pictures: bool = False) -> HostSide:
    """Ours: observes memory, or the last frame of a step in grey, at half size."""
    env = windfall.game(STARTS).vector_env(batch, threads=threads, **_options(pictures))
    return _side(env, f"emurust, {threads} thread{'s' * (threads > 1)}", pictures)


def pyboy_side(batch: int, processes: int, pictures: bool = False) -> HostSide:
    """PyBoy with the same observations."""
    options = _options(pictures)
    del options["press_frames"]  # it holds the buttons for all frames of a step
    env = pyboy_vector_env(batch, starts=STARTS, processes=processes, **options)
    return _side(env, f"PyBoy, {processes} process{'es' * (processes > 1)}", pictures)


def _options(pictures: bool) -> dict[str, Any]:
    observation = PICTURES if pictures else windfall.OBSERVATION
    return {"frame_skip": FRAME_SKIP, "press_frames": FRAME_SKIP, "observation": observation}


def _side(env: Any, name: str, pictures: bool) -> HostSide:
    return host_rollout(
        env,
        STEPS,
        name=f"{name}, pictures" if pictures else name,
        num_actions=len(windfall.ACTIONS),
        settings={"frame_skip": FRAME_SKIP, "observation": PICTURES if pictures else "memory"},
    )
