"""Reset and step the Rust core with the package's own dependencies alone."""

import numpy as np

import puffer_pong


def smoke() -> str:
    """Step three environments once."""
    envs = puffer_pong.PongBuffers(num_envs=3, frameskip=8)
    observations, _ = envs.reset(seed=0)
    before = observations.copy()
    observations, rewards, terminals, truncations, _ = envs.step(np.array([0, 1, 2]))
    assert observations.shape == (3, 8), observations.shape
    assert not np.array_equal(before, observations)
    assert rewards.shape == terminals.shape == truncations.shape == (3,)
    return f"puffer_pong {puffer_pong.__version__} works"
