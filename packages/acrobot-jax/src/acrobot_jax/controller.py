"""A hand-written player that swings up: baseline, and driver of test episodes that end high."""

from typing import Any


def swing(observation: Any) -> Any:
    """Push the lower link to where it moves already, which adds energy at every step.

    Args:
        observation: NumPy or JAX array [..., 6], an observation, or [..., 4], ``(theta1, theta2, speed1, speed2)``.

    Returns:
        int32 [...]: 2 for a positive torque, 0 for a negative one.
    """
    return 2 * (observation[..., -1] >= 0).astype("int32")
