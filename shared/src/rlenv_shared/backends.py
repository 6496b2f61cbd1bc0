"""Back ends: other ways to carry out steps and functions, which installed distributions offer as entry points.

An entry point of the group ``rlenv.backends`` is a function of an environment and options, and gives an environment;
rlenv-emit's are ``emit`` and ``bytecode``.  One of ``rlenv.functions`` is a function of a function of one environment's
arrays and options, and gives such a function; rlenv-emit's is ``emit``.
"""

from __future__ import annotations

import functools
import importlib.metadata
from collections.abc import Callable
from typing import Any, Final

from rlenv_shared.errors import InvalidParamsError

ENVIRONMENTS: Final = "rlenv.backends"
FUNCTIONS: Final = "rlenv.functions"
WITHOUT_COMPILER: Final = "bytecode"
"""The back end for CPUs whose first step is soon there, and which needs no C++ compiler."""


@functools.cache
def installed(name: str, group: str = ENVIRONMENTS) -> Callable[..., Any] | None:
    """The back end of this name, a function as its group says; None where there is none."""
    found = next(iter(importlib.metadata.entry_points(group=group, name=name)), None)
    return None if found is None else found.load()


def environment(env: Any, name: str, **options: Any) -> Any:
    """The environment as a back end carries it out.

    Args:
        env: the environment.
        name: of the back end.
        options: its own, e.g. ``threads`` of ``emit``.

    Raises:
        InvalidParamsError: it is not installed.
    """
    return _of(name, ENVIRONMENTS)(env, **options)


def function(of_one: Callable[..., Any], name: str, **options: Any) -> Callable[..., Any]:
    """A function of one environment's arrays as a back end carries it out; batch it with `jax.vmap`.

    Raises:
        InvalidParamsError: the back end is not installed, or has no functions.
    """
    found: Callable[..., Any] = _of(name, FUNCTIONS)(of_one, **options)
    return found


def default() -> dict[str, str]:
    """Keywords of `make` for large environments on JAX's default device: on a CPU XLA takes minutes to compile them."""
    import jax

    return {"backend": WITHOUT_COMPILER} if jax.default_backend() == "cpu" else {}


def _of(name: str, group: str) -> Callable[..., Any]:
    found = installed(name, group)
    if found is None:
        names = sorted(importlib.metadata.entry_points(group=group).names)
        raise InvalidParamsError("backend", repr(name), f"an installed one: {names}", "pip install rlenv-emit")
    return found
