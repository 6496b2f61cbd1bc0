"""L3: the native step (`backend="emit"`) against Gymnasium, at the tolerances of the step that XLA compiles.

Quick subset of what `test_episodes` plays; float64 takes XLA's sine, which is not emitted.
"""

import jax.numpy as jnp
import pytest

from cartpole_jax.verification import DECLARATION
from cartpole_jax.verification.rollouts import every_step

pytestmark = [pytest.mark.l3, pytest.mark.reference("gymnasium_classic"), pytest.mark.timeout(600)]

QUICK = DECLARATION.rollout_set("rollouts").quick
EPISODES, SEED = QUICK["episodes"], QUICK["seed"]


@pytest.mark.parametrize("auto_reset", [False, True])
@pytest.mark.parametrize("policy", EPISODES)
def test_every_emitted_step_agrees(policy, auto_reset):
    report = every_step(jnp.float32, policy, EPISODES[policy], SEED, auto_reset=auto_reset, backend="emit")
    report.raise_on_divergence()
    assert auto_reset or report.ends == EPISODES[policy]
