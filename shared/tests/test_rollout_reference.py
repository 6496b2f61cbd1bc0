"""Pins and references that run as subprocesses."""

from __future__ import annotations

import dataclasses
import json
import sys

import pytest

from rlenv_shared.errors import IllegalActionError, InvalidParamsError, ReferenceUnavailableError
from rlenv_shared.verification.pinned import Pin
from rlenv_shared.verification.reference import ReferenceProcess

pytestmark = pytest.mark.l1

PIN = Pin("toy-game", "1.2.0", "pypi", "MIT", None, (), ("toy",))
PIN_JSON = {**dataclasses.asdict(PIN), "patches": [], "used_by": ["toy"], "sha256": "0" * 64}

DRIVER = """
import json, sys
mode = sys.argv[1]
if mode == "dies":
    sys.exit("cannot find the card table")
for line in sys.stdin:
    request = json.loads(line)
    answer = {"id": request["id"], "ok": True}
    if request["op"] == "hello":
        answer["result"] = {"protocol": 1, "name": "toy-game", "version": "1.2.0" if mode != "old" else "1.1.9"}
    elif mode == "garbage":
        print("[object Object]", flush=True)
        continue
    elif mode == "exits":
        print("out of memory", file=sys.stderr)
        break
    elif mode == "other":
        answer["id"] = 99
    elif request["op"] == "illegal":
        answer = {"id": request["id"], "ok": False, "error": "slot 3 is empty", "kind": "illegal_action"}
    elif request["op"] == "episodes":
        steps = [
            {"episode": e, "t": t, "action": a, "state": {"sum": sum(episode["actions"][: t + 1])}, "rng": "0xff",
             "reward": 0.5, "terminated": t == len(episode["actions"]) - 1}
            for e, episode in enumerate(request["episodes"])
            for t, a in enumerate(episode["actions"])
        ]
        answer["result"] = {"dtypes": {"reward": "float32"}, "steps": steps if mode == "good" else steps[1:]}
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def start(tmp_path):
    script = tmp_path / "driver.py"
    script.write_text(DRIVER)
    return lambda mode, **options: ReferenceProcess([sys.executable, str(script), mode], PIN, **options)


def test_episodes_of_different_length_become_one_recording(start):
    with start("good") as reference:
        recording = reference.run_episodes([{"actions": [1, 2, 3]}, {"actions": [4]}])
        assert recording.steps["state.sum"][:, 0].tolist() == [1, 3, 6]
        assert recording.steps["state.sum"][0, 1] == 4
        assert recording.valid.sum() == 4
        assert recording.steps["reward"].dtype == "float32"
        assert recording.steps["rng"][0, 0] == 255
        big = reference.run_episodes([{"actions": [1] * 2000}] * 20)  # more than a pipe holds, both ways
        assert big.steps["state.sum"][-1, -1] == 2000


def test_drivers_own_errors_are_typed_and_leave_it_running(start):
    with start("good") as reference:
        with pytest.raises(IllegalActionError, match="slot 3"):
            reference.request("illegal")
        assert reference.run_episodes([{"actions": [1]}]).num_steps == 1


@pytest.mark.parametrize(
    ("mode", "complaint"),
    [("dies", "card table"), ("old", "1.1.9")],
)
def test_driver_that_cannot_serve_is_refused_at_once(start, mode, complaint):
    with pytest.raises(ReferenceUnavailableError, match=complaint):
        start(mode)


def test_missing_program_is_refused():
    with pytest.raises(ReferenceUnavailableError, match="no-such-program"):
        ReferenceProcess(["no-such-program"], PIN)


@pytest.mark.parametrize(
    ("mode", "complaint"),
    [("garbage", "object Object"), ("exits", "out of memory"), ("other", "99"), ("short", "canonical steps")],
)
def test_broken_answers_are_refused(start, mode, complaint):
    with start(mode) as reference, pytest.raises(ReferenceUnavailableError, match=complaint):
        reference.run_episodes([{"actions": [1, 2]}])


def test_pin_round_trip(tmp_path):
    path = tmp_path / "pin.json"
    path.write_text(json.dumps({**PIN_JSON, "members": {"a.h": "1" * 64}}))
    pin = Pin.load(path)
    assert (pin.name, pin.version, pin.used_by, pin.members) == ("toy-game", "1.2.0", ("toy",), {"a.h": "1" * 64})
    path.write_text(json.dumps({key: value for key, value in PIN_JSON.items() if key != "members"} | {"sha256": None}))
    assert (Pin.load(path).sha256, Pin.load(path).commit) == (None, None)
    path.write_text(json.dumps({**PIN_JSON, "commit": "2b" * 20}))
    assert Pin.load(path).commit == "2b" * 20


@pytest.mark.parametrize(
    "change",
    [
        {"sha256": "xyz"},
        {"version": ""},
        {"patches": "none"},
        {"colour": "red"},
        {"members": {"a": "1"}},
        {"commit": "2b2f877"},
        {"commit": 2},
        {"name": 3},
        {"peer": "yes"},
    ],
)
def test_bad_pins_are_refused(tmp_path, change):
    path = tmp_path / "pin.json"
    path.write_text(json.dumps({**PIN_JSON, **change}))
    with pytest.raises(InvalidParamsError, match="pin"):
        Pin.load(path)
    path.write_text("{")
    with pytest.raises(InvalidParamsError, match="pin"):
        Pin.load(path)
    with pytest.raises(InvalidParamsError, match="pin"):
        Pin.load(tmp_path / "none.json")


def test_installed_version_is_checked():
    import numpy as np

    Pin("numpy", np.__version__, "pypi", "BSD-3-Clause", None, (), ()).check_installed()
    with pytest.raises(ReferenceUnavailableError, match=r"numpy==0\.0\.1"):
        Pin("numpy", "0.0.1", "pypi", "BSD-3-Clause", None, (), ()).check_installed()
    with pytest.raises(ReferenceUnavailableError, match="nothing installed"):
        PIN.check_installed()
