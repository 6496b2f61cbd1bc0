"""What an object is known by: a hash of the jaxpr and of all that turns it into code, taken before any of that runs.

Two jaxprs of one key give one program: structure, primitives with their parameters, shapes, dtypes and the bytes of
every constant are in it; names, source lines and pointers are not.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import jax
import numpy as np
from jax.extend import core as jax_core

from rlenv_emit.front.arrays import is_key
from rlenv_emit.front.control import CALLED, CALLS, parts_of_scan
from rlenv_emit.processor import Form
from rlenv_shared.control import Part

SOURCES: Final = (
    "builder.py", "build.py", "compiler.py", "headers.py", "ir.py", "passes.py", "front/*.py", "cpp/*.py", "cpp/*.h",
)  # fmt: skip
"""What turns a jaxpr into an object."""
CONTROL: Final[dict[str, Sequence[str]]] = {
    "cond": ("branches",),
    "while": ("cond_jaxpr", "body_jaxpr", "cond_nconsts", "body_nconsts"),
    "emitted": ("traced", "batch"),
    "scan": ("jaxpr", "length", "reverse"),
    "gate": ("name", "part", "kept"),
    "loop": ("condition", "body", "captured", "most"),
    "draw": ("part",),
}
"""Parameters that the rules of control flow read."""


@functools.cache
def emitter_version() -> str:
    """Hash of the emitter's own sources, with the version of JAX, whose functions compute what is known beforehand."""
    digest = hashlib.sha256(jax.__version__.encode())
    root = Path(__file__).parent
    for pattern in SOURCES:
        for path in sorted(root.glob(pattern)):
            digest.update(f"\0{path.relative_to(root)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def key_of_text(*parts: str) -> str:
    """The key of what is compiled from texts with the headers of `cpp`."""
    return hashlib.sha256("\0".join((emitter_version(), *parts)).encode()).hexdigest()[:40]


def key_of(closed: Any, varying: Sequence[bool], form: Form, flags: Sequence[str]) -> str:
    """The key of the object of a closed jaxpr.

    Args:
        closed: of one lane.
        varying: for each argument, whether every lane has its own.
        form: of the processor.
        flags: of the compiler.
    """
    digest = hashlib.sha256()
    options = f"{tuple(varying)} {form.name} {form.march} {form.lanes} {' '.join(flags)}"
    for part in (emitter_version(), options, _Hasher().closed(closed)):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()[:40]


class _Hasher:
    """Hashes jaxprs; one that occurs many times is hashed once."""

    def __init__(self) -> None:
        self._jaxprs: dict[int, str] = {}
        self._avals: dict[Any, str] = {}
        self._constants: dict[int, str] = {}

    def closed(self, closed: Any) -> str:
        """Hash of a closed jaxpr."""
        return f"{self.jaxpr(closed.jaxpr)}[{' '.join(map(self._constant, closed.consts))}]"

    def jaxpr(self, jaxpr: Any) -> str:
        """Hash of a jaxpr, which does not depend on the names of its variables."""
        found = self._jaxprs.get(id(jaxpr))
        if found is None:
            found = self._jaxprs[id(jaxpr)] = hashlib.sha256("\n".join(self._lines(jaxpr)).encode()).hexdigest()
        return found

    def _lines(self, jaxpr: Any) -> list[str]:
        numbers: dict[Any, int] = {}

        def define(variables: Sequence[Any]) -> str:
            for variable in variables:
                numbers[variable] = len(numbers)
            return " ".join([self._aval(variable.aval) for variable in variables])

        def read(atoms: Sequence[Any]) -> str:
            return " ".join([self._literal(a) if isinstance(a, jax_core.Literal) else str(numbers[a]) for a in atoms])

        lines = [define(jaxpr.constvars), define(jaxpr.invars)]
        for equation in jaxpr.eqns:
            given = read(equation.invars)
            name = equation.primitive.name
            params = self._params(name, equation.params)
            lines.append(f"{define(equation.outvars)} = {name} {params} {given}")
        lines.append(read(jaxpr.outvars))
        return lines

    def _params(self, name: str, params: dict[str, Any]) -> str:
        if not params:
            return ""
        names = CONTROL.get(name) or sorted(params)
        if name in CALLS:
            names = (next(key for key in CALLED if key in params),)
        parts = f"{parts_of_scan(params)} " if name == "scan" else ""
        return parts + " ".join([f"{key}={self._param(params[key])}" for key in names])

    def _param(self, value: Any) -> str:
        if value is None or isinstance(value, bool | int | float | str | np.dtype | enum.Enum):
            return repr(value)
        if isinstance(value, Part):
            return f"{self.jaxpr(value.jaxpr)}{value.places}{value.results}"
        if hasattr(value, "consts"):
            return self.closed(value)
        if hasattr(value, "eqns"):
            return self.jaxpr(value)
        if hasattr(value, "closed"):
            return self.closed(value.closed)
        if isinstance(value, tuple | list):
            return f"{type(value).__name__}({', '.join(map(self._param, value))})"
        if isinstance(value, np.ndarray | np.generic | jax.Array):
            return self._constant(value)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = (getattr(value, field.name) for field in dataclasses.fields(value))
            return f"{type(value).__name__}({', '.join(map(self._param, fields))})"
        return repr(value)  # one that shows an address is never found again, which costs a compilation

    def _aval(self, aval: Any) -> str:
        try:
            key = aval.shape, aval.dtype
            found = self._avals.get(key)
            if found is None:
                found = self._avals[key] = f"{aval.dtype}{aval.shape}"
        except AttributeError:
            return repr(aval)
        return found

    def _literal(self, literal: Any) -> str:
        number = literal.val
        if hasattr(number, "tobytes"):
            return f"{self._aval(literal.aval)}:{number.dtype.char}{number.tobytes().hex()}"
        return f"{self._aval(literal.aval)}:{number!r}"

    def _constant(self, constant: Any) -> str:
        found = self._constants.get(id(constant))
        if found is None:
            if is_key(constant):
                with jax.ensure_compile_time_eval():
                    constant = jax.random.key_data(constant)  # such a program is refused, when it is made
            array = np.asarray(constant)
            found = f"{array.dtype}{array.shape}{hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()}"
            self._constants[id(constant)] = found
        return found
