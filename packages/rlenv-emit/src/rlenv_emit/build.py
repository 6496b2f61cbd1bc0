"""Compiles the text of a program once, keeps the object, and loads it."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

import jax

from rlenv_emit import ir
from rlenv_emit.cpp.source import source
from rlenv_emit.errors import CompilerError, ObjectFileError
from rlenv_emit.processor import Form
from rlenv_shared.errors import explain

HEADERS: Final = Path(__file__).parent / "cpp"
CACHE_VARIABLE: Final = "RLENV_EMIT_CACHE"
FLAGS: Final = (
    "-std=c++17", "-O1", "-shared", "-fPIC", "-w", "-fvisibility=hidden",
    "-fwrapv",  # signed numbers wrap
    "-fno-strict-aliasing",
    "-ffp-contract=off", "-fno-math-errno",  # no fused multiply-add
    "-fsignaling-nans",  # x * 1 is not x where x is a denormal number that the multiplication flushes
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Built:
    """A loaded object: its key, the address of its entry, and the file."""

    key: str
    handler: int
    path: Path


def cache_folder() -> Path:
    """Where objects are kept: $RLENV_EMIT_CACHE, or the user's cache folder."""
    given = os.environ.get(CACHE_VARIABLE)
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rlenv-emit"


@functools.cache
def compiler() -> str:
    """The C++ compiler: $CXX, g++, clang++ or c++.

    Raises:
        CompilerError: there is none.
    """
    for name in (os.environ.get("CXX"), "g++", "clang++", "c++"):
        if name and (found := shutil.which(name)):
            return found
    remedy = "install g++ or clang++, or set CXX"
    raise CompilerError(explain("C++ compiler", got="none on PATH", expected="g++ or clang++", remedy=remedy))


@functools.cache
def _headers() -> bytes:
    return b"".join(path.read_bytes() for path in sorted(HEADERS.glob("*.h")))


def key_of(program: ir.Program, form: Form) -> str:
    """What an object is known by: the program, the form, the headers and the flags."""
    digest = hashlib.sha256()
    for part in (ir.text(program), form.march, str(form.lanes), " ".join(FLAGS)):
        digest.update(part.encode() + b"\0")
    digest.update(_headers())
    return digest.hexdigest()[:40]


def build(program: ir.Program, form: Form) -> Built:
    """The loaded object of a program, from the cache if it is there.

    Raises:
        CompilerError: it is not, and cannot be made.
        ObjectFileError: the file in the cache is not what its name says.
    """
    key = key_of(program, form)
    path = cache_folder() / f"{form.name}-{key}.so"
    if not path.exists():
        compile_text(source(program), form, path, key)
    return load(path, key)


def compile_text(text: str, form: Form, path: Path, key: str, extra: tuple[str, ...] = ()) -> None:
    """Compile C++ text into a shared object sealed with its key; the file appears complete or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    include = (f"-I{HEADERS}", f"-I{jax.ffi.include_dir()}")
    prefer = ("-mprefer-vector-width=512",) if form.name == "avx512" else ()
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        written, made = Path(folder) / "step.cc", Path(folder) / "step.so"
        written.write_text(text)
        command = [
            compiler(), *FLAGS, f"-march={form.march}", *prefer, f"-DLANES={form.lanes}", *extra, *include,
            str(written), "-o", str(made),
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise CompilerError(
                explain(
                    "C++ compiler",
                    got=f"exit status {done.returncode}: {done.stderr[-2000:]}",
                    expected="0",
                    remedy=f"try {compiler()} by hand",
                )
            )
        with made.open("ab") as file:  # what follows an object's sections is nothing to the loader
            file.write(_seal(made.read_bytes(), key))
        made.replace(path)


def _seal(content: bytes, key: str) -> bytes:
    return f"\nrlenv-emit {key} {hashlib.sha256(content + key.encode()).hexdigest()}\n".encode()


def load(path: Path, key: str) -> Built:
    """Load an object.

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
        handler = ctypes.CDLL(str(path)).rlenv_emitted
    except (OSError, AttributeError) as error:
        remedy = "delete the file"
        raise ObjectFileError(explain(f"object {path}", got=error, expected="one that loads", remedy=remedy)) from None
    return Built(key, ctypes.cast(handler, ctypes.c_void_p).value or 0, path)
