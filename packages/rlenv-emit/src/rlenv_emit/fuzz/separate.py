"""Programs compiled into a process of their own: under sanitizers, or for a processor that is emulated."""

from __future__ import annotations

import dataclasses
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from rlenv_emit.compiler import command
from rlenv_emit.cpp.source import source
from rlenv_emit.front.trace import program
from rlenv_emit.processor import Form

HERE: Final = Path(__file__).parent


@dataclasses.dataclass(frozen=True)
class Way:
    """How a process is made and run.

    Attributes:
        flags: of the compiler, besides those of the form.
        compiler: its name; that of this machine when None.
        runner: what runs the process, if it is not run as it is.
    """

    flags: tuple[str, ...]
    compiler: str | None = None
    runner: tuple[str, ...] = ()

    @property
    def is_here(self) -> bool:
        """Whether this machine has what it needs."""
        needs = (*((self.compiler,) if self.compiler else ()), *self.runner[:1])
        return all(shutil.which(name) for name in needs)


SANITIZED: Final = Way(("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g1", "-Wno-psabi"))
"""The address and the undefined-behaviour sanitizer."""
EMULATED: Final = {
    "neon": Way(("-static", "-Wno-psabi"), "aarch64-linux-gnu-g++", ("qemu-aarch64",)),
    "avx2": Way(("-static", "-Wno-psabi"), runner=("qemu-x86_64", "-cpu", "Haswell")),
    "sse2": Way(("-static", "-Wno-psabi"), runner=("qemu-x86_64", "-cpu", "Nehalem")),
}
"""By form: a processor that has no more than it needs, in Debian's user-mode emulator (package qemu-user).

NEON is compiled by Debian's cross compiler (g++-aarch64-linux-gnu).  The C library's functions have other last bits on
such processors, as XLA's programs would have there.
"""


class ProcessError(AssertionError):
    """A sanitizer found something, or the process crashed."""


def run(closed: Any, form: Form, arguments: Sequence[np.ndarray], way: Way) -> list[np.ndarray]:
    """The results of a closed jaxpr for arrays of one batch.

    Raises:
        ProcessError: the process did not end well: under sanitizers, it read or wrote where nothing is, or did what C++
            does not define.
    """
    batch = len(arguments[0])
    with tempfile.TemporaryDirectory() as folder:
        text, binary, given, made = (Path(folder) / name for name in ("step.cc", "step", "in", "out"))
        text.write_text(source(program(closed, [True] * len(arguments))) + '#include "main.h"\n')
        extra = (*way.flags, f"-I{HERE}")
        subprocess.run(command(form, text, binary, shared=False, extra=extra, cxx=way.compiler), check=True)
        given.write_bytes(b"".join(np.ascontiguousarray(array).tobytes() for array in arguments))
        done = subprocess.run(
            [*way.runner, binary, given, made, str(batch)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise ProcessError(f"exit status {done.returncode}: {done.stderr[-3000:]}")
        content, place, results = made.read_bytes(), 0, []
        for aval in closed.out_avals:
            count = batch * int(np.prod(aval.shape, dtype=np.int64))
            array = np.frombuffer(content, aval.dtype, count, place)
            place += array.nbytes
            results.append(array.reshape(batch, *aval.shape))
    return results
