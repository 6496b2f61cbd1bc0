"""Programs of tests that run for a moment and compile for many: XLA's options with which they are soon compiled.

What they compute is compiled otherwise than for users.  So they are for tests of what a program does, and for those
whose tolerance holds in any form, as derivatives and options of HalfCheetah.  Whole episodes are compared with a
reference under XLA's defaults.

Processor seconds of compiling (JAX 0.10.2), by XLA's defaults, `BARELY`, `UNFUSED` and `UNOPTIMISED`: a step of
HalfCheetah 11.4, 7.5, 5.9 and 5.0; an update of PPO 6.0 by the first, 2.9 by the second.  Where LLVM optimises nothing,
programs run slowly: a thousand derivatives of HalfCheetah's step take 88 s with their compilation, `UNFUSED` 53.
"""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Iterator, Mapping
from typing import Any, Final

import jax
import pytest

from rlenv_shared import compiling

BARELY: Final[Mapping[str, Any]] = {"xla_backend_optimization_level": 0}
"""LLVM optimises nothing: best for small programs, as those of learners."""
UNFUSED: Final[Mapping[str, Any]] = compiling.WITHOUT_FUSION["cpu"]
"""XLA puts no operations together: best for large steps, in which it copies much into many places."""
UNOPTIMISED: Final[Mapping[str, Any]] = {**UNFUSED, **BARELY}
"""Neither: best for large steps that are taken a few times."""

jit = functools.partial(jax.jit, compiler_options=dict(UNFUSED))
"""`jax.jit` of a large program."""


@contextlib.contextmanager
def compiled_with(options: Mapping[str, Any]) -> Iterator[None]:
    """Inside, `compiling.jit`, which adapters, learners and checks call, has these options."""
    own = compiling.options
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiling, "options", lambda *given: {**own(*given), **options})
        yield


def environment(**variables: str) -> dict[str, str]:
    """Variables of another process whose programs are `BARELY` optimised: this one's, and those given."""
    flags = [os.environ.get("XLA_FLAGS", ""), *(f"--{name}={value}" for name, value in BARELY.items())]
    return {**os.environ, "XLA_FLAGS": " ".join(flags).strip(), **variables}
