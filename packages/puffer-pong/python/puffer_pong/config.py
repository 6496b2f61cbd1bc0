"""What can be configured, and how it becomes a batch of Rust environments."""

from __future__ import annotations

import dataclasses
import numbers
import os
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from puffer_pong import _core
from rlenv_shared.errors import InvalidParamsError, explain

RngKind = Literal["counter", "glibc"]

OBSERVATION_SIZE: Final = 8
NUM_ACTIONS: Final = 3  # 0 still, 1 up, 2 down

STATE_DTYPE: Final = np.dtype(
    [
        ("paddle_left_y", np.float32),  # lower edge of the computer's paddle; pixels, y grows upwards
        ("paddle_right_y", np.float32),  # lower edge of the agent's paddle
        ("ball_x", np.float32),  # left edge
        ("ball_y", np.float32),  # lower edge
        ("ball_vx", np.float32),  # pixels per frame, positive towards the agent
        ("ball_vy", np.float32),
        ("score_left", np.int32),  # points of the computer
        ("score_right", np.int32),  # points of the agent
        ("tick", np.int32),  # steps since the serve
        ("bounces", np.int32),  # paddle hits since the serve
        ("rng", np.uint32, (3,)),  # key0, key1, counter; see rlenv_shared.counter_rng
    ]
)
"""One environment's state; `get_state` returns an array of these."""

STATE_WORDS: Final = STATE_DTYPE.itemsize // 4


@dataclasses.dataclass(frozen=True, kw_only=True)
class PongConfig:
    """Parameters of the game; defaults are those of PufferLib's Python class.

    Lengths are pixels, speeds pixels per frame, all rounded to float32 as in C.

    Raises:
        InvalidParamsError: a value with which the game cannot be played.
    """

    frameskip: int = 1  # frames per step; PufferLib trains with 8
    continuous: bool = False  # actions are directions on [-1, 1] instead of 0 still, 1 up, 2 down
    max_score: int = 21  # points that end an episode
    float_scores: bool = False  # observe score / max_score as a fraction; the original's integer division gives 0
    width: float = 500.0
    height: float = 640.0
    paddle_width: float = 20.0  # drawing only
    paddle_height: float = 70.0
    ball_width: float = 32.0
    ball_height: float = 32.0
    paddle_speed: float = 8.0
    ball_initial_speed_x: float = 10.0
    ball_initial_speed_y: float = 1.0
    ball_max_speed_y: float = 13.0
    ball_speed_y_increment: float = 3.0

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.type == "bool":
                _require(isinstance(value, bool | np.bool_), field.name, value, "True or False")
            elif field.type == "int":
                require_integer(field.name, value, 1, 2**31)
            else:
                is_real = isinstance(value, numbers.Real) and not isinstance(value, bool)
                _require(is_real, field.name, value, "a number")
        self.batch(1)  # the core checks the values

    @classmethod
    def from_options(cls, options: dict[str, Any]) -> PongConfig:
        """Build from keyword arguments.

        Raises:
            InvalidParamsError: an option that does not exist, or an impossible value.
        """
        known = [field.name for field in dataclasses.fields(cls)]
        if unknown := sorted(set(options) - set(known)):
            raise InvalidParamsError(explain("options", got=unknown, expected=f"names among {known}", remedy="rename"))
        return cls(**options)

    def batch(self, num_envs: int, rng: RngKind = "counter", num_threads: int | None = 1) -> _core.Batch:
        """The Rust environments.

        Args:
            num_envs: how many, at least 1.
            rng: where serves come from: ``"counter"``, one generator per environment; ``"glibc"``, the C library's
                ``rand``, shared by all of them and therefore on one thread.
            num_threads: at most so many threads, None for one per processor; small batches use fewer.

        Raises:
            InvalidParamsError: an impossible value.
        """
        require_integer("num_envs", num_envs, 1, 2**31)
        _require(rng in ("counter", "glibc"), "rng", rng, "'counter' or 'glibc'")
        if num_threads is None:
            num_threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        require_integer("num_threads", num_threads, 1, 2**16)
        glibc, options = rng == "glibc", dataclasses.asdict(self)
        return _core.Batch(int(num_envs), glibc=glibc, num_threads=int(num_threads), **options)

    def observation_bounds(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Lowest and highest observations, float32 [8] each.

        [0, 1], and what the ball flies beyond an edge before it turns back (PufferLib declares [0, 1]).
        """
        fastest = max(abs(self.ball_max_speed_y), abs(self.ball_initial_speed_y))
        low, high = np.zeros(OBSERVATION_SIZE, np.float32), np.ones(OBSERVATION_SIZE, np.float32)
        beyond = np.array([abs(self.ball_initial_speed_x) / self.width, fastest / self.height])
        low[2:4] -= beyond
        high[2:4] += beyond
        low[5], high[5] = 0.5 - 0.5 * fastest / self.ball_max_speed_y, 0.5 + 0.5 * fastest / self.ball_max_speed_y
        return low, high


def check_seed(seed: Any, num_envs: int, rng: RngKind) -> int:
    """A seed that the generator has.

    Raises:
        InvalidParamsError: not an integer, or out of range.
    """
    # glibc: PufferLib seeds environment i with the C int i + seed * num_envs
    require_integer("seed", seed, 0, 2**64 if rng == "counter" else 2**31 // num_envs)
    return int(seed)


def require_integer(name: str, value: Any, low: int, high: int) -> None:
    """Check ``low <= value < high``.

    Raises:
        InvalidParamsError: not an integer, or out of range.
    """
    is_integer = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    _require(is_integer and low <= value < high, name, value, f"an integer in [{low}, {high})")


def _require(holds: bool, name: str, got: Any, expected: str) -> None:
    if not holds:
        raise InvalidParamsError(explain(name, got=repr(got), expected=expected, remedy="correct the argument"))
