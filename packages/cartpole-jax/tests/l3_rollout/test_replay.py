"""L3: the recorded episodes that GPUs replay are Gymnasium's, and are played alike here."""

import jax.numpy as jnp
import numpy as np
import pytest
from cartpole_replay import BALANCED, EPISODES, TRACE, record, replay

from rlenv_shared.verification.trajectory import Trajectory

pytestmark = [pytest.mark.l3, pytest.mark.reference("gymnasium_classic")]


@pytest.fixture(scope="module")
def trace():
    return Trajectory.load(TRACE)


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float64])
def test_recorded_episodes_are_played_alike(trace, dtype):
    report = replay(trace, dtype)
    report.raise_on_divergence()
    assert report.ends == EPISODES
    assert report.steps > BALANCED * 500


def test_the_trace_is_what_the_reference_does(trace):
    again = record()
    assert trace.metadata == again.metadata
    for name, array in again.steps.items():
        np.testing.assert_array_equal(trace.steps[name], array, err_msg=name)
