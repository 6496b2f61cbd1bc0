"""The comparator: planted divergences are found where they are, and nothing else is."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from rlenv_shared.errors import DivergenceError, InvalidParamsError
from rlenv_shared.verification.compare import Tolerance, compare, ulp_distance
from rlenv_shared.verification.teacher import teacher_forced
from rlenv_shared.verification.trajectory import Trajectory

pytestmark = pytest.mark.l1

T, B = 50, 7


def recording(seed=0, steps=T, batch=B):
    rng = np.random.default_rng(seed)
    fields = {
        "action": rng.integers(0, 3, (steps, batch), dtype=np.int32),
        "state.score": rng.integers(0, 9, (steps, batch), dtype=np.int32),
        "state.position": rng.normal(size=(steps, batch)),
        "rng.0": rng.integers(0, 2**32, (steps, batch), dtype=np.uint32),
        "obs": rng.normal(size=(steps, batch, 4)).astype(np.float32),
        "reward": rng.normal(size=(steps, batch)).astype(np.float32),
        "terminated": rng.random((steps, batch)) < 0.1,
        "truncated": np.zeros((steps, batch), np.bool_),
    }
    initial = {name: fields[name][0].copy() for name in ("state.score", "state.position", "rng.0", "obs")}
    return Trajectory(fields, initial, {"seed": seed})


def altered(original, name, index, change, part="steps"):
    arrays = {key: array.copy() for key, array in getattr(original, part).items()}
    arrays[name][index] = change(arrays[name][index])
    return dataclasses.replace(original, **{part: arrays})


def test_equal_recordings_agree():
    differences = compare(recording(), recording())
    differences.raise_on_divergence()
    assert differences.ok
    assert differences.mismatches == 0
    assert differences.steps == T * B
    assert differences.ends == recording().ends.sum() > 0
    assert differences.fields["obs"].compared == T * B * 4


@pytest.mark.parametrize(
    ("name", "index", "change", "field"),
    [
        ("state.score", (17, 3), lambda x: x + 1, "state.score"),
        ("state.position", (49, 6), lambda x: np.nextafter(x, np.inf), "state.position"),
        ("obs", (0, 5, 2), lambda x: np.nextafter(x, np.float32(9), dtype=np.float32), "obs[2]"),
        ("reward", (30, 0), lambda x: -x, "reward"),
        ("terminated", (21, 4), lambda x: ~x, "terminated"),
        ("truncated", (21, 4), lambda x: ~x, "truncated"),
        ("rng.0", (5, 1), lambda x: x ^ np.uint32(1), "rng.0"),
        ("action", (8, 2), lambda x: x + 1, "action"),
    ],
)
def test_planted_divergence_is_located(name, index, change, field):
    theirs = recording()
    ours = altered(theirs, name, index, change)
    later = (T - 1, B - 1, *index[2:])
    if index[:2] != later[:2]:  # a second one behind it must not hide it
        ours = altered(ours, name, later, change)
    differences = compare(ours, theirs, repro="verify --seed {seed} --episode {episode} --steps {step} # {field}")
    first = differences.first
    assert (first.step, first.episode, first.field) == (*index[:2], field)
    assert differences.mismatches == (1 if index[:2] == later[:2] else 2)
    assert first.repro == f"verify --seed 0 --episode {index[1]} --steps {index[0]} # {field}"
    with pytest.raises(DivergenceError) as caught:
        differences.raise_on_divergence()
    for text in (f"episode {index[1]}", f"step {index[0]}", field, first.ours, first.theirs, first.repro, "action"):
        assert text in str(caught.value)


@pytest.mark.parametrize(("early", "late"), [("truncated", "state.score"), ("state.score", "truncated")])
def test_earliest_step_wins_over_field_order_and_episode(early, late):
    change = {"state.score": lambda x: x + 1, "truncated": lambda x: ~x}
    theirs = recording()
    ours = altered(altered(theirs, late, (9, 0), change[late]), early, (8, 6), change[early])
    first = compare(ours, theirs).first
    assert (first.step, first.episode, first.field) == (8, 6, early)


def test_divergence_after_the_reset_comes_first():
    theirs = recording()
    ours = altered(theirs, "state.score", (0, 0), lambda x: x + 1)
    ours = altered(ours, "obs", (2, 1), lambda x: x + 1, part="initial")
    first = compare(ours, theirs).first
    assert (first.step, first.episode, first.field, first.action) == (-1, 2, "obs[1]", None)
    assert "after the reset" in str(first)


def test_report_gives_action_and_generator_before_the_step_and_place_in_the_game():
    theirs = recording()
    ends = np.nonzero(theirs.ends[:40, 2])[0]
    first = compare(altered(theirs, "reward", (40, 2), lambda x: x + 1), theirs).first
    assert first.action == theirs.steps["action"][40, 2]
    assert first.generator["theirs"] == [hex(theirs.steps["rng.0"][39, 2])]
    assert (first.game, first.game_step) == (len(ends), 40 - ends[-1] - 1)
    first = compare(altered(theirs, "reward", (0, 2), lambda x: x + 1), theirs).first
    assert first.generator["ours"] == [hex(theirs.initial["rng.0"][2])]


def pair(a, b):
    make = lambda x: Trajectory(  # noqa: E731
        {"action": np.zeros((1, 1), np.int32), "state.x": np.array([[x]]), "terminated": np.zeros((1, 1), np.bool_)}
    )
    return make(a), make(b)


QUIET, SIGNALLING = (np.uint64(bits).view(np.float64) for bits in (0x7FF8000000000000, 0x7FF8000000000001))


@pytest.mark.parametrize(
    ("a", "b", "exact", "within"),
    [
        (0.0, -0.0, False, True),
        (np.nan, np.nan, True, True),
        (QUIET, SIGNALLING, False, True),
        (np.nan, 1.0, False, False),
        (np.inf, np.inf, True, True),
        (np.inf, -np.inf, False, False),
        (np.inf, 1e308, False, False),
        (1.0, np.inf, False, False),
        (1.0, 1.0 + 2**-52, False, True),
    ],
)
def test_special_floats(a, b, exact, within):
    assert compare(*pair(a, b)).ok is exact
    tolerances = {"state.x": Tolerance("TOL", atol=1e-9, rtol=1e-9, ulp=2)}
    assert compare(*pair(a, b), tolerances=tolerances).ok is within


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("direction", [-np.inf, np.inf])
@pytest.mark.parametrize("value", [0.0, 1.0, -3.7, 1e-40, 2.0])
def test_one_ulp_is_detected_and_allowed(dtype, direction, value):
    a = dtype(value)
    b = np.nextafter(a, dtype(direction), dtype=dtype)
    c = np.nextafter(b, dtype(direction), dtype=dtype)
    assert (ulp_distance(a, b), ulp_distance(a, c)) == (1, 2)
    differences = compare(*pair(b, a))
    assert (differences.mismatches, differences.fields["state.x"].max_ulp) == (1, 1)
    one = {"state.x": Tolerance("ONE_ULP", ulp=1)}
    assert compare(*pair(b, a), tolerances=one).ok
    assert not compare(*pair(c, a), tolerances=one).ok


def test_ulp_distance_counts_across_zero_and_at_the_ends():
    tiny = np.float32(1e-45)
    assert ulp_distance(-tiny, tiny) == 2
    assert ulp_distance(np.float64(0.0), np.float64(-0.0)) == 0
    assert ulp_distance(np.finfo(np.float64).max, np.float64(np.inf)) == 1
    assert ulp_distance(np.float64(-np.inf), np.float64(np.inf)) == 2 * 0x7FF0000000000000
    assert ulp_distance(np.float64(np.nan), np.float64(1)) == 2**64 - 1
    with pytest.raises(TypeError):
        ulp_distance(np.float32(1), np.float64(1))


@pytest.mark.parametrize(
    ("bound", "inside", "outside"),
    [
        ({"atol": 0.5}, 2.5, np.nextafter(2.5, 3)),
        ({"atol": 0.5}, 1.5, np.nextafter(1.5, 1)),
        ({"rtol": 0.25}, 2.5, np.nextafter(2.5, 3)),
        ({"atol": 0.25, "rtol": 0.125}, 2.5, np.nextafter(2.5, 3)),
    ],
)
def test_tolerance_edges(bound, inside, outside):
    tolerances = {"state.x": Tolerance("TOL_X", **bound)}
    assert compare(*pair(inside, 2.0), tolerances=tolerances).ok
    differences = compare(*pair(outside, 2.0), tolerances=tolerances)
    assert not differences.ok
    assert "TOL_X" in str(differences)


def test_narrowest_tolerance_wins():
    theirs = recording()
    ours = altered(theirs, "obs", (slice(None), slice(None), slice(None)), lambda x: x + np.float32(0.1))
    loose, tight = Tolerance("LOOSE", atol=0.2), Tolerance("TIGHT", atol=0.01)
    assert compare(ours, theirs, tolerances={"obs": loose}).ok
    assert compare(ours, theirs, tolerances={"o*": loose}).ok
    differences = compare(ours, theirs, tolerances={"obs": loose, "obs[3]": tight})
    assert (differences.first.field, differences.mismatches) == ("obs[3]", T * B)
    assert differences.fields["obs"].tolerance == "LOOSE, TIGHT"
    assert compare(ours, theirs, tolerances={"*": loose, "obs": tight}).mismatches == T * B * 4


def test_where_ignore_and_valid_leave_steps_and_fields_out():
    theirs = recording()
    ours = altered(theirs, "state.score", (5, 2), lambda x: x + 1)
    where = np.ones((T, B), np.bool_)
    where[5, 2] = False
    differences = compare(ours, theirs, where=where)
    assert differences.ok
    assert differences.steps == T * B - 1
    assert compare(ours, theirs, ignore=["state.*"]).ok
    short = dataclasses.replace(theirs, steps={**theirs.steps, "valid": where})
    masked = dataclasses.replace(ours, steps={**ours.steps, "valid": where})
    assert compare(masked, short).ok


def test_float_widths_need_a_tolerance():
    theirs = recording()
    ours = dataclasses.replace(
        theirs,
        steps={**theirs.steps, "state.position": theirs.steps["state.position"].astype(np.float32)},
        initial={},
    )
    theirs = dataclasses.replace(theirs, initial={})
    assert not compare(ours, theirs).ok
    assert not compare(ours, theirs, tolerances={"state.position": Tolerance("TOL_ULP", rtol=6e-8, ulp=1)}).ok
    assert compare(ours, theirs, tolerances={"state.position": Tolerance("TOL_F32", rtol=6e-8)}).ok
    assert not compare(ours, theirs, tolerances={"state.position": Tolerance("TOL", rtol=1e-9)}).ok


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"tolerances": {"state.positon": Tolerance("T", atol=1)}}, "positon"),
        ({"tolerances": {"obs[4]": Tolerance("T", atol=1)}}, "no such field"),
        ({"tolerances": {"state.score": Tolerance("T", atol=1)}}, "no floats"),
        ({"tolerances": {"terminated": Tolerance("T", atol=1)}}, "no floats"),
        ({"tolerances": {"rng.*": Tolerance("T", atol=1)}}, "no such field"),
        ({"ignore": ["valid"]}, "no such field"),
        ({"ignore": ["*"]}, "ignore less"),
        ({"ignore": ["[!a]*"]}, "ignore less"),
        ({"ignore": ["velocity"]}, "velocity"),
        ({"where": np.zeros((T, B), np.bool_)}, "no step"),
        ({"where": np.ones((T, B))}, "where"),
        ({"where": np.ones(T, np.bool_)}, "where"),
        ({"repro": "run {nonsense}"}, "nonsense"),
    ],
)
def test_senseless_comparisons_are_refused(options, complaint):
    with pytest.raises(InvalidParamsError, match=complaint):
        compare(recording(), recording(), **options)


@pytest.mark.parametrize("bounds", [{}, {"atol": -1.0}, {"rtol": np.nan}, {"atol": np.inf}, {"ulp": -1}])
def test_senseless_tolerances_are_refused(bounds):
    with pytest.raises(InvalidParamsError, match="tolerance"):
        Tolerance("TOL", **bounds)


def decay(factor, steps=60, batch=9):
    """x' = factor * x from starts 1..batch; ends when x falls below 0.5."""
    x = np.arange(1, batch + 1, dtype=np.float64)
    rows = np.array([x * factor**t for t in range(1, steps + 1)])
    action = np.zeros((steps, batch), np.int32)
    return Trajectory({"action": action, "state.x": rows, "terminated": rows < 0.5}, {"state.x": x})


