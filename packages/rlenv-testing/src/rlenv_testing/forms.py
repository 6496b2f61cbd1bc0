"""The form in which tests compare: XLA's, or a backend's with ``pytest --backend NAME`` (or ``RLENV_TEST_BACKEND``)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, Final

from rlenv_shared import backends
from rlenv_shared.errors import InvalidParamsError

VARIABLE: Final = "RLENV_TEST_BACKEND"


def chosen() -> str | None:
    """Name of the backend in whose form tests compare; None for XLA's."""
    return os.environ.get(VARIABLE) or None


def in_form(env: Any) -> Any:
    """The environment in the chosen form: itself if none is chosen.

    Raises:
        InvalidParamsError: no such backend is installed.
    """
    name = chosen()
    return env if name is None else _installed(name, backends.installed(name))(env)


def batched(
    function: Callable[..., Any], in_axes: Any = 0, compile_options: Mapping[str, Any] | None = None
) -> Callable[..., Any]:
    """A function of one environment's arrays as a compiled one of batches, in the chosen form.

    Args:
        function: of arrays, and of trees of them.
        in_axes: as of `jax.vmap`.
        compile_options: XLA's, as `quick.BARELY`.

    Raises:
        InvalidParamsError: no such backend is installed, or it has no form of functions.
    """
    import jax

    name = chosen()
    if name is not None:
        function = _installed(name, backends.installed(name, backends.FUNCTIONS))(function)
    return jax.jit(jax.vmap(function, in_axes), compiler_options=dict(compile_options or {}) or None)


def _installed(name: str, form: Callable[..., Any] | None) -> Callable[..., Any]:
    if form is None:
        raise InvalidParamsError(f"--backend or ${VARIABLE}", repr(name), "an installed one", "leave it out for XLA's")
    return form
