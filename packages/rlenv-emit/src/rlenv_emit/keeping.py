"""Files of the cache: found if whole and nobody else's, made by one process at a time, thrown away when old."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from rlenv_emit import folder
from rlenv_shared.errors import InvalidParamsError, StorageError

try:
    import fcntl
except ImportError:  # Windows: then several processes make the same file, and the last one stays
    fcntl = None  # type: ignore[assignment]

LIMIT_VARIABLE: Final = "RLENV_EMIT_CACHE_LIMIT"
LIMIT: Final = 2 << 30
"""Bytes that the folder holds at most, unless the variable says otherwise."""
WAIT: Final = 900.0
"""Seconds after which a process no longer waits for another one that makes the same file."""
KEPT: Final = (".so", ".npz", ".cubin", ".json", ".gch")
"""Ends of names of what is kept; nothing else in the folder is touched, but for what is left of killed processes."""
_WORK: Final = ".making-"
_LEFT: Final = re.compile(r"tmp[a-z0-9_]{8}|\..*\.[0-9a-f]{8}\.tmp")
"""What versions before this one left."""
_DAY: Final = 86400.0
_UNITS: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


class Kept(NamedTuple):
    """A file: where it lies, open for as long as it is in use, its content when it was checked, and what that says."""

    path: Path
    file: BinaryIO
    content: bytes
    says: Any = None


def find(name: str, whole: Callable[[bytes], Any]) -> Kept | None:
    """A file of the cache, None if there is none that is whole and this user's or root's.

    Args:
        name: of the file.
        whole: what a content says; False or None where it is not what the name says.
    """
    for place in _places():
        try:
            with folder.opened(place) as number:
                found = _read(place, number, name, whole)
        except OSError:  # whoever makes the file says what is wrong with the folder
            continue
        if found is not None:
            return found
    return None


def names(begin: str, end: str) -> list[str]:
    """Files of the cache whose names begin and end so."""
    found = []
    for place in _places():
        with contextlib.suppress(OSError):
            found += [name for name in sorted(os.listdir(place)) if name.startswith(begin) and name.endswith(end)]
    return found


def _places() -> list[Path]:
    places = []
    with contextlib.suppress(OSError):
        places.append(folder.cache_folder())
    if spare := folder.known_spare():
        places.append(spare)
    return places


def keep(name: str, make: Callable[[Path], Path], whole: Callable[[bytes], Any]) -> Kept:
    """A file of the cache, made if it is not there; another process that makes it is waited for.

    Where the folder cannot be used a temporary one is, and a warning says why.

    Args:
        name: of the file.
        make: what leaves the file in the folder that it is given, and says where; OSError where there is no place.
        whole: what a content says; False or None where it is not what the name says.

    Raises:
        StorageError: there is no temporary folder either.
        InvalidParamsError: $RLENV_EMIT_CACHE_LIMIT is no size.
    """
    limit = size_limit()
    if (found := find(name, whole)) is not None:
        return found
    try:
        return _kept(folder.cache_folder(), name, make, whole, limit)
    except OSError as error:
        folder.warn_of_spare(error)
    try:
        return _kept(folder.spare_folder(), name, make, whole, limit)
    except OSError as error:
        remedy = f"free space, or set {folder.CACHE_VARIABLE} or TMPDIR to a folder with some"
        raise StorageError(f"file {name}", error, "a temporary folder to write it to", remedy) from error


def size_limit() -> int:
    """Bytes that the folder may hold: $RLENV_EMIT_CACHE_LIMIT, such as ``500M`` or ``2G``.

    Raises:
        InvalidParamsError: it is no size.
    """
    given = os.environ.get(LIMIT_VARIABLE, "").strip()
    if not given:
        return LIMIT
    found = re.fullmatch(r"([0-9]{1,15})\s*([KMGT]?)(?:i?B)?", given, re.IGNORECASE)
    if found is None:
        remedy = "leave it out for 2 GiB"
        raise InvalidParamsError(f"${LIMIT_VARIABLE}", repr(given), "bytes, such as 500M or 2G", remedy)
    return int(found[1]) * _UNITS[found[2].upper()]


def _kept(place: Path, name: str, make: Callable[[Path], Path], whole: Callable[[bytes], Any], limit: int) -> Kept:
    with folder.opened(place, make=True) as number, _alone(place / f".{name}.lock"):
        found = _read(place, number, name, whole, aloud=True)  # another process may have made it
        if found is None:
            _sweep(place)
            with _work(place) as work:
                made = make(work)
                made.chmod(0o600)
                os.replace(made, place / name)
            found = _read(place, number, name, whole)
            if found is None:
                raise OSError(f"{place / name} is not what was written")
        _trim(place, name, limit)
        return found


def _read(
    place: Path, number: int | None, name: str, whole: Callable[[bytes], Any], *, aloud: bool = False
) -> Kept | None:
    """A file if it is there, whole and nobody else's; ``aloud``: one that is not is warned of."""
    path = place / name
    try:
        if number is None:
            file = path.open("rb")
        else:  # a pipe in its place would be waited for
            flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
            file = os.fdopen(os.open(name, flags, dir_fd=number), "rb")
    except OSError:  # nothing, or something that `os.replace` or the next reader will complain of
        return None
    try:
        found = folder.check_owner(file.fileno(), f"file {path}")
        if not stat.S_ISREG(found.st_mode):
            raise OSError(f"{path} is no file")
        content = file.read()
        says = whole(content)
        if says is None or says is False:
            raise ValueError(f"{len(content)} bytes that end in {content[-40:]!r}")
    except (OSError, ValueError) as error:
        file.close()
        if aloud:
            expected, remedy = "a whole file of this user's", "nothing needs to be done: it is made again"
            folder.warn_once(f"file {path}", f"cache file {path}", got=error, expected=expected, remedy=remedy)
        return None
    with contextlib.suppress(OSError):
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)  # in use: `_trim` leaves it
        os.utime(path if number is None else file.fileno())
    return Kept(path, file, content, says)


