"""L3: the native step (`backend="emit"`) against MuJoCo: what `test_episodes` asks of the step that XLA compiles.

Quick subset: `verify` compares float64 too, whose step takes a minute and a half to compile.
"""

import jax.numpy as jnp
import pytest

from halfcheetah_jax.verification import DECLARATION
from halfcheetah_jax.verification.rollouts import every_step

pytestmark = [pytest.mark.l3, pytest.mark.reference("gymnasium_mujoco"), pytest.mark.timeout(600)]

QUICK = DECLARATION.rollout_set("emitted").quick


def test_every_emitted_step_agrees():
    report = every_step(jnp.float32, QUICK["episodes"], QUICK["steps"], QUICK["seed"], backend="emit")
    report.raise_on_divergence()
    assert report.steps == QUICK["episodes"] * QUICK["steps"]
