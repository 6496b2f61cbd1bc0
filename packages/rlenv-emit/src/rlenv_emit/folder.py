"""The folder in which objects and programs are kept, and the temporary one that stands in for it.

Whoever can write to the folder decides what a process runs.  So it must belong to this process's user, or to root, and
nobody else may write to it; that is asked of the opened folder, whose files are then opened through it.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import stat
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from rlenv_emit.errors import CacheWarning
from rlenv_shared.errors import explain

CACHE_VARIABLE: Final = "RLENV_EMIT_CACHE"
PRIVATE: Final = 0o700
OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
_spare: list[tuple[int, Path]] = []
_warned: set[str] = set()


def cache_folder() -> Path:
    """Where objects are kept: $RLENV_EMIT_CACHE, ``~`` expanded, or ``rlenv-emit`` in the user's cache folder.

    Raises:
        OSError: it depends on a home or working directory that there is not.
    """
    given = os.environ.get(CACHE_VARIABLE)
    try:
        if given:
            return Path(given).expanduser().absolute()
        user = os.environ.get("XDG_CACHE_HOME", "")
        base = Path(user) if os.path.isabs(user) else Path.home() / ".cache"
    except RuntimeError as error:  # no home
        raise FileNotFoundError(str(error)) from None
    return base.absolute() / "rlenv-emit"


def spare_folder() -> Path:
    """This process's temporary folder, removed at its end.  Raises OSError: there is no place for one."""
    if not _spare or _spare[0][0] != os.getpid() or not _spare[0][1].is_dir():
        _spare[:] = [(os.getpid(), Path(tempfile.mkdtemp(prefix="rlenv-emit-")))]
    return _spare[0][1]


@atexit.register
def _removed() -> None:
    for process, path in _spare:
        if process == os.getpid():  # a forked process leaves its parent's alone
            shutil.rmtree(path, ignore_errors=True)


def known_spare() -> Path | None:
    """The temporary folder, if there is one by now."""
    return _spare[0][1] if _spare else None


def warn_once(subject: str, what: str, *, got: object, expected: str, remedy: str) -> None:
    """Say once in a process what is wrong with something."""
    if subject not in _warned:
        _warned.add(subject)
        warnings.warn(explain(what, got=got, expected=expected, remedy=remedy), CacheWarning, stacklevel=2)


def warn_of_spare(error: Exception) -> None:
    """Say once that the folder cannot be used."""
    try:
        named = str(cache_folder())
    except OSError:
        named = os.environ.get(CACHE_VARIABLE) or "~/.cache/rlenv-emit"
    remedy = (
        f"set {CACHE_VARIABLE} to one; until then a temporary folder is used, and the next process makes everything "
        "again"
    )
    expected = "one that this user owns, can write to, and nobody else can"
    warn_once(f"folder {named}", f"cache folder {named!r}", got=error, expected=expected, remedy=remedy)


@contextlib.contextmanager
def opened(path: Path, *, make: bool = False) -> Iterator[int | None]:
    """The folder's descriptor, None where the system has none of folders.

    Args:
        path: of the folder.
        make: it, with mode 0700, where it is not there.

    Raises:
        OSError: there is none, or others can write to it.
    """
    if make:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(PRIVATE, exist_ok=True)
    if os.open not in os.supports_dir_fd:
        yield None
        return
    number = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        check_owner(number, f"folder {path}")
        yield number
    finally:
        os.close(number)


def check_owner(number: int, what: str) -> os.stat_result:
    """What an open file is like.  Raises PermissionError: it is another user's, or others can write to it."""
    found = os.fstat(number)
    if hasattr(os, "geteuid") and found.st_uid not in (0, os.geteuid()):
        raise PermissionError(f"{what} belongs to user {found.st_uid}, not to {os.geteuid()} or root")
    if os.name == "posix" and found.st_mode & OTHERS_WRITE:
        raise PermissionError(f"{what} can be written to by others (mode {stat.S_IMODE(found.st_mode):04o})")
    return found
