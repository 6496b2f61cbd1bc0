"""The system's C++ compiler: which it is, how it is called, and by what its objects are told from another's."""

from __future__ import annotations

import errno
import functools
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import jax

from rlenv_emit import keeping
from rlenv_emit.errors import CompilerError
from rlenv_emit.processor import Form
from rlenv_shared.errors import explain

HEADERS: Final = Path(__file__).parent / "cpp"
FLAGS: Final = (
    "-std=c++17", "-O1", "-shared", "-fPIC", "-w", "-fvisibility=hidden", "-static-libstdc++", "-static-libgcc",
    "-fwrapv",  # signed numbers wrap
    "-fno-strict-aliasing",
    "-ffp-contract=off", "-fno-math-errno",  # no fused multiply-add
    "-fsignaling-nans",  # x * 1 is not x where x is a denormal number that the multiplication flushes
)  # fmt: skip
_HEEDED: Final = ("CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX")
"""Variables that compilers obey."""
_NO_PLACE: Final = tuple(map(os.strerror, (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG, errno.EIO)))


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


@functools.cache
def identity() -> str:
    """Twelve digits for the compiler: its file, what it says of its version and target, and variables that it obeys.

    It is asked once; the answer is kept for as long as its file stays as it is.

    Raises:
        CompilerError: there is none, or it does not answer.
    """
    path = Path(compiler()).resolve()
    about = path.stat()
    variables = [os.environ.get(name) for name in _HEEDED]
    file = _hash(f"{path} {about.st_dev} {about.st_ino} {about.st_size} {about.st_mtime_ns} {variables}")

    def ask(folder: Path) -> Path:
        said = [_said([str(path), option]) for option in ("--version", "-dumpmachine")]
        made = folder / "said"
        made.write_text(f"{file} {_hash(f'{path} {said} {variables}')}\n")
        return made

    def answer(content: bytes) -> str | None:
        words = content.decode("ascii", "replace").split()
        return words[1] if len(words) == 2 and words[0] == file and len(words[1]) == len(file) else None

    kept = keeping.keep(f"compiler-{file}.json", ask, answer)
    kept.file.close()
    found: str = kept.says
    return found


@functools.cache
def is_gcc() -> bool:
    """Whether the compiler is GCC, by what it says of its version.

    Raises:
        CompilerError: there is none, or it does not answer.
    """
    return "Free Software Foundation" in _said([compiler(), "--version"])


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:12]


def _said(command: Sequence[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=_quiet())
    except (OSError, subprocess.CalledProcessError) as error:
        remedy = f"try {command[0]} by hand, or set CXX"
        raise CompilerError(explain("C++ compiler", got=error, expected="its version", remedy=remedy)) from None
    return done.stdout


def _quiet(folder: Path | None = None) -> dict[str, str]:
    """The environment of a compiler that speaks English, and whose temporary files lie in a folder."""
    return {**os.environ, "LC_ALL": "C", **({"TMPDIR": str(folder)} if folder else {})}


def command(
    form: Form, text: Path, made: Path, *, shared: bool = True, extra: Sequence[str] = (), cxx: str | None = None
) -> list[str]:
    """What compiles a C++ file into a shared object, or into a program; ``cxx`` instead of this machine's compiler."""
    prefer = ("-mprefer-vector-width=512",) if form.name == "avx512" else ()
    flags = [flag for flag in FLAGS if shared or flag != "-shared"]
    include = (f"-I{HEADERS}", f"-I{jax.ffi.include_dir()}")
    machine = (f"-march={form.march}", *prefer, f"-DLANES={form.lanes}")
    return [cxx or compiler(), *flags, *machine, *extra, *include, str(text), "-o", str(made)]


def run(commands: Iterable[Sequence[str]], folder: Path) -> None:
    """Run compilers beside one another, in a folder.

    Raises:
        CompilerError: one of them failed.
        OSError: the folder is gone, or has no place.
    """
    quiet = _quiet(folder)
    running = [
        subprocess.Popen(one, cwd=folder, env=quiet, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for one in commands
    ]
    said = [process.communicate()[1] for process in running]
    for process, text in zip(running, said, strict=True):
        if process.returncode:
            if not folder.exists():
                raise FileNotFoundError(f"{folder} was removed while a compiler wrote to it")
            if place := next((one for one in _NO_PLACE if one in text), None):
                raise OSError(f"{place}: a compiler could not write to {folder}")
            got, remedy = f"exit status {process.returncode}: {text[-2000:]}", f"try {compiler()} by hand"
            raise CompilerError(explain("C++ compiler", got=got, expected="0", remedy=remedy))
