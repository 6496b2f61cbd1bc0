"""L1: the journal keeps what was written and nothing else."""

import errno
import os

import pytest

from env_recipe.journal import Journal, read, without_times
from env_recipe.state import state_of
from rlenv_shared.errors import SnapshotVersionError, StorageError

pytestmark = pytest.mark.l1


def written(path, count=3):
    journal = Journal(path)
    journal.append("run", schema=1, tree="t0")
    for i in range(count - 1):
        journal.append("phase", index=i, name=f"l1:{i}")
    journal.close()
    return path


def test_events_come_back(tmp_path):
    path = written(tmp_path / "journal.jsonl")
    assert [event["event"] for event in read(path)] == ["run", "phase", "phase"]
    assert Journal(path).events == read(path)


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_what_a_crash_left_of_a_line_is_taken_off(tmp_path, cut):
    path = written(tmp_path / "journal.jsonl")
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    journal = Journal(path)
    assert len(journal.events) == 2
    assert path.read_bytes() == b"".join(whole.splitlines(keepends=True)[:2])
    journal.append("phase", index=1, name="l1:1")
    journal.close()
    assert without_times(read(path)) == without_times(Journal(written(tmp_path / "other.jsonl")).events)


@pytest.mark.parametrize(
    "damage",
    [lambda t: t.replace(b'"n": 1', b'"n": 2'), lambda t: t.replace(b'"event"', b'"evnt"', 1), lambda t: b"x" + t,
     lambda t: t.replace(b'"schema": 1', b'"schema": 9'), lambda t: b"\n".join(t.split(b"\n")[1:])],
)  # fmt: skip
def test_damage_is_refused(tmp_path, damage):
    path = written(tmp_path / "journal.jsonl")
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(SnapshotVersionError, match="journal"):
        read(path)


def test_a_full_disk_loses_nothing(tmp_path, monkeypatch):
    path = written(tmp_path / "journal.jsonl")
    journal, before = Journal(path), path.read_bytes()

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(StorageError, match="No space left"):
            journal.append("phase", index=2, name="l2")
    assert path.read_bytes() == before
    journal.append("phase", index=2, name="l2")
    assert [event["n"] for event in read(path)] == [0, 1, 2, 3]


def test_times_are_left_out_of_a_comparison():
    events = [{"n": 0, "time": "a", "seconds": 1.0, "outcomes": {"seconds": 2.0, "passed": ["x"]}}]
    assert without_times(events) == [{"n": 0, "outcomes": {"passed": ["x"]}}]


def test_a_state_is_the_sum_of_its_events(tmp_path):
    state = state_of(read(written(tmp_path / "journal.jsonl")))
    assert (state.tree, state.phase, state.phase_name) == ("t0", 1, "l1:1")
