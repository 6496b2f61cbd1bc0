"""The comparator looks at what was recorded before it looks at values: nothing that is not alike is ok."""

from __future__ import annotations

import numpy as np
import pytest

from rlenv_shared.errors import DivergenceError, InvalidParamsError
from rlenv_shared.verification.compare import Tolerance, compare
from rlenv_shared.verification.teacher import teacher_forced
from rlenv_shared.verification.trajectory import Trajectory

pytestmark = pytest.mark.l1

T, B = 100, 3


def recording(steps=T, batch=B, initial=("state.x", "obs"), **changed):
    """Equal values in every recording; ``changed`` replaces fields, or leaves out those that are None."""
    count = np.arange(steps)[:, None] + np.arange(batch)
    fields = {
        "action": np.zeros((steps, batch), np.int32),
        "state.x": count.astype(np.int64),
        "obs": np.repeat(count[..., None], 4, axis=2).astype(np.float32),
        "reward": count.astype(np.float32),
        "terminated": np.zeros((steps, batch), np.bool_),
        **{name.replace("state_", "state."): array for name, array in changed.items()},
    }
    fields = {name: array for name, array in fields.items() if array is not None}
    first = {name: np.zeros((batch, *fields[name].shape[2:]), fields[name].dtype) for name in initial if name in fields}
    return Trajectory(fields, first)


def first_steps(number):
    """`valid` of episodes of which only the first steps were recorded."""
    return np.repeat(np.arange(T)[:, None] < number, B, axis=1)


def obs(*shape, dtype=np.float32):
    return np.zeros((T, B, *shape), dtype)


ZEROS = {"obs": obs(4)}
UNLIKE = {
    "1 valid step against 100": ({"valid": first_steps(1)}, {"valid": first_steps(100)}, "valid"),
    "1 valid step against a recording without valid": ({"valid": first_steps(1)}, {}, "valid"),
    "99 valid steps against 100": ({}, {"valid": first_steps(99)}, "valid"),
    "no valid step against 100": ({"valid": first_steps(0)}, {}, "valid"),
    "fewer steps": ({"steps": T - 1}, {}, "steps and episodes"),
    "more steps": ({"steps": T + 1}, {}, "steps and episodes"),
    "no steps": ({"steps": 0}, {}, "steps and episodes"),
    "one episode, which would broadcast": ({"batch": 1}, {}, "steps and episodes"),
    "a field of ours alone": ({}, {"reward": None}, "field 'reward'"),
    "a field of theirs alone": ({"reward": None}, {}, "field 'reward'"),
    "a flag of theirs alone": ({}, {"truncated": np.zeros((T, B), np.bool_)}, "field 'truncated'"),
    "a field of another name": ({"obs": None, "state_y": obs(4)}, ZEROS, "field 'obs'"),
    "a component that would broadcast": ({"obs": obs(1)}, ZEROS, "shape of 'obs'"),
    "an axis that would broadcast": ({"obs": obs(1, 4)}, ZEROS, "shape of 'obs'"),
    "a scalar against an array": ({"obs": obs()}, ZEROS, "shape of 'obs'"),
    "no components against some": ({"obs": obs(0)}, ZEROS, "shape of 'obs'"),
    "uint64 against int64": ({"state_x": recording().steps["state.x"].astype(np.uint64)}, {}, "dtype of 'state.x'"),
    "int32 against int64": ({"state_x": recording().steps["state.x"].astype(np.int32)}, {}, "dtype of 'state.x'"),
    "int64 against float64": ({"state_x": recording().steps["state.x"].astype(np.float64)}, {}, "dtype of 'state.x'"),
    "bool against int8": ({"obs": obs(4, dtype=np.bool_)}, {"obs": obs(4, dtype=np.int8)}, "dtype of 'obs'"),
    "float32 against float64": ({"obs": obs(4)}, {"obs": obs(4, dtype=np.float64)}, "dtype of 'obs'"),
    "float16 against int16": ({"obs": obs(4, dtype=np.float16)}, {"obs": obs(4, dtype=np.int16)}, "dtype of 'obs'"),
    "a reset of ours alone": ({}, {"initial": ()}, "field 'initial obs'"),
    "a reset of theirs alone": ({"initial": ()}, {}, "field 'initial obs'"),
    "a field of one reset alone": ({"initial": ("state.x",)}, {}, "field 'initial obs'"),
}


