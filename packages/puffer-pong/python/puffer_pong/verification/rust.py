"""The Rust environments under the field names of a recording, so that they compare with the original C."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from puffer_pong import PongVectorEnv
from puffer_pong.config import STATE_DTYPE
from rlenv_shared.verification.trajectory import Trajectory

FLOATS_AND_COUNTS: Final = tuple(name for name in STATE_DTYPE.names or () if name != "rng")
RNG_WORDS: Final = 3

# Geometries whose numbers are no float32s, so that the order of every operation counts.
GEOMETRIES: Final[Mapping[str, dict[str, float]]] = {
    "odd": {"width": 333.3, "height": 401.7, "paddle_height": 55.5, "ball_width": 17.3, "ball_height": 11.1,
            "paddle_speed": 6.3, "ball_initial_speed_x": 7.7, "ball_initial_speed_y": 1.3, "ball_max_speed_y": 9.9,
            "ball_speed_y_increment": 2.2},
    "unit": {"width": 1.0, "height": 1.3, "paddle_height": 0.17, "ball_width": 0.05, "ball_height": 0.07,
             "paddle_speed": 0.013, "ball_initial_speed_x": 0.021, "ball_initial_speed_y": 0.003,
             "ball_max_speed_y": 0.031, "ball_speed_y_increment": 0.0071},
    "fast": {"width": 200.0, "height": 90.0, "paddle_height": 31.0, "ball_width": 9.0, "ball_height": 12.0,
             "paddle_speed": 11.1, "ball_initial_speed_x": 41.7, "ball_initial_speed_y": -13.3,
             "ball_max_speed_y": 27.7, "ball_speed_y_increment": 9.9},
    "leftward": {"width": 640.0, "height": 480.0, "paddle_height": 480.0, "ball_width": 3.3, "ball_height": 5.7,
                 "paddle_speed": 3.1, "ball_initial_speed_x": -5.3, "ball_initial_speed_y": 0.0,
                 "ball_max_speed_y": 4.4, "ball_speed_y_increment": -1.7},
}  # fmt: skip


def snapshot(envs: PongVectorEnv) -> dict[str, NDArray[Any]]:
    """State and generators, each [N]."""
    states = envs.get_state()
    fields = {f"state.{name}": states[name].copy() for name in FLOATS_AND_COUNTS}
    if envs.snapshot()["glibc"].size == 0:
        fields |= {f"rng.{word}": states["rng"][:, word].copy() for word in range(RNG_WORDS)}
    return fields


def record(envs: PongVectorEnv, observations: NDArray[np.float32], actions: NDArray[Any]) -> Trajectory:
    """Step through actions [T, N] from the present state; ``observations`` are those of its reset."""
    initial = {**snapshot(envs), "obs": observations.copy()}
    rows: list[dict[str, NDArray[Any]]] = []
    for action in actions:
        obs, reward, terminated, truncated, _ = envs.step(action)
        flags = {"terminated": terminated, "truncated": truncated}
        rows.append({"action": action, **snapshot(envs), "obs": obs, "reward": reward, **flags})
    return Trajectory({name: np.stack([row[name] for row in rows]) for name in rows[0]}, initial, {"side": "Rust"})


def expected_observation(envs: PongVectorEnv) -> NDArray[np.float32]:
    """Observations of the present states by the formula of ``compute_observations``, in NumPy, [N, 8]."""
    s, f = envs.get_state(), np.float32
    c = {name: f(getattr(envs.config, name)) for name in GEOMETRIES["odd"]}
    low, high = -c["paddle_height"] / f(2), c["height"] - c["paddle_height"] / f(2)
    speed_x, speed_y = c["ball_initial_speed_x"], c["ball_max_speed_y"]
    nothing = np.zeros(envs.num_envs, np.float32)
    columns = (
        (s["paddle_left_y"] - low) / (high - low),
        (s["paddle_right_y"] - low) / (high - low),
        s["ball_x"] / c["width"],
        s["ball_y"] / c["height"],
        (s["ball_vx"] + speed_x) / (f(2) * speed_x),
        (s["ball_vy"] + speed_y) / (f(2) * speed_y),
        nothing,
        nothing,
    )
    return np.stack(columns, axis=1)
