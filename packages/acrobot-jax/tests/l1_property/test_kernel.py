"""L1: a rollout in one kernel equals the scan in every bit (interpreted; CUDA compiles the same program)."""

import jax
import numpy as np
import pytest

from acrobot_jax import Acrobot, EnvParams
from rlenv_bench.workloads import rollout_function

pytestmark = pytest.mark.l1
PARAMS = EnvParams(max_steps_in_episode=30, reset_low=-3.1, reset_high=3.1)  # many ends


def test_the_kernel_equals_the_scan():
    """State, generators, rewards and flags; episodes end on the way."""
    env = Acrobot()
    results = []
    for mode in ("scan", "interpreted"):
        rollout, start = rollout_function(env, PARAMS, 256, 100, keep_outputs=True, observe=False, mode=mode)
        results.append(jax.jit(rollout)(start(), PARAMS))
    jax.tree.map(np.testing.assert_array_equal, *results)
    assert results[0][1][1].sum() > 500
