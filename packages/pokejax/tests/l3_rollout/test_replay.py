"""L3: the recorded battles that GPUs replay are Showdown's, and are played alike here."""

import dataclasses

import numpy as np
import pytest

from pokejax.verification import DECLARATION
from pokejax.verification.replay import BATTLES, record, replay
from rlenv_shared.verification.trajectory import Trajectory

pytestmark = [pytest.mark.l3, pytest.mark.timeout(600)]

FEW = 12


@pytest.fixture(scope="module")
def trace():
    return Trajectory.load(DECLARATION.replays[0].trace)


def test_recorded_battles_are_played_alike(trace):
    report = replay(trace)
    report.raise_on_divergence()
    assert report.ends == trace.num_episodes == BATTLES
    assert report.steps == trace.valid.sum() > 50 * BATTLES


def test_another_choice_is_noticed(trace):
    steps = {name: array[:30, :FEW].copy() for name, array in trace.steps.items()}
    legal, actions = steps["state.legal"], steps["action"]
    row = 12
    others = legal[row - 1, 0, 0] & ~np.uint16(1 << actions[row, 0, 0])
    assert others
    actions[row, 0, 0] = int(others).bit_length() - 1
    initial = {name: array[:FEW] for name, array in trace.initial.items()}
    found = replay(dataclasses.replace(trace, steps=steps, initial=initial))
    assert found.first is not None
    assert (found.first.episode, found.first.step) == (0, row)


@pytest.mark.reference("showdown")
def test_the_recording_is_what_showdown_does(trace):
    again = record(FEW)
    assert again.metadata == trace.metadata
    rows = again.num_steps
    np.testing.assert_array_equal(trace.initial["rng"][:FEW], again.initial["rng"])
    for name, array in again.steps.items():
        np.testing.assert_array_equal(trace.steps[name][:rows, :FEW], array, err_msg=name)
