"""One step of both sides from the same state, for tests of L2 and L3."""

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
from acrobot.state import State


def theirs(state, action, time=0):
    """Gymnasium's step: (state [4], obs [6], reward, terminated, truncated)."""
    env = gymnasium.make("Acrobot-v1")
    env.reset(seed=0)
    env.unwrapped.state = np.array(state, np.float64)
    env._elapsed_steps = time  # of the outermost wrapper, TimeLimit
    obs, reward, terminated, truncated, _ = env.step(action)
    return np.array(env.unwrapped.state), obs, float(reward), bool(terminated), bool(truncated)


def ours(state, action, time=0):
    """The same step here."""
    from acrobot.step import step

    found = step(State(*map(jnp.float64, state), jnp.int32(time)), jnp.int32(action))
    after, obs, reward, terminated, truncated = jax.device_get(found)
    return np.array(after[:4]), obs, float(reward), bool(terminated), bool(truncated)
