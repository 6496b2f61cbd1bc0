"""Reset and step with the package's own dependencies alone."""

import jax
import jax.numpy as jnp

import acrobot_jax
from acrobot_jax.constants import FORTH


def smoke() -> str:
    """Push the lower link once."""
    env = acrobot_jax.make()
    obs, state = env.reset(jax.random.key(0))
    before = obs[5]
    obs, state, reward, terminated, truncated, _ = env.step(jax.random.key(0), state, jnp.int32(FORTH))
    assert obs.shape == (6,)
    assert obs[5] > before, "a positive torque speeds the lower link up"
    assert reward == -1
    assert not terminated
    assert not truncated
    return f"{env.name}: {acrobot_jax.__version__} works"
