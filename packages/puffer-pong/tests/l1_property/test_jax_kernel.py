"""L1: a rollout in one kernel equals the scan in every bit (interpreted; CUDA compiles the same program)."""

import jax
import numpy as np
import pytest

from puffer_pong.jax import EnvParams, Pong
from rlenv_bench.workloads import rollout_function

pytestmark = pytest.mark.l1


@pytest.mark.parametrize(("frameskip", "steps"), [(1, 150), (8, 40)])
def test_the_kernel_equals_the_scan(frameskip, steps):
    """State, generators, rewards and flags; points are scored and games end on the way."""
    params = EnvParams(max_score=1)
    results = []
    for mode in ("scan", "interpreted"):
        env = Pong(frameskip, loop="fori")
        rollout, start = rollout_function(env, params, 256, steps, keep_outputs=True, observe=False, mode=mode)
        results.append(jax.jit(rollout)(start(), params))
    jax.tree.map(np.testing.assert_array_equal, *results)
    _, (rewards, done) = results[0]
    assert np.abs(rewards).sum() > 100
    assert done.sum() > 20
