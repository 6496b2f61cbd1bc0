"""Backup L2: run once, at the very end."""

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from mountaincar.state import State
from mountaincar.step import step


@pytest.mark.parametrize("state", [(0.55, -0.05), (0.2, 0.07), (-1.2, 0.02), (-0.6, 0.0)])
def test_step_from_another_state(state):
    env = gymnasium.make("MountainCar-v0")
    env.reset(seed=0)
    env.unwrapped.state = np.array(state)
    _, reward, terminated, _, _ = env.step(1)
    found, our_reward, our_end, _ = jax.device_get(step(State(*map(jnp.float64, state), jnp.int32(0)), jnp.int32(1)))
    np.testing.assert_allclose([found.position, found.velocity], env.unwrapped.state, rtol=0, atol=1e-12)
    assert (float(our_reward), bool(our_end)) == (float(reward), terminated)
