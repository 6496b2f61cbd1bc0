"""The cache's folder: what is wrong with it costs a warning and a compilation; what is another user's never runs."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import pytest

from rlenv_emit import build, compiler, emit, folder, keeping, processor
from rlenv_emit.errors import CacheWarning
from rlenv_emit.seal import is_sealed
from rlenv_shared.errors import InvalidParamsError, StorageError

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]
FORMS = (None, "bytecode")
OTHER = 65534
"""A user that is not this one."""
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


def five(form: str | None = None) -> int:
    """A function of its own each time, whose object or code nobody has in memory."""
    return int(emit(lambda x: x * 3 + 2, jnp.int32(0), form=form)(jnp.int32(1)))


@pytest.fixture(autouse=True)
def anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing has been warned of, there is no temporary folder, and XLA knows no object."""
    monkeypatch.setattr(folder, "_warned", set())
    monkeypatch.setattr(folder, "_spare", [])
    compiler.identity.cache_clear()
    yield
    compiler.identity.cache_clear()


def a_file(path: Path) -> Path:
    path.write_bytes(b"")
    return path


def dangling(path: Path) -> Path:
    path.symlink_to(path.with_name("nothing") / "there")
    return path


def open_to_all(path: Path) -> Path:
    path.mkdir()
    path.chmod(0o777)
    return path


