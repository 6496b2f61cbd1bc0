"""L1: a rollout in one kernel equals the scan in every bit (interpreted; CUDA compiles the same program)."""

import jax
import numpy as np
import pytest

from cartpole_jax import CartPole
from rlenv_bench.workloads import rollout_function

pytestmark = pytest.mark.l1


def test_the_kernel_equals_the_scan():
    """State, generators, rewards and flags; episodes end on the way."""
    env = CartPole()
    results = []
    for mode in ("scan", "interpreted"):
        rollout, start = rollout_function(env, None, 256, 100, keep_outputs=True, observe=False, mode=mode)
        results.append(jax.jit(rollout)(start(), env.default_params))
    jax.tree.map(np.testing.assert_array_equal, *results)
    assert results[0][1][1].sum() > 500