def test_teacher_forcing_does_not_add_errors_up():
    reference = decay(0.97)

    def step_from(fields, actions):
        x = fields["state.x"] * 0.97 * (1 + 1e-9)
        return {"state.x": x, "terminated": x < 0.5}

    tolerances = {"state.x": Tolerance("TOL_STEP", rtol=1.1e-9)}
    differences = teacher_forced(reference, step_from, tolerances=tolerances, chunk=100)
    differences.raise_on_divergence()
    assert differences.steps == 60 * 9
    assert not compare(decay(0.97 * (1 + 1e-9)), reference, tolerances=tolerances).ok

    def broken(fields, actions):  # wrong in one place only
        after = dict(step_from(fields, actions))
        after["state.x"] = np.where(fields["state.x"] == reference.before("state.x")[33, 4], 0.0, after["state.x"])
        return after

    first = teacher_forced(reference, broken, tolerances=tolerances, chunk=100).first
    assert (first.step, first.episode, first.field) == (33, 4, "state.x")


def test_millions_of_steps_are_compared_quickly():
    rng = np.random.default_rng(0)
    shape = (4000, 256)
    steps = {
        "action": np.zeros(shape, np.int8),
        "obs": rng.random((*shape, 8), dtype=np.float32),
        "terminated": np.zeros(shape, np.bool_),
    }
    ours = Trajectory({**steps, "obs": steps["obs"].copy()})
    ours.steps["obs"][3999, 255, 7] += 1
    differences = compare(ours, Trajectory(steps))
    assert (differences.steps, differences.mismatches, differences.first.step) == (1_024_000, 1, 3999)