UNUSABLE: dict[str, Callable[[Path], Any]] = {
    "a file in its place": a_file,
    "below a file": lambda path: a_file(path) / "below",
    "a link to nothing": dangling,
    "read-only": lambda path: Path("/proc/rlenv"),
    "a device": lambda path: Path("/dev/null"),
    "a name too long": lambda path: path / ("x" * 300),
    "no such user": lambda path: "~nobody-of-this-name/cache",
    "others write": open_to_all,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("wrong", UNUSABLE)
def test_a_temporary_folder_stands_in_with_one_warning(
    wrong: str, form: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = str(UNUSABLE[wrong](tmp_path / "cache"))
    monkeypatch.setenv(folder.CACHE_VARIABLE, named)
    with pytest.warns(CacheWarning) as warned:
        assert [five(form), five(form)] == [5, 5]
    (message,) = [str(one.message) for one in warned]
    assert f"cache folder {named!r}: got " in message
    assert f"set {folder.CACHE_VARIABLE} to one" in message


def test_no_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (folder.CACHE_VARIABLE, "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError("no home")))
    with pytest.warns(CacheWarning, match="no home") as warned:
        assert five("bytecode") == 5
    assert len(warned) == 1


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
@pytest.mark.parametrize("form", FORMS)
def test_a_disk_that_is_full_in_the_middle_of_a_write(
    form: str | None, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(folder.CACHE_VARIABLE, str(tmp_path))
    replace = os.replace

    def full(old: Any, new: Any) -> None:
        if Path(new).parent == tmp_path:
            raise OSError(number, os.strerror(number))
        replace(old, new)

    monkeypatch.setattr(os, "replace", full)
    with pytest.warns(CacheWarning, match=os.strerror(number)) as warned:
        assert five(form) == 5
    assert len(warned) == 1
    assert not list(tmp_path.iterdir())


def test_a_compiler_that_finds_no_place(tmp_path: Path) -> None:
    says = [sys.executable, "-c", "import sys; sys.exit('as: error: No space left on device')"]
    with pytest.raises(OSError, match="No space left"):
        compiler.run([says], tmp_path)


def test_no_place_at_all_is_a_typed_error_but_for_instructions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(folder.CACHE_VARIABLE, str(a_file(tmp_path / "file")))

    def nowhere() -> Path:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(folder, "spare_folder", nowhere)
    with pytest.warns(CacheWarning):
        assert five("bytecode") == 5
    with pytest.raises(StorageError, match="TMPDIR"):
        five()


@pytest.mark.parametrize("form", FORMS)
def test_a_folder_in_the_place_of_a_file(form: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(folder.CACHE_VARIABLE, str(tmp_path))
    five(form)
    for path in list(tmp_path.iterdir()):
        path.unlink()
        path.mkdir()
        (path / "full").touch()
    compiler.identity.cache_clear()
    with pytest.warns(CacheWarning, match="cache folder"):
        assert five(form) == 5


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(folder.CACHE_VARIABLE, str(tmp_path))
    os.mkfifo(tmp_path / "one")
    assert keeping.find("one", lambda content: True) is None


def test_names_that_lead_somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The home folder is meant by ``~``; any characters do; a folder that is removed is made again."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name, path in (("~/a", "a"), ("rel/ative", "rel/ative"), ('it\'s a "%s" ñ\n@#,', None), ("-o", None)):
            monkeypatch.setenv(folder.CACHE_VARIABLE, name)
            assert five() == 5
            assert list((tmp_path / (path or name)).glob("*.so"))
        for path in (tmp_path / "-o").iterdir():
            path.unlink()
        (tmp_path / "-o").rmdir()
        assert five("bytecode") == 5
        monkeypatch.setenv(folder.CACHE_VARIABLE, "")
        monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
        assert folder.cache_folder() == tmp_path / ".cache" / "rlenv-emit"
    assert not (tmp_path / "~").exists()


def test_the_folder_is_made_for_this_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(folder.CACHE_VARIABLE, str(tmp_path / "new"))
    before = os.umask(0)
    try:
        five()
    finally:
        os.umask(before)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o077 for path in (tmp_path / "new").iterdir()} == {0}


# --- what is another user's -------------------------------------------------------------------------------------------

PLANTED = """
#include <stdio.h>
extern "C" __attribute__((visibility("default"))) int rlenv_emitted() { return 0; }
extern "C" __attribute__((visibility("default"))) int rlenv_run() { return 0; }
__attribute__((constructor)) static void planted() { fclose(fopen("%s", "w")); }
"""


def planted(at: Path, proof: Path, tmp_path: Path) -> None:
    """A whole object in the place of another one, whose constructor leaves a proof that it ran."""
    key = at.name.split("-")[1]
    work = tmp_path / "work"
    work.mkdir()
    made = build.compile_text(PLANTED % proof, processor.best(), work, key)
    assert is_sealed(made.read_bytes(), key)
    at.unlink()
    at.write_bytes(made.read_bytes())


@as_root
@pytest.mark.parametrize("whose", ["another user's file", "others write to the file", "another user's folder"])
def test_a_planted_object_never_runs(whose: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, proof = tmp_path / "shared", tmp_path / "ran"
    monkeypatch.setenv(folder.CACHE_VARIABLE, str(place))
    five()
    (path,) = place.glob("*.so")
    planted(path, proof, tmp_path)
    path.chmod(0o666 if whose == "others write to the file" else 0o600)
    if whose == "another user's file":
        os.chown(path, OTHER, OTHER)
    elif whose == "another user's folder":
        os.chown(place, OTHER, OTHER)
    script = """
import jax.numpy as jnp
from rlenv_emit import emit
print(emit(lambda x: x * 3 + 2, jnp.int32(0))(jnp.int32(1)))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert not proof.exists()
    assert done.stdout.split() == ["5"], done.stderr
    assert done.stderr.count("CacheWarning: ") == 1, done.stderr


# --- several processes, and what they leave ---------------------------------------------------------------------------


def test_several_processes_make_a_file_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = """
import sys, time
from pathlib import Path
from rlenv_emit import keeping
def make(work):
    (Path(sys.argv[1]) / f"made-{time.monotonic_ns()}").touch()
    time.sleep(1)
    (work / "x").write_bytes(b"whole")
    return work / "x"
print(keeping.keep("x.npz", make, lambda content: content == b"whole").content.decode())
"""
    environment = {**os.environ, folder.CACHE_VARIABLE: str(tmp_path / "cache")}
    command = [sys.executable, "-c", script, str(tmp_path)]
    running = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [process.communicate()[0].strip() for process in running] == ["whole"] * 3
    assert len(list(tmp_path.glob("made-*"))) == 1
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["x.npz"]


def test_a_killed_maker_is_followed_and_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = """
import time
from rlenv_emit import keeping
def make(work):
    (work / "half").write_bytes(b"ha")
    print("half", flush=True)
    time.sleep(600)
keeping.keep("x.npz", make, lambda content: True)
"""
    monkeypatch.setenv(folder.CACHE_VARIABLE, str(tmp_path))
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "half\n"
    assert len(list(tmp_path.iterdir())) == 2  # its lock and its folder
    process.kill()
    process.wait()
    old = tmp_path / "tmpab12cd_3"  # as versions before left them
    old.mkdir()
    os.utime(old, (0, 0))
    kept = keeping.keep("x.npz", lambda work: written(work, b"whole"), lambda content: content == b"whole")
    assert kept.content == b"whole"
    assert [path.name for path in tmp_path.iterdir()] == ["x.npz"]


def test_a_holder_is_waited_for_within_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "WAIT", 0.3)
    with keeping._alone(tmp_path / ".x.lock"):
        begin = time.monotonic()
        with keeping._alone(tmp_path / ".x.lock"):
            assert 0.3 <= time.monotonic() - begin < 60


def written(work: Path, content: bytes) -> Path:
    (work / "x").write_bytes(content)
    return work / "x"


def test_what_was_not_used_for_longest_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(folder.CACHE_VARIABLE, str(tmp_path))
    (tmp_path / "notes.txt").write_bytes(bytes(5000))  # nobody's business
    for number in range(3):
        keeping.keep(f"{number}.npz", lambda work: written(work, bytes(1000)), lambda content: True).file.close()
        os.utime(tmp_path / f"{number}.npz", (number, number))
    in_use = keeping.find("0.npz", lambda content: True)
    assert in_use is not None
    os.utime(tmp_path / "0.npz", (0, 0))
    keeping.find("1.npz", lambda content: True).file.close()  # type: ignore[union-attr]
    monkeypatch.setenv(keeping.LIMIT_VARIABLE, "3K")
    keeping.keep("3.npz", lambda work: written(work, bytes(1000)), lambda content: True).file.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.npz", "1.npz", "3.npz", "notes.txt"]
    in_use.file.close()
    monkeypatch.setenv(keeping.LIMIT_VARIABLE, "0")
    keeping.keep("4.npz", lambda work: written(work, bytes(1000)), lambda content: True).file.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["4.npz", "notes.txt"]


@pytest.mark.parametrize("given", ["-1", "much", "1.5G", "G", "2X"])
def test_a_limit_that_is_no_size(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(keeping.LIMIT_VARIABLE, given)
    with pytest.raises(InvalidParamsError, match="RLENV_EMIT_CACHE_LIMIT"):
        keeping.size_limit()


def test_another_compiler_has_another_object(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is known by its file and what it says; it is asked once."""
    monkeypatch.setenv(folder.CACHE_VARIABLE, str(tmp_path / "cache"))
    fake, asked = tmp_path / "g++", tmp_path / "asked"
    seen = []
    for version in ("12", "12", "13"):
        if not seen or version == "13":
            fake.write_text(f"#!/bin/sh\necho >> {asked}\necho fake {version}\n")
            fake.chmod(0o755)
        monkeypatch.setattr(compiler, "compiler", lambda: str(fake))
        compiler.identity.cache_clear()
        seen.append(compiler.identity())
    assert seen[0] == seen[1] != seen[2]
    assert len(asked.read_text().splitlines()) == 4  # twice each of two
