"""L3: the recorded rollouts that GPUs replay are the original's, and are played alike here."""

import numpy as np
import pytest
from pong_replay import ENVS, FRAMESKIPS, STEPS, record, replay, trace_path

from rlenv_shared.verification.trajectory import Trajectory

pytestmark = [pytest.mark.l3, pytest.mark.reference("puffer_pong")]


@pytest.mark.parametrize("frameskip", FRAMESKIPS)
def test_recorded_rollouts_are_played_alike(frameskip):
    report = replay(Trajectory.load(trace_path(frameskip)), frameskip)
    report.raise_on_divergence()
    assert report.steps == ENVS * STEPS
    assert report.ends > 10


@pytest.mark.parametrize("frameskip", FRAMESKIPS)
def test_the_traces_are_what_the_reference_does(frameskip):
    trace, again = Trajectory.load(trace_path(frameskip)), record(frameskip)
    assert trace.metadata == again.metadata
    for name, array in again.steps.items():
        np.testing.assert_array_equal(trace.steps[name], array, err_msg=name)
