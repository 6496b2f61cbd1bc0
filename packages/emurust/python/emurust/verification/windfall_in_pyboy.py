"""Windfall in PyBoy: the reference's part in L3, L4 and the PPO benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from emurust.expressions import Expression
from emurust.games import windfall
from rlenv_shared.verification.locate import reference


def pyboy_vector_env(
    num_envs: int,
    *,
    starts: int = 256,
    processes: int = 1,
    max_episode_steps: int = windfall.MAX_STEPS,
    frame_skip: int = windfall.FRAME_SKIP,
    observation: Sequence[int] | Literal["half_grey"] = windfall.OBSERVATION,
) -> Any:
    """`windfall.game(starts).vector_env(num_envs)` in PyBoy, every number of it the same."""
    cells = list(dict.fromkeys([*windfall.REWARD.cells(), *windfall.TERMINATED.cells()]))

    def values(expression: Expression) -> Any:
        def call(now: NDArray[np.uint8], before: NDArray[np.uint8]) -> NDArray[np.float64]:
            return expression.evaluate(cells, now, before)

        return call

    return reference("pyboy", "vector_env").PyBoyVectorEnv(
        windfall.rom(),
        num_envs,
        actions=windfall.ACTIONS,
        frame_skip=frame_skip,
        press_frames=frame_skip,
        observation=observation,
        cells=[cell.address for cell in cells],
        reward=values(windfall.REWARD),
        terminated=values(windfall.TERMINATED),
        max_episode_steps=max_episode_steps,
        title_frames=windfall.TITLE_FRAMES,
        starts=[windfall.title_masks(number) for number in range(starts)],
        processes=processes,
    )
