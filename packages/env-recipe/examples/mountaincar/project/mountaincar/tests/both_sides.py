"""One step of both sides from the same state, for tests of L2 and L3."""

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
from mountaincar.state import State

LIMIT = 200  # steps of an episode


def theirs(position, velocity, action, time=0):
    """Gymnasium's step: (position, velocity, reward, terminated, truncated)."""
    env = gymnasium.make("MountainCar-v0")
    env.reset(seed=0)
    env.unwrapped.state = np.array([position, velocity])
    env._elapsed_steps = time  # of the outermost wrapper, TimeLimit
    _, reward, terminated, truncated, _ = env.step(action)
    return (*map(float, env.unwrapped.state), float(reward), terminated, truncated)


def ours(position, velocity, action, time=0):
    """The same step here."""
    from mountaincar.step import step

    state = State(jnp.float64(position), jnp.float64(velocity), jnp.int32(time))
    state, reward, terminated, truncated = jax.device_get(step(state, jnp.int32(action)))
    return float(state.position), float(state.velocity), float(reward), bool(terminated), bool(truncated)
