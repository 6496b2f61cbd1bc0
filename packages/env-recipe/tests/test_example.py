"""L1: the worked example, run again from its recorded patches, ends as its committed journals say."""

import subprocess
import sys
from pathlib import Path

import pytest

from env_recipe.journal import read, seconds_since, without_times

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600), pytest.mark.reference("gymnasium_classic")]

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
HERE = EXAMPLES / "mountaincar"
# What the README tells of runs with a person: edits, failing and all hidden tests by phase, backup, minutes at most.
RECORDED = {
    "acrobot/recorded/by-hand": (3, {"l2": (0, 1), "l3": (0, 2), "discriminate": (0, 1)}, (0, 1), 5.5),
    "leduc/recorded/by-hand": (
        5, {"l1": (0, 58), "l2": (0, 66), "l3": (0, 68), "discriminate": (0, 67), "l4": (0, 67)}, (0, 1), 5.5
    ),
    "timer-update/recorded/2.7.0": (1, {"l2": (0, 2), "l3": (0, 3), "discriminate": (0, 2)}, (0, 1), 3),
    "timer-update/recorded/update-2.8.1": (1, {"l2": (0, 2), "l3": (0, 3), "discriminate": (0, 2)}, (0, 1), 12),
}  # fmt: skip


def of(events, kind):
    return [event for event in events if event["event"] == kind]


def agreed(events):
    """What does not depend on versions of libraries: which edits were kept, what was refused, what the tests said."""
    kinds = ("phase", "decision", "hidden", "backup", "stopped", "finished")
    kept = [event for event in without_times(events) if event["event"] in kinds]
    return [{key: value for key, value in event.items() if key not in ("n", "outcomes", "tree")} for event in kept]


def test_the_example_ends_as_it_should(tmp_path):
    done = subprocess.run(
        [sys.executable, EXAMPLES / "run_mountaincar.py", tmp_path / "out"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    ladder, alone = (read(tmp_path / "out" / name / "journal.jsonl") for name in ("ladder", "l3-only"))
    for name, events in (("ladder", ladder), ("l3-only", alone)):
        assert agreed(events) == agreed(read(HERE / "recorded" / name / "journal.jsonl"))

    decisions = {event["iteration"]: event for event in of(ladder, "decision")}
    phases = {event["iteration"]: event["phase"] for event in of(ladder, "prompt")}
    repaired = {phases[i]: event for i, event in decisions.items() if event["kept"] and i != 1}
    assert phases[2] == "l1:dynamics"  # the wall
    assert decisions[2]["kept"]
    assert phases[7] == "l2"  # the order
    assert decisions[7]["kept"]
    assert phases[10] == "l3"  # the second episode
    assert decisions[10]["added"] == ["tests/l1_property/test_second_episode.py"]
    (review,) = [event for event in of(ladder, "prompt") if event["kind"] == "review"]
    assert decisions[review["iteration"]]["kept"]  # what hidden tests alone have shown
    assert not decisions[6]["kept"]  # the tolerance
    assert "tolerances" in decisions[6]["refused"][0]
    assert not decisions[9]["kept"]  # the test that cannot fail
    assert "cannot fail" in decisions[9]["refused"][0]
    assert set(repaired) >= {"l1:dynamics", "l2", "l3"}
    assert ladder[-1]["event"] == "finished"
    assert [(event["failing"], event["total"]) for event in of(ladder, "backup")] == [(0, 4)]

    assert alone[-1]["event"] == "stopped"
    assert alone[-1]["reason"] == "12 iterations in one phase"
    page = (tmp_path / "out" / "report.html").read_text()
    assert "ladder" in page
    assert "l3-only" in page


@pytest.mark.parametrize("place", RECORDED)
def test_recorded_runs_are_as_the_readme_tells(place):
    edits, hidden, backup, minutes = RECORDED[place]
    events = read(EXAMPLES / place / "journal.jsonl")
    counts = {}
    for event in of(events, "hidden"):
        level = event["phase"].partition(":")[0]
        failing, total = counts.get(level, (0, 0))
        counts[level] = failing + event["failing"], total + event["total"]
    assert {level: found for level, found in counts.items() if level in hidden} == hidden
    assert [(event["failing"], event["total"]) for event in of(events, "backup")] == [backup]
    assert [event["kept"] for event in of(events, "decision")] == [True] * edits
    assert not any(event["findings"] for event in of(events, "guard"))
    assert events[-1]["event"] == "finished"
    assert seconds_since(events[0]["time"]) - seconds_since(events[-1]["time"]) < 60 * minutes
