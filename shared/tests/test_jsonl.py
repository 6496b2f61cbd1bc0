"""JSON lines are read strictly: what is no step, or would be changed by reading, is refused, with its line."""

from __future__ import annotations

import json

import numpy as np
import pytest

from rlenv_shared import files
from rlenv_shared.errors import InvalidParamsError, SnapshotVersionError
from rlenv_shared.verification import jsonl
from rlenv_shared.verification.trajectory import DTYPES, Trajectory

pytestmark = pytest.mark.l1

HEADER = {"format": "rlenv-trajectory", "schema": 1, "dtypes": {}, "metadata": {}}
STEP = {"episode": 0, "t": 0, "action": 0, "reward": 0.5, "terminated": False}


def written(path, lines, **header):
    """A sealed file of a header and of steps, each an object, or text that stands for itself."""
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    body = "".join(text + "\n" for text in texts).encode(errors="surrogateescape")
    head = {**HEADER, **header}
    path.write_bytes(json.dumps({files.SEAL: files.digest(head, [("lines", body)]), **head}).encode() + b"\n" + body)
    return path


def two(**change):
    """Two steps, the second of them changed."""
    return [STEP, {**STEP, "t": 1, **change}]


def test_what_is_well_formed_is_read(tmp_path):
    lines = [{"episode": 0, "t": -1, "obs": [0, 1.5]}, *(dict(line, obs=[0, 0], rng="0xff") for line in two())]
    found = jsonl.read(written(tmp_path / "x", lines, dtypes={"reward": "float32", "action": "uint8"}))
    assert {name: array.dtype.name for name, array in found.steps.items()} == {
        "action": "uint8", "obs": "float64", "rng": "uint64", "reward": "float32", "terminated": "bool",
    }  # fmt: skip
    assert found.initial["obs"].tolist() == [[0, 1.5]]
    assert found.steps["rng"].tolist() == [[255], [255]]


