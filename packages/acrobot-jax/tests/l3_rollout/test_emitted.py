"""L3: the native step (`backend="emit"`) against Gymnasium, at the tolerances of the step that XLA compiles."""

import pytest

from acrobot_jax.verification import DECLARATION
from acrobot_jax.verification.rollouts import every_step

pytestmark = [pytest.mark.l3, pytest.mark.reference("gymnasium_classic"), pytest.mark.timeout(600)]

QUICK = DECLARATION.rollout_set("emitted").quick
EPISODES, SEED = QUICK["episodes"], QUICK["seed"]


@pytest.mark.parametrize("auto_reset", [False, True])
@pytest.mark.parametrize("policy", EPISODES)
def test_every_emitted_step_agrees(dtype, policy, auto_reset):
    report = every_step(dtype, policy, EPISODES[policy], SEED, auto_reset=auto_reset, backend="emit")
    report.raise_on_divergence()
    assert auto_reset or report.ends == EPISODES[policy]
