"""L3: the recorded episodes that GPUs replay are MuJoCo's, and are played alike here."""

import numpy as np
import pytest

from halfcheetah_jax.verification import DECLARATION
from halfcheetah_jax.verification.replay import EPISODES, STEPS, record, replay
from rlenv_shared.verification.trajectory import Trajectory

pytestmark = [pytest.mark.l3, pytest.mark.reference("gymnasium_mujoco"), pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def trace():
    return Trajectory.load(DECLARATION.replays[0].trace)


@pytest.mark.parametrize(
    ("dtype", "backend"),
    [
        ("float32", "interpreted"),  # the kernel of GPUs
        ("float64", "auto"),
        *(pytest.param(*other, marks=pytest.mark.slow) for other in [("float32", "auto"), ("float64", "interpreted")]),
    ],
    indirect=["dtype"],
)
def test_recorded_episodes_are_played_alike(trace, dtype, backend):
    report = replay(trace, dtype.__name__, backend)
    report.raise_on_divergence()
    assert report.steps == EPISODES * STEPS


def test_the_trace_is_what_the_reference_does(trace):
    again = record()
    assert trace.metadata == again.metadata
    for name, array in again.steps.items():
        np.testing.assert_array_equal(trace.steps[name], array, err_msg=name)