BAD_STEPS = {
    # what: (second line, header, words of the message)
    "episode -1": (two(episode=-1), {}, "line 3.*episode"),
    "episode of a float": (two(episode=0.0), {}, "line 3.*episode"),
    "episode of a bool": (two(episode=False), {}, "line 3.*episode"),
    "too many episodes": (two(episode=1 << 24), {}, "line 3.*episode"),
    "t of text": (two(t="1"), {}, "line 3.*t: got"),
    "t of a bool": (two(t=True), {}, "line 3.*t: got"),
    "t -2": (two(t=-2), {}, "line 3.*t: got"),
    "t beyond the limit": (two(t=1 << 24), {}, "line 3.*t: got"),
    "no t": ([STEP, {"episode": 0, "action": 0, "terminated": False}], {}, "line 3"),
    "a list": ([STEP, [0, 1]], {}, "line 3"),
    "a number": ([STEP, "7"], {}, "line 3"),
    "unknown key": (two(rewards=0.5), {}, "line 3.*rewards"),
    "valid, which rows say themselves": (two(valid=True), {}, "line 3.*valid"),
    "reset with an action": ([{**STEP, "t": -1}, *two()], {}, "line 2.*reset"),
    "key twice": ([STEP, '{"episode": 0, "t": 1, "action": 0, "action": 1, "reward": 0.5, "terminated": false}'], {},
                  "line 3.*'action' twice"),
    "row twice": ([STEP, STEP], {}, "line 3.*twice"),
    "reset twice": ([STEP, *[{"episode": 0, "t": -1, "obs": 0}] * 2], {}, "line 4.*twice"),
    "row missing": (two(t=2), {}, "some are missing"),
    "reset missing": ([STEP, {**STEP, "episode": 1}, {"episode": 1, "t": -1, "obs": 0}], {}, "some are missing"),
    "field missing": ([STEP, {key: value for key, value in two()[1].items() if key != "reward"}], {}, "line 3.*reward"),
    "1.9 as int32": (two(action=1.9), {"dtypes": {"action": "int32"}}, "line 3, field 'action'.*1.9"),
    "1.0 as int32": (two(action=1.0), {"dtypes": {"action": "int32"}}, "line 3, field 'action'"),
    "300 as uint8": (two(action=300), {"dtypes": {"action": "uint8"}}, "line 3, field 'action'.*300"),
    "-1 as uint32": (two(action=-1), {"dtypes": {"action": "uint32"}}, "line 3, field 'action'"),
    "2**63 as int64": (two(action=2**63), {"dtypes": {"action": "int64"}}, "line 3, field 'action'"),
    "2**64 undeclared": (two(action=2**64), {}, "line 3, field 'action'"),
    "-1 beside 2**63 undeclared": ([{**STEP, "action": -1}, *two(action=2**63)[1:]], {}, "line 3, field 'action'"),
    "0.5 as bool": (two(terminated=0.5), {}, "line 3, field 'terminated'.*0.5"),
    "0.5 as declared bool": (two(terminated=0.5), {"dtypes": {"terminated": "bool"}}, "line 3, field 'terminated'"),
    "0 as bool": (two(terminated=0), {"dtypes": {"terminated": "bool"}}, "line 3, field 'terminated'"),
    "hexadecimal text as bool": (two(terminated="fa"), {}, "line 3, field 'terminated'"),
    "a flag that is a number everywhere": ([{**STEP, "terminated": 0}], {}, "terminated: got int64"),
    "true as int8": (two(action=True), {"dtypes": {"action": "int8"}}, "line 3, field 'action'"),
    "0.1 as float32": (two(reward=0.1), {"dtypes": {"reward": "float32"}}, "line 3, field 'reward'.*0.1"),
    "1e300 as float32": (two(reward=1e300), {"dtypes": {"reward": "float32"}}, "line 3, field 'reward'"),
    "1e-300 as float32": (two(reward=1e-300), {"dtypes": {"reward": "float32"}}, "line 3, field 'reward'"),
    "70000 as float16": (two(reward=70000), {"dtypes": {"reward": "float16"}}, "line 3, field 'reward'"),
    "2**53 + 1 as float64": (two(reward=2**53 + 1), {}, "line 3, field 'reward'"),
    "1e999": ([STEP, '{"episode": 0, "t": 1, "action": 0, "reward": 1e999, "terminated": false}'], {}, "line 3.*1e999"),
    "an integer beyond float64": (two(reward=10**400), {}, "line 3, field 'reward'"),
    "NaN as an integer": (two(action=float("nan")), {"dtypes": {"action": "int32"}}, "line 3, field 'action'"),
    "null in a list": (two(action=[None]), {}, "line 3, field 'action'"),
    "an object in a list": (two(action=[{}]), {}, "line 3, field 'action'"),
    "an object below a path": (two(state={"x": {"y": 1}}), {}, "line 3"),
    "text": (two(action="north"), {}, "line 3, field 'action'"),
    "a ragged list": (two(action=[[1], [1, 2]]), {}, "line 3, field 'action'.*lengths"),
    "another shape": (two(action=[0]), {}, "line 3, field 'action'.*lengths"),
    "a word of 65 bits": ([{**STEP, "rng": "0x1" + 16 * "0"}], {}, "line 2, field 'rng'"),
    "a word without 0x": ([{**STEP, "rng": "ff"}], {}, "line 2, field 'rng'"),
    "a word with a sign": ([{**STEP, "rng": "-0x1"}], {}, "line 2, field 'rng'"),
    "a word beyond its dtype": ([{**STEP, "rng": "0x100000000"}], {"dtypes": {"rng": "uint32"}}, "line 2, field 'rng'"),
    "a word and a number": ([{**STEP, "rng": "0x1"}, {**two()[1], "rng": 1}], {}, "line 3, field 'rng'"),
    "deeply nested": ([STEP, "[" * 100_000], {}, "line 3.*RecursionError"),
    "half a line": ([STEP, '{"episode": 0, "t": 1, "act'], {}, "line 3"),
    "no UTF-8": ([STEP, '"\udcff"'], {}, "line 3"),
    "a sparse table": ([STEP, {**STEP, "episode": (1 << 24) - 1, "t": (1 << 24) - 1}], {}, "at most"),
    "no step": ([], {}, "no step"),
    "dtypes null": ([STEP], {"dtypes": None}, "dtypes"),
    "dtypes a list": ([STEP], {"dtypes": ["int32"]}, "dtypes"),
    "dtype null": ([STEP], {"dtypes": {"action": None}}, "dtypes"),
    "dtype object": ([STEP], {"dtypes": {"action": "object"}}, "dtypes"),
    "dtype longdouble": ([STEP], {"dtypes": {"action": "longdouble"}}, "dtypes"),
    "dtype of a field that is not there": ([STEP], {"dtypes": {"rewards": "float32"}}, "'rewards'.* without values"),
    "another format": ([STEP], {"format": "other"}, "line 1.*other"),
    "a newer schema": ([STEP], {"schema": 2}, "line 1.*'schema': 2.*not format"),
    "metadata null": ([STEP], {"metadata": None}, "line 1.*metadata"),
    "NaN in the metadata": ([STEP], {"metadata": {"x": float("nan")}}, "line 1.*NaN"),
    "unknown key in the header": ([STEP], {"sha255": "0"}, "line 1.*sha255"),
    "another digest": ([STEP], {"sha256": "0" * 64}, "line 1.*content other than"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_STEPS)
def test_what_is_not_a_recording_is_refused_with_its_line(tmp_path, case):
    lines, header, message = BAD_STEPS[case]
    path = tmp_path / "x.jsonl"
    written(path, lines, **header)
    with pytest.raises(SnapshotVersionError, match=rf"(?s)x\.jsonl.*{message}"):
        jsonl.read(path)


def test_sizes_are_limited(tmp_path, monkeypatch):
    path = written(tmp_path / "x.jsonl", two())
    jsonl.read(path)
    for limit, most, message in (
        ("MAX_LINE_BYTES", 60, "line 2.*more than 60"),
        ("MAX_STEPS", 1, "line 3.*t: got 1"),
        ("MAX_VALUES", 1, "at most"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(jsonl, limit, most)
            with pytest.raises(SnapshotVersionError, match=message):
                jsonl.read(path)
    wide = written(tmp_path / "wide.jsonl", [{**STEP, "action": [0] * 9}])
    monkeypatch.setattr(jsonl, "MAX_VALUES", 8)
    with pytest.raises(SnapshotVersionError, match=r"field 'action'.*at most 8 values"):
        jsonl.read(wide)


def test_special_floats_are_values_of_float_fields(tmp_path):
    values = [float("nan"), float("inf"), -float("inf"), -0.0, 5e-324]
    lines = [{**STEP, "t": t, "reward": value} for t, value in enumerate(values)]
    found = jsonl.read(written(tmp_path / "x", lines)).steps["reward"][:, 0]
    np.testing.assert_array_equal(found, values)
    assert np.signbit(found[3])
    narrow = jsonl.read(written(tmp_path / "y", lines[:4], dtypes={"reward": "float16"}))
    assert narrow.steps["reward"].dtype == np.float16


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_keeps_its_extremes(tmp_path, dtype):
    kind = np.dtype(dtype).kind
    info = None if kind == "b" else np.iinfo(dtype) if kind in "iu" else np.finfo(dtype)
    extremes = np.array([0, 1, *((info.min, info.max) if info else ())], dtype)[:, None]
    flags = np.zeros(extremes.shape, np.bool_)
    steps = {"action": extremes, "state.a.b": extremes, "terminated": flags}
    if kind == "u":
        steps["rng.0"] = extremes
        steps["rng.wide"] = np.stack([extremes] * 2, -1)
    initial = {name: array[0] for name, array in steps.items() if name.split(".")[0] in ("state", "rng")}
    recording = Trajectory(steps, {**initial, "obs": extremes[:1, :, None][0]}, {"a": [1]})
    jsonl.write(recording, tmp_path / "x.jsonl")
    found = jsonl.read(tmp_path / "x.jsonl")
    for part in ("steps", "initial"):
        assert getattr(found, part).keys() == getattr(recording, part).keys()
        for name, array in getattr(recording, part).items():
            assert getattr(found, part)[name].dtype == array.dtype
            assert getattr(found, part)[name].tobytes() == array.tobytes(), name


def test_a_lost_last_line_is_noticed(tmp_path):
    steps = {"action": np.zeros((3, 1), np.int8), "terminated": np.zeros((3, 1), np.bool_)}
    path = tmp_path / "x.jsonl"
    jsonl.write(Trajectory(steps), path)
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(SnapshotVersionError, match=r"line 1.*content other than"):
        jsonl.read(path)


def test_metadata_must_be_json(tmp_path):
    steps = {"action": np.zeros((1, 1), np.int8), "terminated": np.zeros((1, 1), np.bool_)}
    for value in (np.zeros(2), float("inf"), object()):
        with pytest.raises(InvalidParamsError, match="metadata"):
            jsonl.write(Trajectory(steps, metadata={"x": value}), tmp_path / "x.jsonl")
    assert not list(tmp_path.iterdir())
