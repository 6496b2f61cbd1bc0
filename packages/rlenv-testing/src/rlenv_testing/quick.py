"""Programs of tests that run for a moment and compile for many: XLA's options with which they are soon compiled.

What they compute is compiled otherwise than for users.  So they are for tests of what a program does, and for those
whose tolerance holds in any form, as derivatives and options of HalfCheetah.  Whole episodes are compared with a
reference under XLA's defaults.

Processor seconds of compiling (JAX 0.10.2), by XLA's defaults, `BARELY` and `UNFUSED`: a step of HalfCheetah 11.2, 4.8
and 5.9; tests of PPO halve with `BARELY`.  Where LLVM optimises nothing, programs run slowly: what is carried out
thousands of times is `UNFUSED`.
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

WITHOUT_EMITTERS: Final[Mapping[str, Any]] = compiling.WITHOUT_FUSION_EMITTERS.get("cpu", {})
BARELY: Final[Mapping[str, Any]] = {"xla_backend_optimization_level": 0, **WITHOUT_EMITTERS}
"""LLVM optimises nothing, and fused operations do not go through MLIR, which takes as long again."""
UNFUSED: Final[Mapping[str, Any]] = compiling.WITHOUT_FUSION["cpu"]
"""XLA puts no operations together, of which it copies many into many places."""

jit = functools.partial(jax.jit, compiler_options=dict(UNFUSED))
"""`jax.jit` of a large program."""


@contextlib.contextmanager
def compiled_with(options: Mapping[str, Any]) -> Iterator[None]:
    """Inside, `compiling.jit`, which adapters, learners and checks call, has these options."""
    own = compiling.options
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiling, "options", lambda *given: together(own(*given), options))
        yield


def together(own: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """An environment's options, and these.

    Where nothing is fused, the emitters stay, which else make single operations, too: without both XLA's code of large
    steps is gigabytes, or computes something else (Skirmish's observation, JAX 0.10.2).
    """
    both = {**own, **options}
    kept = WITHOUT_EMITTERS.keys() if UNFUSED.keys() <= both.keys() else ()
    return {name: value for name, value in both.items() if name not in kept}


def environment(**variables: str) -> dict[str, str]:
    """Variables of another process whose programs are `BARELY` optimised: this one's, and those given."""
    flags = [os.environ.get("XLA_FLAGS", ""), *(f"--{name}={value}".lower() for name, value in BARELY.items())]
    return {**os.environ, "XLA_FLAGS": " ".join(flags).strip(), **variables}
