"""The compiled half: batches of environments that write into NumPy arrays of the caller.

Every array must be C-contiguous, writable unless only read, of exactly the shape and dtype given, and not passed twice.
Every method raises `InvalidParamsError` for an array that is not (`IllegalActionError` if it is the actions), and
`EnvError` if it is called while another thread is in the same batch or after an internal error.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

STATE_FIELDS: Final[list[str]]

class Batch:
    def __init__(
        self,
        num_envs: int,
        *,
        width: float,
        height: float,
        paddle_width: float,
        paddle_height: float,
        ball_width: float,
        ball_height: float,
        paddle_speed: float,
        ball_initial_speed_x: float,
        ball_initial_speed_y: float,
        ball_max_speed_y: float,
        ball_speed_y_increment: float,
        max_score: int,
        frameskip: int,
        float_scores: bool,
        continuous: bool,
        glibc: bool,
        num_threads: int,
    ) -> None: ...
    def reset(self, seed: int | None, observations: NDArray[np.float32]) -> None: ...
    def step(
        self,
        actions: NDArray[Any],
        observations: NDArray[np.float32],
        rewards: NDArray[np.float32],
        terminals: NDArray[np.bool_],
        final_observations: NDArray[np.float32],
    ) -> None: ...
    def observe(self, observations: NDArray[np.float32]) -> None: ...
    def get_state(self, words: NDArray[np.uint32]) -> None: ...
    def set_state(self, words: NDArray[np.uint32]) -> None: ...
    def get_glibc(self) -> list[int] | None: ...
    def set_glibc(self, words: list[int]) -> None: ...
    def take_log(self) -> tuple[int, float, int, int]: ...
    def _panic(self) -> None: ...
