"""One step.

Source: `acrobot.py:AcrobotEnv.step`, `_get_ob` of Gymnasium 1.3.0, and its registration: 500 steps.
"""

import jax.numpy as jnp
from acrobot.bounds import limit, reached, wrap
from acrobot.dynamics import rk4
from acrobot.state import State

MAX_SPEEDS = (4 * jnp.pi, 9 * jnp.pi)  # rad/s
LIMIT = 500  # steps of an episode


def step(state, action):
    """``(state, observation, reward, terminated, truncated)``."""
    theta1, theta2, speed1, speed2 = rk4(*state[:4], jnp.float64(action - 1))
    theta1, theta2 = wrap(theta1), wrap(theta2)
    speed1, speed2 = limit(speed1, MAX_SPEEDS[0]), limit(speed2, MAX_SPEEDS[1])
    time = state.time + jnp.int32(1)
    terminated = reached(theta1, theta2)
    values = (jnp.cos(theta1), jnp.sin(theta1), jnp.cos(theta2), jnp.sin(theta2), speed1, speed2)
    observation = jnp.stack(values).astype(jnp.float32)
    reward = jnp.where(terminated, 0.0, -1.0)
    return State(theta1, theta2, speed1, speed2, time), observation, reward, terminated, time >= LIMIT
