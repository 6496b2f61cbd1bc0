"""A kernel called through `jax.ffi` on a GPU; `verify` compares it there, bit for bit."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import jax
import numpy as np

from rlenv_emit import build, keeping, processor
from rlenv_emit.gpu import machine
from rlenv_emit.gpu.host import key_of_text
from rlenv_emit.gpu.source import THREADS, kernel, leading
from rlenv_emit.ir import NUMPY, Program
from rlenv_emit.seal import is_sealed, seal_file
from rlenv_emit.targets import tell
from rlenv_shared.errors import ReferenceUnavailableError

TARGET: Final = "rlenv_emit_launch"
_LAUNCH: Final = Path(__file__).with_name("launch.cc")


def architecture() -> str:
    """NVIDIA's name of the GPU that JAX finds.

    Raises:
        ReferenceUnavailableError: it finds none.
    """
    try:
        capability = jax.devices("cuda")[0].compute_capability
    except RuntimeError as error:
        remedy = (
            "use a machine with a GPU and pip install 'jax[cuda13]'; elsewhere XLA's form runs, and emit_env on CPUs"
        )
        raise ReferenceUnavailableError("CUDA device", error, "an NVIDIA GPU that JAX finds", remedy) from None
    found = f"sm_{capability.replace('.', '')}"
    return "sm_90a" if found == "sm_90" else found


def on_device(program: Program, carried: int = 0) -> Callable[..., list[Any]]:
    """A kernel for the GPU that JAX finds.

    Args:
        program: of one environment and step.
        carried: as in `source.kernel`.

    Returns:
        ``(arrays, steps, batch) -> results``, as `host.HostKernel`'s call; traceable.

    Raises:
        CompilerError: the host's or NVIDIA's compiler failed.
        ReferenceUnavailableError: there is no GPU, or one of NVIDIA's tools is missing.
    """
    of_this = architecture()
    text = kernel(program, carried)
    key = key_of_text(of_this, text.whole)

    def make(work: Path) -> Path:
        image = machine.image(text, of_this, work)[0]
        seal_file(image, key)
        return image

    image = keeping.keep(f"{of_this}-{key}.cubin", make, lambda content: is_sealed(content, key))
    register()
    return called(program, carried, image.path)


def called(program: Program, carried: int, image: Path) -> Callable[..., list[Any]]:
    """The call of a kernel whose machine code is there."""

    def play(arrays: Sequence[Any], steps: int, batch: int) -> list[Any]:
        outs = [
            jax.ShapeDtypeStruct((*leading(number, carried, steps, batch), *one.shape), NUMPY[one.dtype])
            for number, one in enumerate(program.outputs)
        ]
        options = {"steps": np.int64(steps), "batch": np.int64(batch), "threads": np.int64(THREADS)}
        return list(jax.ffi.ffi_call(TARGET, outs)(*arrays, image=str(image), **options))

    return play


@functools.cache
def register() -> None:
    """Tell JAX what launches kernels.

    Raises:
        CompilerError: there is no compiler for the host, or it failed.
    """
    text = _LAUNCH.read_text()
    key = key_of_text(text)
    made = build.made_object(f"launch-{key}", key, processor.known("sse2"), lambda: text, ["-ldl"])
    handler = ctypes.cast(build.library(made).rlenv_launch, ctypes.c_void_p).value
    tell(TARGET, handler, "CUDA")
