"""Programs compiled with the address and the undefined-behaviour sanitizer, run in a process of their own."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from rlenv_emit.build import command
from rlenv_emit.cpp.source import source
from rlenv_emit.front.trace import program
from rlenv_emit.processor import Form

FLAGS: Final = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g1", "-Wno-psabi")
HERE: Final = Path(__file__).parent


class SanitizerError(AssertionError):
    """A sanitizer found something, or the process crashed."""


def run(closed: Any, form: Form, arguments: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The results of a closed jaxpr for arrays of one batch.

    Raises:
        SanitizerError: reading or writing where nothing is, or behaviour that C++ does not define.
    """
    batch = len(arguments[0])
    with tempfile.TemporaryDirectory() as folder:
        text, binary, given, made = (Path(folder) / name for name in ("step.cc", "step", "in", "out"))
        text.write_text(source(program(closed, [True] * len(arguments))) + '#include "main.h"\n')
        subprocess.run(command(form, text, binary, shared=False, extra=(*FLAGS, f"-I{HERE}")), check=True)
        given.write_bytes(b"".join(np.ascontiguousarray(array).tobytes() for array in arguments))
        done = subprocess.run([binary, given, made, str(batch)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise SanitizerError(f"exit status {done.returncode}: {done.stderr[-3000:]}")
        content, place, results = made.read_bytes(), 0, []
        for aval in closed.out_avals:
            count = batch * int(np.prod(aval.shape, dtype=np.int64))
            array = np.frombuffer(content, aval.dtype, count, place)
            place += array.nbytes
            results.append(array.reshape(batch, *aval.shape))
    return results
