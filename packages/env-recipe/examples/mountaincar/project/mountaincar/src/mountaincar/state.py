"""What a step reads and writes."""

from typing import NamedTuple

import jax


class State(NamedTuple):
    """One environment; scalars."""

    position: jax.Array  # float64
    velocity: jax.Array  # float64, per step
    time: jax.Array  # int32, steps since the reset
