"""Compiles a traced function once, keeps the object, and loads it."""

from __future__ import annotations

import ctypes
import dataclasses
import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from rlenv_emit import folder, headers, keeping
from rlenv_emit.compiler import FLAGS, command, compiler, identity, processors, run
from rlenv_emit.cpp.source import LANES, OF_UNIT, source
from rlenv_emit.errors import CompilerError, ObjectFileError
from rlenv_emit.front.trace import program
from rlenv_emit.keeping import Kept
from rlenv_emit.key import key_of
from rlenv_emit.processor import Form
from rlenv_emit.seal import is_sealed, seal_file
from rlenv_shared.errors import explain

BROUGHT: Final = Path(__file__).parent / "objects"
"""Objects that came in the wheel; `rlenv_emit.objects` makes them.  Who can write there can write this file, too."""
PARTS_OF_UNIT: Final = 24
"""Functions from which on one more compiler is worth while: each reads the whole text."""
_DESCRIPTORS: Final = Path("/proc/self/fd")
_loads = itertools.count()


@dataclasses.dataclass(frozen=True)
class Built:
    """A loaded object: its key, the addresses of its entries for XLA and for C, and the file."""

    key: str
    handler: int
    run: int
    path: Path


def build(closed: Any, varying: Sequence[bool], form: Form) -> Built:
    """The loaded object of a closed jaxpr of one lane.

    If the wheel brought it or the cache has it, nothing else is looked at.

    Args:
        closed: the jaxpr.
        varying: for each argument, whether every lane has its own; the others are the same for all.
        form: of the processor.

    Raises:
        UnsupportedError: it uses a primitive, dtype or size that cannot be emitted.
        CompilerError: the object is not there, and cannot be made.
        StorageError: there is no place for it, not even a temporary one.
        ObjectFileError: this system does not load it.
    """
    key = key_of(closed, varying, form, FLAGS)
    found = kept_object(f"{form.name}-{key}", key)
    return built(found or made_object(f"{form.name}-{key}", key, form, lambda: source(program(closed, varying))), key)


def kept_object(name: str, key: str) -> Kept | None:
    """An object of the wheel, or of this machine's compiler in the cache; of any compiler where there is none."""
    for path in sorted(BROUGHT.glob(f"{name}*.so")):
        content = path.read_bytes()
        if is_sealed(content, key):
            return Kept(path, path.open("rb"), content)
    kept = (keeping.find(file, lambda content: is_sealed(content, key)) for file in _names(name))
    return next((found for found in kept if found is not None), None)


def _names(name: str) -> Iterator[str]:
    try:
        yield f"{name}-{identity()}.so"
    except CompilerError:
        yield from keeping.names(f"{name}-", ".so")


def made_object(name: str, key: str, form: Form, text: Callable[[], str], extra: Sequence[str] = ()) -> Kept:
    """An object of the cache, compiled if it is not there.

    Args:
        name: of the file, before the compiler's identity.
        key: with which it is sealed.
        form: of the processor.
        text: gives the C++ text.
        extra: flags.

    Raises:
        CompilerError: there is no compiler, or it failed.
        StorageError: there is no place for it, not even a temporary one.
    """

    def make(work: Path) -> Path:
        return compile_text(text(), form, work, key, extra)

    return keeping.keep(f"{name}-{identity()}.so", make, lambda content: is_sealed(content, key))


def compile_text(text: str, form: Form, work: Path, key: str, extra: Sequence[str] = ()) -> Path:
    """Compile C++ text into a shared object sealed with its key, in a folder of its own.

    Where the text has many parts, this process's processors share them.

    Raises:
        CompilerError: there is no compiler, or it failed.
        OSError: the folder has no place.
    """
    written, made = Path("step.cc"), Path("step.so")  # the folder's own name may be any
    (work / written).write_text(text)
    extra = (*extra, *(headers.include(form, work) if LANES in text and not extra else ()))
    units = min(processors(), 1 + text.count(f"#if {OF_UNIT}(") // PARTS_OF_UNIT)
    if units == 1:
        run([command(form, written, made, extra=extra)], work)
    else:
        objects = [made.with_suffix(f".{unit}.o") for unit in range(units)]
        parts = [
            command(form, written, one, extra=(*extra, "-c", f"-DUNITS={units}", f"-DUNIT={unit}"))
            for unit, one in enumerate(objects)
        ]
        run(parts, work)
        run([[compiler(), *FLAGS, *map(str, objects), *extra, "-o", str(made)]], work)
    seal_file(work / made, key)
    return work / made


def built(kept: Kept, key: str) -> Built:
    """The loaded object of an emitted function; the errors are those of `library`."""
    made = library(kept)
    try:
        handler = _address(made.rlenv_emitted)
        entry = _address(made.rlenv_run) if hasattr(made, "rlenv_run") else 0  # the interpreter has none for C
    except AttributeError as error:
        raise _unloadable(kept.path, error) from None
    return Built(key, handler, entry, kept.path)


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def library(kept: Kept) -> ctypes.CDLL:
    """Load an object that was found whole; the file that was looked at is the file that is loaded.

    Raises:
        ObjectFileError: this system does not load it.
    """
    try:
        return ctypes.CDLL(_path_of(kept))
    except OSError as error:
        if kept.path.parent in (BROUGHT, folder.known_spare()):
            raise _unloadable(kept.path, error) from None
        folder.warn_of_spare(error)  # as where nothing may be executed
    copy = folder.spare_folder() / kept.path.name
    copy.write_bytes(kept.content)
    try:
        return ctypes.CDLL(str(copy))
    except OSError as error:
        raise _unloadable(kept.path, error) from None


def _path_of(kept: Kept) -> str:
    """By which the open file is loaded, whatever its name now leads to; no two alike, by which the loader would go."""
    number = os.dup(kept.file.fileno())  # open to the process's end: so it is not thrown away
    kept.file.close()
    if not _DESCRIPTORS.exists():
        return str(kept.path)
    return f"{_DESCRIPTORS}/{'./' * (next(_loads) % 1000)}{number}"


def _unloadable(path: Path, error: Exception) -> ObjectFileError:
    remedy = f"let {folder.CACHE_VARIABLE} or TMPDIR name a folder from which programs may be loaded"
    return ObjectFileError(explain(f"object {path}", got=error, expected="one that loads", remedy=remedy))
