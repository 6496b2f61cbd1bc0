"""Compiles a traced function once, keeps the object, and loads it."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import jax

from rlenv_emit.cpp.source import OF_UNIT, source
from rlenv_emit.errors import CompilerError, ObjectFileError
from rlenv_emit.front.trace import program
from rlenv_emit.key import key_of
from rlenv_emit.processor import Form
from rlenv_shared.errors import explain

HEADERS: Final = Path(__file__).parent / "cpp"
BROUGHT: Final = Path(__file__).parent / "objects"
"""Objects that came in the wheel; `rlenv_emit.objects` makes them."""
CACHE_VARIABLE: Final = "RLENV_EMIT_CACHE"
FLAGS: Final = (
    "-std=c++17", "-O1", "-shared", "-fPIC", "-w", "-fvisibility=hidden", "-static-libstdc++", "-static-libgcc",
    "-fwrapv",  # signed numbers wrap
    "-fno-strict-aliasing",
    "-ffp-contract=off", "-fno-math-errno",  # no fused multiply-add
    "-fsignaling-nans",  # x * 1 is not x where x is a denormal number that the multiplication flushes
)  # fmt: skip


PARTS_OF_UNIT: Final = 24
"""Functions from which on one more compiler is worth while: each reads the whole text."""


@dataclasses.dataclass(frozen=True)
class Built:
    """A loaded object: its key, the addresses of its entries for XLA and for C, and the file."""

    key: str
    handler: int
    run: int
    path: Path


def cache_folder() -> Path:
    """Where objects are kept: $RLENV_EMIT_CACHE, or the user's cache folder."""
    given = os.environ.get(CACHE_VARIABLE)
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rlenv-emit"


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@functools.cache
def compiler() -> str:
    """The C++ compiler: $CXX, g++, clang++ or c++.

    Raises:
        CompilerError: there is none.
    """
    for name in (os.environ.get("CXX"), "g++", "clang++", "c++"):
        if name and (found := shutil.which(name)):
            return found
    remedy = 'install g++ or clang++, or set CXX; or leave out backend="emit", and XLA compiles the step'
    raise CompilerError(explain("C++ compiler", got="none on PATH", expected="g++ or clang++", remedy=remedy))


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
        ObjectFileError: the file in the cache is not what its name says.
    """
    key = key_of(closed, varying, form, FLAGS)
    name = f"{form.name}-{key}.so"
    if (path := BROUGHT / name).exists():
        return load(path, key)
    path = cache_folder() / name
    if not path.exists():
        compile_text(source(program(closed, varying)), form, path, key)
    return load(path, key)


def command(
    form: Form, text: Path, made: Path, *, shared: bool = True, extra: Sequence[str] = (), cxx: str | None = None
) -> list[str]:
    """What compiles a C++ file into a shared object, or into a program; ``cxx`` instead of this machine's compiler."""
    prefer = ("-mprefer-vector-width=512",) if form.name == "avx512" else ()
    flags = [flag for flag in FLAGS if shared or flag != "-shared"]
    include = (f"-I{HEADERS}", f"-I{jax.ffi.include_dir()}")
    machine = (f"-march={form.march}", *prefer, f"-DLANES={form.lanes}")
    return [cxx or compiler(), *flags, *machine, *extra, *include, str(text), "-o", str(made)]


def compile_text(text: str, form: Form, path: Path, key: str, extra: Sequence[str] = ()) -> None:
    """Compile C++ text into a shared object sealed with its key; the file appears complete or not at all.

    Where the text has many parts, this process's processors share them.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        written, made = Path(folder) / "step.cc", Path(folder) / "step.so"
        written.write_text(text)
        units = min(processors(), 1 + text.count(f"#if {OF_UNIT}(") // PARTS_OF_UNIT)
        if units == 1:
            _run([command(form, written, made, extra=extra)])
        else:
            objects = [made.with_suffix(f".{unit}.o") for unit in range(units)]
            _run(
                command(form, written, one, extra=(*extra, "-c", f"-DUNITS={units}", f"-DUNIT={unit}"))
                for unit, one in enumerate(objects)
            )
            _run([[compiler(), *FLAGS, *map(str, objects), *extra, "-o", str(made)]])
        with made.open("ab") as file:  # what follows an object's sections is nothing to the loader
            file.write(_seal(made.read_bytes(), key))
        made.replace(path)


def _run(commands: Iterable[Sequence[str]]) -> None:
    """Run compilers beside one another.  Raises CompilerError: one of them failed."""
    running = [subprocess.Popen(one, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for one in commands]
    said = [process.communicate()[1] for process in running]
    for process, text in zip(running, said, strict=True):
        if process.returncode:
            got, remedy = f"exit status {process.returncode}: {text[-2000:]}", f"try {compiler()} by hand"
            raise CompilerError(explain("C++ compiler", got=got, expected="0", remedy=remedy))


def _seal(content: bytes, key: str) -> bytes:
    return f"\nrlenv-emit {key} {hashlib.sha256(content + key.encode()).hexdigest()}\n".encode()


def load(path: Path, key: str) -> Built:
    """Load the object of an emitted function; the errors are those of `library`."""
    made = library(path, key)
    try:
        handler, run = (ctypes.cast(f, ctypes.c_void_p).value or 0 for f in (made.rlenv_emitted, made.rlenv_run))
    except AttributeError as error:
        raise _unloadable(path, error) from None
    return Built(key, handler, run, path)


def library(path: Path, key: str) -> ctypes.CDLL:
    """Load a sealed object.

    Raises:
        ObjectFileError: it is damaged, or of another program.
    """
    whole, length = path.read_bytes(), len(_seal(b"", key))
    if whole[-length:] != _seal(whole[:-length], key):  # loading a damaged object would crash
        found = whole[-length:][:60]
        raise ObjectFileError(
            explain(
                f"object {path}",
                got=f"a file that ends in {found!r}",
                expected=f"the seal of {key}",
                remedy="delete the file",
            )
        )
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise _unloadable(path, error) from None


def _unloadable(path: Path, error: Exception) -> ObjectFileError:
    remedy = "delete the file"
    return ObjectFileError(explain(f"object {path}", got=error, expected="one that loads", remedy=remedy))