# --- one process at a time -------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold a lock file, which ends with its holder, however that ends; after `WAIT` seconds, go on without."""
    held, until = None, time.monotonic() + WAIT
    while fcntl is not None and held is None and time.monotonic() < until:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with contextlib.suppress(FileNotFoundError):  # it was removed by its last holder meanwhile
                held = file if os.path.samestat(os.fstat(file), os.stat(path)) else None
        except BlockingIOError:
            time.sleep(0.05)
        except OSError:  # a file system without locks
            os.close(file)
            break
        if held is None:
            os.close(file)
    try:
        yield
    finally:
        if held is not None:
            with contextlib.suppress(OSError):
                path.unlink()
            os.close(held)


@contextlib.contextmanager
def _work(place: Path) -> Iterator[Path]:
    """A folder in which something is made; a lock says for as long as its process lives that it is in use."""
    work = place / f"{_WORK}{os.urandom(8).hex()}"
    work.mkdir(folder.PRIVATE)
    try:
        with (work / "lock").open("xb") as lock:
            if fcntl is not None:
                with contextlib.suppress(OSError):
                    fcntl.flock(lock, fcntl.LOCK_EX)
            yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _sweep(place: Path) -> None:
    """Remove what processes left that were killed."""
    for entry in list(os.scandir(place)):
        path = Path(entry.path)
        with contextlib.suppress(OSError):
            old = time.time() - entry.stat(follow_symlinks=False).st_mtime
            if entry.name.startswith(_WORK):
                if _unused(path / "lock", old > _DAY / 24):  # a folder without one is about to get one
                    shutil.rmtree(path, ignore_errors=True)
            elif entry.name.startswith(".") and entry.name.endswith(".lock"):
                if old > _DAY and _unused(path):
                    path.unlink(missing_ok=True)
            elif _LEFT.fullmatch(entry.name) and old > _DAY:
                shutil.rmtree(path) if entry.is_dir(follow_symlinks=False) else path.unlink(missing_ok=True)


def _unused(path: Path, absent: bool = True) -> bool:
    """Whether nobody holds a lock on a file; ``absent``: what to say where there is none."""
    if fcntl is None:
        return False
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    except FileNotFoundError:
        return absent
    except OSError:
        return False


def _trim(place: Path, newest: str, limit: int) -> None:
    """Remove what was not used for longest until the rest is within the limit; what is in use stays."""
    found = []
    for entry in os.scandir(place):
        with contextlib.suppress(OSError):
            if entry.name.endswith(KEPT) and entry.is_file(follow_symlinks=False):
                about = entry.stat(follow_symlinks=False)
                found.append((about.st_mtime_ns, about.st_size, entry.name))
    total = sum(size for _, size, _ in found)
    for _, size, name in sorted(found):
        if total <= limit:
            return
        if name != newest and _unused(place / name):
            with contextlib.suppress(OSError):
                (place / name).unlink()
                total -= size
