"""Reset and step with the package's own dependencies alone."""

import jax
import jax.numpy as jnp

import halfcheetah_jax


def smoke() -> str:
    """Leave the cheetah alone for a second."""
    env = halfcheetah_jax.make()
    obs, state = env.reset(jax.random.key(0))
    step = jax.jit(env.step)
    for _ in range(20):
        obs, state, _, terminated, truncated, info = step(jax.random.key(0), state, jnp.zeros(6))
    assert obs.shape == (17,)
    assert -0.5 < float(obs[0]) < 0.0, "left alone, the cheetah sinks a little on its springs and stays on its feet"
    assert info["converged"]
    assert not info["diverged"]
    assert not terminated
    assert not truncated
    return f"{env.name}: {halfcheetah_jax.__version__} works"
