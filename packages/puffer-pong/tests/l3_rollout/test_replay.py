"""L3: the recorded rollouts that GPUs replay are the original's, and are played alike here."""

import numpy as np
import pytest

from puffer_pong.verification import DECLARATION
from puffer_pong.verification.replay import ENVS, STEPS, record, replay
from rlenv_shared.verification.trajectory import Trajectory

pytestmark = [pytest.mark.l3, pytest.mark.reference("puffer_pong")]


@pytest.mark.parametrize("declared", DECLARATION.replays, ids=lambda declared: declared.trace.stem)
def test_recorded_rollouts_are_played_alike(declared):
    report = replay(Trajectory.load(declared.trace), **declared.settings)
    report.raise_on_divergence()
    assert report.steps == ENVS * STEPS
    assert report.ends > 10


@pytest.mark.parametrize("declared", DECLARATION.replays, ids=lambda declared: declared.trace.stem)
def test_the_traces_are_what_the_reference_does(declared):
    trace, again = Trajectory.load(declared.trace), record(**declared.record_settings)
    assert trace.metadata == again.metadata
    for name, array in again.steps.items():
        np.testing.assert_array_equal(trace.steps[name], array, err_msg=name)
