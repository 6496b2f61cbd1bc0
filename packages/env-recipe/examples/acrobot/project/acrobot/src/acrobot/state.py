"""What a step reads and writes."""

from typing import NamedTuple

import jax


class State(NamedTuple):
    """One environment; scalars."""

    theta1: jax.Array  # float64, rad, of the first link from straight down
    theta2: jax.Array  # float64, rad, of the second relative to the first
    speed1: jax.Array  # float64, rad/s
    speed2: jax.Array  # float64, rad/s
    time: jax.Array  # int32, steps since the reset
