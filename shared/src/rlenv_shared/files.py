"""Files that hold what was written or say why not: typed errors, whole writes, contents sealed by SHA-256, locks."""

from __future__ import annotations

import codecs
import contextlib
import dataclasses
import hashlib
import io
import json
import math
import os
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from rlenv_shared.errors import EnvError, InvalidParamsError, SnapshotVersionError, StorageError

HEADER: Final = "__header__"  # name of the array that holds an npz file's JSON header
SEAL: Final = "sha256"  # its entry, and that of every JSON file, with the digest of all else


@contextlib.contextmanager
def reading(what: str, expected: str, remedy: str) -> Iterator[None]:
    """Turn whatever a missing, damaged or foreign file makes its decoders raise into a SnapshotVersionError."""
    try:
        yield
    except SnapshotVersionError:
        raise
    except Exception as error:  # decoders raise anything: struct.error, NotImplementedError, MemoryError, …
        got = str(error) if isinstance(error, EnvError) else f"{type(error).__name__}: {str(error)[:300]}"
        got = "no such file" if isinstance(error, FileNotFoundError) else got
        raise SnapshotVersionError(what, got, expected, remedy) from error


@contextlib.contextmanager
def storing(path: str | Path, kind: type[Exception] = OSError) -> Iterator[None]:
    """Turn a full disk, a forbidden or a wrong path into a StorageError; ``kind``: what the writer raises then."""
    try:
        yield
    except kind as error:
        if isinstance(error, EnvError):
            raise
        remedy = "free or allow the space, or choose another path"
        raise StorageError(f"file {path}", error, "a place to write to", remedy) from error


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[IO[bytes]]:
    """A file to write, which takes the place of ``path`` when the block has ended: the old content or the new, whole.

    Raises StorageError: it cannot be written there; what was there is untouched.
    """
    path = Path(path)
    with storing(path):
        if not path.name or "\0" in path.name:
            raise OSError(f"{str(path)!r} names no file")
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{os.urandom(4).hex()}.tmp")
        try:
            with temporary.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        directory = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(directory)  # makes the rename itself durable
        finally:
            os.close(directory)


@contextlib.contextmanager
def locked(path: str | Path, *, wait: bool = True) -> Iterator[None]:
    """Hold a lock file while alive; InvalidParamsError: held and not ``wait``; StorageError: it cannot be made."""
    import fcntl  # of POSIX alone, and loading a policy needs none

    path = Path(path)
    with contextlib.ExitStack() as stack:
        with storing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            file = stack.enter_context(path.open("a"))
            try:
                fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            except BlockingIOError as error:
                raise InvalidParamsError(f"lock {path}", "held by another run", "free", "wait for its end") from error
        yield


def decoded(content: bytes, what: str, longest: int = 1 << 20) -> str:
    """The text of a file that people wrote: UTF-8, or UTF-16 that begins with its mark; marks are left out.

    Raises InvalidParamsError: more than ``longest`` bytes, or no such text; with the number of the line.
    """
    if len(content) > longest:
        raise InvalidParamsError(what, f"{len(content):,} bytes or more", f"at most {longest:,}", "give a shorter file")
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return content.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = 1 + content.count(b"\n", 0, error.start)
        raise InvalidParamsError(f"{what}, line {line}", error, "a text in UTF-8", "save it as UTF-8") from None


def digest(header: Mapping[str, Any], parts: Iterable[tuple[str, bytes]] = ()) -> str:
    """SHA-256 over the entries of a JSON header, except its seal, and over named contents in the order of names."""
    rest = {key: value for key, value in header.items() if key != SEAL}
    result = hashlib.sha256(json.dumps(rest, sort_keys=True).encode())
    for name, content in sorted(parts):
        result.update(f"\0{name}\0{len(content)}\0".encode())
        result.update(content)
    return result.hexdigest()


def check_seal(header: Mapping[str, Any], parts: Iterable[tuple[str, bytes]] = ()) -> dict[str, Any]:
    """The header without its seal.  Raises ValueError: no seal, or that of other content."""
    if SEAL not in header:
        raise ValueError(f"no {SEAL}, so nobody can tell whether this is what was written")
    if header[SEAL] != digest(header, parts):
        raise ValueError(f"content other than what was written ({SEAL} {header[SEAL]!r})")
    return {key: value for key, value in header.items() if key != SEAL}


def to_json(what: str, value: Any) -> bytes:
    """A value as JSON, in one line.  Raises InvalidParamsError: JSON has no such value."""
    try:
        return json.dumps(value, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        remedy = "convert arrays to lists, and leave NaN and infinities out"
        raise InvalidParamsError(what, error, "JSON values", remedy) from error


def plain(what: str, value: Any) -> Any:
    """A value as JSON gives it back; errors as `to_json`."""
    return parse_json(to_json(what, value))


def parse_json(text: str | bytes, *, special: bool = False) -> Any:
    """JSON in UTF-8, no key twice, no number beyond float64, NaN and infinities if ``special``; else ValueError."""
    return (_WITH_SPECIAL if special else _STRICT).decode(text.decode() if isinstance(text, bytes) else text)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"key {next(name for name in names if names.count(name) > 1)!r} twice")
    return found


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"number {text[:40]} beyond float64")
    return value


