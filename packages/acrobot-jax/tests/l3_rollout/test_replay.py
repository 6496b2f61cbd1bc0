"""L3: the recorded episodes that GPUs replay are Gymnasium's, and are played alike here."""

import numpy as np
import pytest

from acrobot_jax.verification import DECLARATION
from acrobot_jax.verification.replay import EPISODES, SWUNG, record, replay
from rlenv_shared.verification.trajectory import Trajectory

pytestmark = [pytest.mark.l3, pytest.mark.reference("gymnasium_classic")]


@pytest.fixture(scope="module")
def trace():
    return Trajectory.load(DECLARATION.replays[0].trace)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_recorded_episodes_are_played_alike(trace, dtype):
    report = replay(trace, dtype)
    report.raise_on_divergence()
    assert report.ends == EPISODES
    assert report.steps > (EPISODES - SWUNG) * 400


def test_the_trace_is_what_the_reference_does(trace):
    again = record()
    assert trace.metadata == again.metadata
    for name, array in again.steps.items():
        np.testing.assert_array_equal(trace.steps[name], array, err_msg=f"{name}; save what record() returns")
