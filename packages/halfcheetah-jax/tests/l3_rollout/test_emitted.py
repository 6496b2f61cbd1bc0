"""L3: the native step (`backend="emit"`) against MuJoCo: what `test_episodes` asks of the step that XLA compiles."""

import jax
import jax.numpy as jnp
import pytest

from halfcheetah_jax.verification import DECLARATION
from halfcheetah_jax.verification.rollouts import every_step

pytestmark = [pytest.mark.l3, pytest.mark.reference("gymnasium_mujoco"), pytest.mark.timeout(600)]

QUICK = DECLARATION.rollout_set("emitted").quick


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float64])
def test_every_emitted_step_agrees(dtype):
    with jax.enable_x64(dtype == jnp.float64):
        report = every_step(dtype, QUICK["episodes"], QUICK["steps"], QUICK["seed"], backend="emit")
    report.raise_on_divergence()
    assert report.steps == QUICK["episodes"] * QUICK["steps"]
