"""Files are written whole or not at all, and say why; locks end with their process."""

from __future__ import annotations

import contextlib
import io
import resource
import signal
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from rlenv_shared import files
from rlenv_shared.errors import InvalidParamsError, SnapshotVersionError, StorageError
from rlenv_shared.verification import jsonl
from rlenv_shared.verification.trajectory import Trajectory

pytestmark = pytest.mark.l1

NOISE = np.random.default_rng(0).integers(0, 2**31, (200, 9), np.int32)  # 7 kB that no compression makes smaller


def recording(rows):
    return Trajectory({"action": NOISE[:rows], "terminated": np.zeros((rows, 9), np.bool_)})


def content(found):
    return {name: array.tolist() for name, array in found.steps.items()}


def reading(path, read):
    with files.reading(f"file {path}", "a file", "write it again"):
        return read(path)


# how to write something of a size, and read it as something that equals itself
KINDS = {
    "json": (
        lambda path, size: files.write_json(path, {"x": NOISE[:size].tolist()}),
        lambda path: reading(path, files.read_json),
    ),
    "npz": (
        lambda path, size: files.write_npz(path, {"size": size}, {"x": NOISE[:size]}),
        lambda path: str(reading(path, files.read_npz)),
    ),
    "recording.npz": (lambda path, size: recording(size).save(path), lambda path: content(Trajectory.load(path))),
    "recording.jsonl": (lambda path, size: jsonl.write(recording(size), path), lambda path: content(jsonl.read(path))),
}


@contextlib.contextmanager
def full_disk(size=4096):
    """No file of this process grows beyond a size."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("kind", KINDS)
def test_a_full_disk_leaves_the_old_file_as_it_was(tmp_path, kind):
    write, read = KINDS[kind]
    path = tmp_path / "new" / "file"  # the folder is made
    write(path, 3)
    before = path.read_bytes()
    with full_disk(), pytest.raises(StorageError, match=r"file .*file: got .*; free"):
        write(path, 200)
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == ["file"]
    write(path, 200)
    assert path.stat().st_size > 4096
    read(path)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", ["folder", "file/below", "x" * 300, "nul\0", "", "/proc/self/nothing"])
def test_wrong_paths_are_typed(tmp_path, kind, place):
    write, read = KINDS[kind]
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("something")
    path = tmp_path / place if place else ""
    with pytest.raises(StorageError):
        write(path, 3)
    with pytest.raises(SnapshotVersionError):
        read(path)
    assert (tmp_path / "file").read_text() == "something"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["file", "folder"]


@pytest.mark.parametrize("kind", KINDS)
def test_missing_and_empty_files_are_refused(tmp_path, kind):
    read = KINDS[kind][1]
    with pytest.raises(SnapshotVersionError, match="no such file"):
        read(tmp_path / "missing")
    (tmp_path / "empty").touch()
    with pytest.raises(SnapshotVersionError):
        read(tmp_path / "empty")


def test_equal_content_gives_equal_bytes(tmp_path):
    for name in ("a", "b"):
        recording(5).save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_what_fails_inside_leaves_nothing(tmp_path):
    with pytest.raises(TypeError), files.replacing(tmp_path / "x") as file:
        file.writelines([b"half", None])
    assert not list(tmp_path.iterdir())


def packed(members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, member in members:
            archive.writestr(name, member)
    return stream.getvalue()


EDITS = {
    "an array missing": lambda members: members[1:],
    "an array twice": lambda members: [*members, members[0]],
    "an array more": lambda members: [*members, ("z.npy", members[0][1])],
    "another name": lambda members: [("z.npy", members[0][1]), *members[1:]],
    "two exchanged": lambda members: [(members[0][0], members[1][1]), (members[1][0], members[0][1]), *members[2:]],
    "another value": lambda members: [(members[0][0], members[0][1][:-1] + b"\7"), *members[1:]],
    "bytes behind": lambda members: [(members[0][0], members[0][1] + b"\0"), *members[1:]],
    "no header": lambda members: members[:-1],
}


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("edit", EDITS)
def test_archives_packed_anew_are_refused(tmp_path, edit):
    path = tmp_path / "x.npz"
    files.write_npz(path, {}, {"a": np.arange(3), "b": np.arange(3) + 1})
    with zipfile.ZipFile(path) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    path.write_bytes(packed(members))
    assert sorted(reading(path, files.read_npz)[1]) == ["a", "b"]
    path.write_bytes(packed(EDITS[edit](members)))
    with pytest.raises(SnapshotVersionError):
        reading(path, files.read_npz)


def test_files_without_a_seal_are_refused_as_those_with_a_wrong_one(tmp_path):
    (tmp_path / "x.json").write_text('{"a": 1}')
    with pytest.raises(SnapshotVersionError, match="no sha256"):
        reading(tmp_path / "x.json", files.read_json)
    (tmp_path / "x.json").write_text("[1, 2]")
    with pytest.raises(SnapshotVersionError, match="a JSON list, no object"):
        reading(tmp_path / "x.json", files.read_json)
    header = np.frombuffer(b'{"b": 2}', np.uint8)
    np.savez_compressed(tmp_path / "x.npz", __header__=header, x=np.arange(3))
    with pytest.raises(SnapshotVersionError, match="no sha256"):
        reading(tmp_path / "x.npz", files.read_npz)


HOLDER = """
import sys, time
from rlenv_shared import files
with files.locked(sys.argv[1]):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_lock_ends_with_the_process_that_holds_it(tmp_path):
    path = tmp_path / "runs" / "lock"
    refused = pytest.raises(InvalidParamsError, match="held by another run")
    with files.locked(path, wait=False), refused, files.locked(path, wait=False):
        pass
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(InvalidParamsError, match="held by another run"), files.locked(path, wait=False):
            pass
        holder.send_signal(signal.SIGKILL)
        with files.locked(path):  # waits
            pass
    with files.locked(path, wait=False):
        pass
    with pytest.raises(StorageError), files.locked(tmp_path):
        pass