def _refused(text: str) -> NoReturn:
    raise ValueError(f"number {text}")


_STRICT: Final = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_finite, parse_constant=_refused)
_WITH_SPECIAL: Final = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_finite, parse_constant=float)


def sealed(path: str | Path, record: Mapping[str, Any]) -> dict[str, Any]:
    """What is written to a file: a JSON object with its digest; errors as `to_json`."""
    content = plain(f"file {path}", record)
    return {**content, SEAL: digest(content)}


def write_json(path: str | Path, record: Mapping[str, Any]) -> None:
    """Write a sealed JSON object.  Raises InvalidParamsError: it is no JSON; StorageError: no place to write to."""
    with replacing(path) as file:
        file.write(json.dumps(sealed(path, record), indent=1).encode() + b"\n")


def read_json(path: str | Path) -> dict[str, Any]:
    """Read a JSON object and check its seal; anything may be raised, so read inside `reading`."""
    content = parse_json(Path(path).read_bytes())
    if not isinstance(content, dict):
        raise ValueError(f"a JSON {type(content).__name__}, no object")
    return check_seal(content)


@dataclasses.dataclass(frozen=True)
class JsonFormat:
    """A kind of sealed JSON file: an object that begins with ``format`` and ``schema``."""

    name: str  # value of ``format``
    schema: int  # version; a file of another one is refused
    what: str  # names such a file in errors
    remedy: str  # what to do about one that cannot be read
    check: Callable[[dict[str, Any]], object]  # is given the content; raises anything where it is not as it must be

    @property
    def head(self) -> dict[str, Any]:
        """What a content begins with."""
        return {"format": self.name, "schema": self.schema}

    @contextlib.contextmanager
    def reading(self, path: object) -> Iterator[None]:
        """Turn what is raised into a SnapshotVersionError that names the file."""
        with reading(f"{self.what} {path}", f"a whole {self.name} file of schema {self.schema}", self.remedy):
            yield

    def checked(self, path: object, content: Any) -> dict[str, Any]:
        """A content that is as it must be.  Raises SnapshotVersionError: it is not."""
        with self.reading(path):
            found = (content.get("format"), content.get("schema")) if isinstance(content, dict) else content
            if found != (self.name, self.schema):
                raise ValueError(f"format and schema {found!r:.80}")
            self.check(content)
        return content

    def read(self, path: str | Path) -> dict[str, Any]:
        """Read and check a file.  Raises SnapshotVersionError: missing, corrupt, foreign or of another version."""
        with self.reading(path):
            content = read_json(path)
        return self.checked(path, content)

    def write(self, path: str | Path, content: Mapping[str, Any]) -> None:
        """Check and write.  Raises SnapshotVersionError: it could not be read again; else as `write_json`."""
        write_json(path, self.checked(path, dict(content)))


def write_npz(
    path: str | Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], *, compress: bool = False
) -> None:
    """Write named arrays and a sealed JSON header as npz, equal bytes for equal content; errors as `write_json`."""
    content = plain(f"header of {path}", header)
    parts = {name: _to_npy(array) for name, array in arrays.items()}
    text = json.dumps({**content, SEAL: digest(content, parts.items())})
    parts[HEADER] = _to_npy(np.frombuffer(text.encode(), np.uint8))
    method = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    with replacing(path) as file, zipfile.ZipFile(file, "w") as archive:
        for name, part in parts.items():
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), part, method)  # ZipInfo's date is always the same


def read_npz(path: str | Path | IO[bytes]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read ``(header, arrays)`` and check the seal; anything may be raised, so read inside `reading`."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        parts = {name.removesuffix(".npy"): archive.read(name) for name in names}  # to the end: so checksums are read
    if len(parts) != len(names):
        raise ValueError("an array twice")
    header = parse_json(_from_npy(parts.pop(HEADER)).tobytes())
    if not isinstance(header, dict):
        raise ValueError("another header")
    return check_seal(header, parts.items()), {name: _from_npy(part) for name, part in parts.items()}


def _to_npy(array: NDArray[Any]) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asanyarray(array), allow_pickle=False)
    return stream.getvalue()


def _from_npy(content: bytes) -> NDArray[Any]:
    stream = io.BytesIO(content)
    array = np.lib.format.read_array(stream, allow_pickle=False)
    if stream.read(1):
        raise ValueError("bytes behind an array")
    return array