@pytest.mark.parametrize("case", UNLIKE)
def test_recordings_that_are_not_alike_are_not_ok(case):
    ours, theirs, what = UNLIKE[case]
    for pair in ((ours, theirs), (theirs, ours)):
        report = compare(*(recording(**side) for side in pair))
        assert not report.ok
        assert report.mismatches > 0
        assert what in [difference.what for difference in report.unlike]
        with pytest.raises(DivergenceError, match="not alike") as caught:
            report.raise_on_divergence()
        assert what in str(caught.value)


def test_alike_is_ok_and_all_valid_is_the_same_as_none():
    assert compare(recording(), recording()).unlike == ()
    compare(recording(valid=first_steps(T)), recording()).raise_on_divergence()


def test_the_first_step_that_one_side_lacks_is_named():
    valid = first_steps(T)
    valid[7:, 2] = False
    report = compare(recording(valid=valid), recording())
    assert [str(difference) for difference in report.unlike] == [
        "valid: ours 207 steps recorded, theirs 300; the first difference is episode 2, step 7, which only theirs has"
    ]
    assert report.steps == 207
    where = np.ones((T, B), np.bool_)
    where[7:, 2] = False
    assert compare(recording(valid=valid), recording(), where=where).ok


def test_what_both_recorded_is_compared_all_the_same():
    short = recording(steps=60)
    short.steps["reward"][41, 1] += 1
    report = compare(short, recording())
    assert (report.first.step, report.first.episode, report.first.field) == (41, 1, "reward")
    assert report.steps == 60 * B
    assert report.mismatches == 2  # the value and the length


NOTHING = {
    "all invalid": {"valid": first_steps(0)},
    "no steps": {"steps": 0},
    "no episodes": {"batch": 0},
    "no components": {"obs": obs(0), "state_x": None, "reward": None},
}


@pytest.mark.parametrize("case", NOTHING)
def test_nothing_is_not_ok(case):
    ignore = ["terminated"] if case == "no components" else []
    with pytest.raises(InvalidParamsError, match="no step or no value"):
        compare(recording(**NOTHING[case]), recording(**NOTHING[case]), ignore=ignore)


def test_a_tolerance_excuses_the_width_of_floats_and_nothing_else():
    loose = {"*": Tolerance("LOOSE", atol=1e9)}
    assert compare(recording(obs=obs(4)), recording(obs=obs(4, dtype=np.float64)), tolerances=loose).ok
    for case in ("int64 against float64", "1 valid step against 100", "a field of ours alone", "fewer steps"):
        ours, theirs, _ = UNLIKE[case]
        assert not compare(recording(**ours), recording(**theirs), tolerances=loose).ok
    score = recording().steps["state.x"]
    assert not compare(recording(state_x=score + 1), recording(), tolerances=loose).ok  # integers stay exact
    for value in (np.nan, np.inf, -np.inf):
        other = recording().steps["obs"]
        other[5, 1, 3] = value
        assert not compare(recording(obs=other), recording(), tolerances=loose).ok


def test_a_step_that_returns_other_fields_is_not_ok():
    reference = recording()
    given = {name: array.reshape(T * B, *array.shape[2:]) for name, array in reference.steps.items()}

    def step_from(before, actions, names=("state.x", "obs", "reward", "terminated")):
        return {name: given[name] for name in names}

    assert teacher_forced(reference, step_from).ok
    report = teacher_forced(reference, lambda before, actions: step_from(before, actions, ("obs", "terminated")))
    assert {difference.what for difference in report.unlike} == {"field 'reward'", "field 'state.x'"}
