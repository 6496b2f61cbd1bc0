"""Reset and step with the package's own dependencies alone."""

import jax
import jax.numpy as jnp

import cartpole_jax


def smoke() -> str:
    """Push the cart to the right once."""
    env = cartpole_jax.make()
    obs, state = env.reset(jax.random.key(0))
    obs, state, reward, terminated, truncated, _ = env.step(jax.random.key(0), state, jnp.int32(1))
    assert obs.shape == (4,)
    assert obs[1] > 0.1, "pushed to the right, the cart moves to the right"
    assert reward == 1
    assert not terminated
    assert not truncated
    return f"{env.name}: {cartpole_jax.__version__} works"
