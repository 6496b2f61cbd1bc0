"""NVIDIA's compiler for kernels, which needs no GPU: NVRTC makes PTX of the text, ptxas machine code of that.

The tools come from PyPI, at the versions of the extra ``gpu`` in pyproject.toml.
"""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import sysconfig
from pathlib import Path
from typing import Any, Final

from rlenv_emit.compiler import HEADERS
from rlenv_emit.errors import CompilerError
from rlenv_shared.errors import ReferenceUnavailableError

FLAGS: Final = (
    "--std=c++17",
    "--device-as-default-execution-space",
    "--device-int128",
    "--generate-line-info",
    "--fmad=false",  # every operation is rounded
    "--ftz=true",  # denormal numbers are flushed, as on the CPU; those of float64 a GPU cannot flush
    "--prec-div=true",
    "--prec-sqrt=true",
)
FOLDERS: Final = (Path(__file__).parent, HEADERS)
REMEDY: Final = "pip install rlenv-emit[gpu]"


def wheels() -> Path:
    """The folder into which NVIDIA's wheels install; it may not be there."""
    return Path(sysconfig.get_path("purelib")) / "nvidia" / "cu13"


@functools.cache
def library() -> Any:
    """NVRTC.

    Raises:
        ReferenceUnavailableError: it is not installed.
    """
    path = wheels() / "lib" / "libnvrtc.so.13"
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise ReferenceUnavailableError("NVRTC", error, "NVIDIA's compiler for kernels", REMEDY) from None


def version() -> str:
    """That of NVRTC.

    Raises:
        ReferenceUnavailableError: it is not installed.
    """
    major, minor = ctypes.c_int(), ctypes.c_int()
    library().nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    return f"{major.value}.{minor.value}"


def ptx(text: str, architecture: str) -> str:
    """The PTX of a kernel's text.

    Args:
        text: of `source.kernel`.
        architecture: NVIDIA's name, as sm_90a.

    Raises:
        CompilerError: it does not compile.
        ReferenceUnavailableError: NVRTC is not installed.
    """
    nvrtc, made = library(), _Unit(text)
    with made as unit:
        folders = [*FOLDERS, wheels() / "include" / "cccl"]
        options = [*FLAGS, f"--gpu-architecture={architecture.replace('sm', 'compute')}"]
        options += [f"--include-path={folder}" for folder in folders]
        words = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
        if nvrtc.nvrtcCompileProgram(unit, len(options), words):
            log = made.read(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog)
            raise CompilerError("NVRTC", log[:2000], "a kernel that compiles", "report the program")
        return made.read(nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX)


@dataclasses.dataclass
class _Unit:
    """A translation unit of NVRTC."""

    text: str

    def __enter__(self) -> ctypes.c_void_p:
        self._unit = ctypes.c_void_p()
        library().nvrtcCreateProgram(ctypes.byref(self._unit), self.text.encode(), b"kernel.cu", 0, None, None)
        return self._unit

    def __exit__(self, *_: object) -> None:
        library().nvrtcDestroyProgram(ctypes.byref(self._unit))

    def read(self, size_of: Any, content_of: Any) -> str:
        """A text that NVRTC holds for the unit."""
        size = ctypes.c_size_t()
        size_of(self._unit, ctypes.byref(size))
        content = ctypes.create_string_buffer(size.value)
        content_of(self._unit, content)
        return content.value.decode()
