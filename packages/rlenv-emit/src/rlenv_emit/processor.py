"""What this machine's processor can do, and the forms of code that follow."""

from __future__ import annotations

import dataclasses
import functools
import platform
import sys
from pathlib import Path
from typing import Final

from rlenv_emit.errors import ObjectFileError
from rlenv_shared.errors import explain


@dataclasses.dataclass(frozen=True)
class Form:
    """One form of an object.

    Attributes:
        name: of the form.
        machine: `platform.machine()` of the processors it is for.
        needs: flags of /proc/cpuinfo that it relies on.
        march: the compiler's name of such a processor.
        lanes: environments side by side.
    """

    name: str
    machine: str
    needs: frozenset[str]
    march: str
    lanes: int


_AVX2: Final = frozenset({"avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"})
_AVX512: Final = frozenset({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}) | _AVX2
FORMS: Final = (
    Form("avx512", "x86_64", _AVX512, "x86-64-v4", 16),
    Form("avx2", "x86_64", _AVX2, "x86-64-v3", 8),
    Form("sse2", "x86_64", frozenset(), "x86-64", 4),
    Form("neon", "aarch64", frozenset(), "armv8-a", 4),
)
"""From the best to that which every processor has."""
BYTECODE: Final = Form("bytecode", "", frozenset(), "", 128)
"""Instructions (`rlenv_emit.bytecode`), which an interpreter carries out that is compiled once for all programs."""
BY_XLA: Final = Form("bytecode by XLA", "", frozenset(), "", 256)
"""No native code: instructions that XLA carries out, wherever it has a CPU; `BYTECODE` where there is no compiler."""
INSTRUCTIONS: Final = (BYTECODE, BY_XLA)
TRACED: Final = Form("traced", "", frozenset(), "", 1)
"""No code of ours: XLA compiles the function as JAX traces it; the trace is kept."""


@functools.cache
def flags() -> frozenset[str]:
    """What the processor says that it can do."""
    path = Path("/proc/cpuinfo")
    if path.exists():
        for line in path.read_text().splitlines():
            if line.startswith(("flags", "Features")):
                return frozenset(line.split(":", 1)[1].split())
    return frozenset()


def here() -> tuple[Form, ...]:
    """The forms for this kind of processor, also those that need what this one lacks."""
    return tuple(form for form in FORMS if form.machine == platform.machine())


def runs(form: Form) -> bool:
    """Whether this processor can run a form, under Linux."""
    return sys.platform == "linux" and form in here() and form.needs <= flags()


def best() -> Form:
    """The best form that this processor runs.

    Raises:
        ObjectFileError: there is none.
    """
    for form in FORMS:
        if runs(form):
            return form
    got, expected = f"{sys.platform} on {platform.machine()}", "linux on x86_64 or aarch64"
    remedy = 'leave out backend="emit": XLA compiles the step'
    raise ObjectFileError(explain("processor", got=got, expected=expected, remedy=remedy))


def known(name: str) -> Form:
    """The form of this name, whether or not this processor runs it.

    Raises:
        ObjectFileError: there is no such form.
    """
    forms = (*FORMS, *INSTRUCTIONS)
    for form in forms:
        if form.name == name:
            return form
    expected = f"one of {[form.name for form in forms]}"
    raise ObjectFileError(explain("form", got=name, expected=expected, remedy="leave the choice to the package"))


def named(name: str) -> Form:
    """The form of this name, which this processor must be able to run.

    Raises:
        ObjectFileError: there is no such form, or it needs what this processor has not.
    """
    form = known(name)
    if form not in INSTRUCTIONS and not runs(form):
        lacking = sorted(form.needs - flags()) or form.machine
        remedy = "leave the choice to the package"
        raise ObjectFileError(
            explain(f"form {name}", got=f"a processor without {lacking}", expected="one with it", remedy=remedy)
        )
    return form
