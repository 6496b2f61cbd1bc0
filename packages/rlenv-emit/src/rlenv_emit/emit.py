"""`emit`: a JAX function of one environment as one native function of many."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from rlenv_emit import processor
from rlenv_emit.call import Traced, bind
from rlenv_shared.errors import InvalidParamsError, explain


def emit(
    function: Callable[..., Any], *example: Any, form: str | None = None, threads: int | None = None
) -> Callable[..., Any]:
    """Compile a function of one environment.

    Args:
        function: of pytrees of arrays, traceable; of a single environment.
        example: its arguments, arrays or `jax.ShapeDtypeStruct`; only shapes and dtypes matter.
        form: of the processor, see `processor.FORMS`; the best that this one runs when None.
        threads: at most that many work on a batch; all processors when None.

    Returns:
        A function of the same arguments and results, bit for bit.  Batch it with `jax.vmap`; what is not mapped
        (``in_axes=None``) is shared by all environments.  It may be called under `jax.jit`, `jax.vmap` and inside loops.

    Raises:
        UnsupportedError: the function uses what cannot be emitted; raised when the shared arguments are known.
        CompilerError: there is no compiler, or it failed.
        InvalidParamsError: threads is below 1, or a call's arguments do not fit the example.
    """
    threads = os.cpu_count() or 1 if threads is None else threads
    if threads < 1:
        raise InvalidParamsError(explain("threads", got=threads, expected="an integer >= 1", remedy="leave it out"))
    chosen = processor.best() if form is None else processor.named(form)
    avals = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(jnp.shape(leaf), jnp.result_type(leaf)), example)
    closed, shape = jax.make_jaxpr(function, return_shape=True)(*avals)
    traced = Traced(closed, chosen, threads)
    leaves, structure = jax.tree.flatten(avals)
    results = jax.tree.structure(shape)

    @functools.wraps(function)
    def emitted(*arguments: Any) -> Any:
        given, found = jax.tree.flatten(arguments)
        arrays = [jnp.asarray(leaf) for leaf in given]
        got = [(array.shape, array.dtype.name) for array in arrays]
        expected = [(leaf.shape, leaf.dtype.name) for leaf in leaves]
        if found != structure or got != expected:
            remedy = "emit it for such arguments, or map the batch axis with jax.vmap"
            raise InvalidParamsError(
                explain("emitted function", got=f"{found} of {got}", expected=f"{structure} of {expected}", remedy=remedy)
            )
        return jax.tree.unflatten(results, bind(traced, arrays))

    return emitted


__all__ = ["emit"]
