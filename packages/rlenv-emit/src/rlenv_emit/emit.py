"""`emit`: a JAX function of one environment as one native function of many."""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_emit import processor, warm
from rlenv_emit.bytecode import interpreter
from rlenv_emit.call import Traced, bind
from rlenv_emit.collection import uncollected
from rlenv_emit.front.trace import program
from rlenv_emit.identity import identity_of
from rlenv_emit.ir import Program
from rlenv_emit.processor import Form
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
        (``in_axes=None``) is shared by all environments.  It may be called under `jax.jit` and inside loops.

    Raises:
        UnsupportedError: the function uses what cannot be emitted; raised when it is called, since which arguments are
            shared is known only then.
        CompilerError: there is no compiler, or it failed; likewise.
        InvalidParamsError: threads is below 1, or a call's arguments do not fit the example.
        ObjectFileError: this processor does not run the form.

    `rlenv_emit.unsupported` lists all that keeps a function from being emitted.
    """
    avals = jax.tree.map(aval_of, example)
    emitted = _traced(function, avals, chosen_form(form), _threads(threads))
    expected = _described(avals)

    @functools.wraps(function)
    def checked(*arguments: Any) -> Any:
        got = _described(jax.tree.map(aval_of, arguments))
        if got != expected:
            remedy = "emit it for such arguments, or map the batch axis with jax.vmap"
            raise InvalidParamsError(explain("emitted function", got=got, expected=expected, remedy=remedy))
        return emitted(*arguments)

    return checked


def emit_lazily(
    function: Callable[..., Any],
    form: str | None = None,
    threads: int | None = None,
    alike: Callable[..., Any] | None = None,
    where: Callable[..., Any] | None = None,
) -> Callable[..., Any]:
    """As `emit`, for every shape and dtype of arguments that the function is called with.

    Args:
        function: of one environment.
        form: as of `emit`.
        threads: as of `emit`.
        alike: of the same arguments: a number, int32 ``()``, which environments have in common that take similar
            branches.  A batch is worked on in its order, so that a group skips more; results stay in their places.
        where: of the same arguments: whether the function is carried out, bool ``()``.  Where it is not, results are
            the first arguments, of which they must have shapes and dtypes.  Such environments cost nothing.

    Raises:
        InvalidParamsError: with ``where``, results are not as the first arguments; raised at the call.
    """
    chosen, workers = chosen_form(form), _threads(threads)
    return _by_avals(function, lambda avals: _traced(function, avals, chosen, workers, alike, where))


def _by_avals(function: Callable[..., Any], make: Callable[[Any], Callable[..., Any]]) -> Callable[..., Any]:
    """What ``make`` makes for the shapes and dtypes of each call."""

    @functools.cache
    def made(structure: Any, leaves: tuple[Any, ...]) -> Callable[..., Any]:
        avals = [jax.ShapeDtypeStruct(shape, dtype, weak_type=weak) for shape, dtype, weak in leaves]
        return make(jax.tree.unflatten(structure, avals))

    @functools.wraps(function)
    def called(*arguments: Any) -> Any:
        leaves, structure = jax.tree.flatten(arguments)
        avals = [aval_of(leaf) for leaf in leaves]
        return made(structure, tuple((aval.shape, aval.dtype, aval.weak_type) for aval in avals))(*arguments)

    return called


@uncollected()
def traced_program(function: Callable[..., Any], *example: Any) -> Program:
    """The program of a function whose every argument varies, as it is before it is compiled."""
    avals = jax.tree.map(aval_of, example)
    return program(jax.make_jaxpr(function)(*avals), [True] * len(jax.tree.leaves(avals)))


@uncollected()
def _traced(
    function: Callable[..., Any],
    avals: Any,
    form: Form,
    threads: int,
    alike: Callable[..., Any] | None = None,
    where: Callable[..., Any] | None = None,
) -> Callable[..., Any]:
    structure, leaves = jax.tree.structure(avals), jax.tree.leaves(avals)
    closed = None

    def trace() -> Any:
        return jax.make_jaxpr(function, return_shape=True)(*avals)

    identity = identity_of(function, alike, where, avals, structure, dataclasses.astuple(form), threads)
    kept = None if identity is None else warm.results(identity)
    if kept is None:
        closed, shape = trace()
        results = jax.tree.structure(shape)
        outs = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in closed.out_avals]
        if where is not None:
            _check_places(closed)
        if identity is not None:
            warm.keep_results(identity, results, outs)
    else:
        results, outs, _ = kept

    def kind(*leaves: Any) -> Any:
        arguments = jax.tree.unflatten(structure, leaves)
        number = jnp.int32(0) if alike is None else alike(*arguments) & np.int32(0x7FFFFFFF)
        return number if where is None else jnp.where(where(*arguments), number, -1)

    kinds = kind if alike or where else None
    traced = Traced(lambda: trace()[0], leaves, outs, form, threads, kinds, where is not None, identity, closed)

    def emitted(*arguments: Any) -> Any:
        return jax.tree.unflatten(results, bind(traced, [jnp.asarray(leaf) for leaf in jax.tree.leaves(arguments)]))

    return emitted


def _check_places(closed: Any) -> None:
    """Whether results are as the first arguments, in whose places they are."""
    got, first = [list(map(str, given)) for given in (closed.out_avals, closed.in_avals[: len(closed.out_avals)])]
    if got != first:
        remedy = "return each of the first arguments, or leave out `where`"
        raise InvalidParamsError(explain("results of an emitted function", got=got, expected=first, remedy=remedy))


def kept_trace(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of one environment as XLA compiles it; what JAX traces is kept for the next process."""
    return _by_avals(function, lambda avals: _traced(function, avals, processor.TRACED, 1))


def chosen_form(name: str | None) -> Form:
    """The form of this name, or the best that this processor runs; instructions in a form that this machine has."""
    chosen = processor.best() if name is None else processor.named(name)
    return processor.BY_XLA if chosen is processor.BYTECODE and not interpreter.available() else chosen


def _threads(threads: int | None) -> int:
    if threads is None:
        return os.cpu_count() or 1
    if threads < 1:
        raise InvalidParamsError(explain("threads", got=threads, expected="an integer >= 1", remedy="leave it out"))
    return threads


def aval_of(leaf: Any) -> Any:
    """Shape, dtype, and whether the dtype gives way to others, of an array or number.

    Raises:
        InvalidParamsError: it is neither, or a number that no dtype holds.
    """
    try:
        found = leaf if isinstance(leaf, jax.ShapeDtypeStruct) else jax.typeof(leaf)
    except (TypeError, ValueError, OverflowError) as error:
        got, remedy = f"{type(leaf).__name__} {leaf!r:.60}", "bind what is no array with functools.partial"
        what = "argument of an emitted function"
        raise InvalidParamsError(explain(what, got=got, expected="an array or a number", remedy=remedy)) from error
    return jax.ShapeDtypeStruct(found.shape, found.dtype, weak_type=bool(getattr(found, "weak_type", False)))


def _described(avals: Any) -> str:
    return str(jax.tree.map(lambda aval: f"{aval.dtype.name}{list(aval.shape)}", avals))
