"""What a function uses that cannot be emitted, all of it at once."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import jax

from rlenv_emit.bytecode.machine import refused
from rlenv_emit.emit import aval_of
from rlenv_emit.errors import Missing, UnsupportedError
from rlenv_emit.front.arrays import Context, Held, dtype_of, is_held
from rlenv_emit.front.control import evaluate
from rlenv_emit.front.lines import argument_of, function_of
from rlenv_emit.front.trace import program
from rlenv_emit.ir import Array
from rlenv_emit.key import CONTROL
from rlenv_emit.processor import INSTRUCTIONS, known


class Collecting(Context):
    """Notes what is refused and goes on, with unknown numbers in the places of its results."""

    def __init__(self) -> None:
        super().__init__()
        self.missing: dict[Missing, None] = {}  # in order, each once: a loop's body is looked at more than once
        self._numbers = itertools.count()

    def noting(self, function: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
        """What a function gives, or something else where it meets what cannot be emitted."""
        try:
            return function()
        except UnsupportedError as error:
            if error.missing is None:
                raise
            self.missing[error.missing] = None
            return otherwise()

    def unknown(self, aval: Any) -> Held:
        """An argument of its own, of which shape and, where it can be emitted, dtype are known."""
        dtype = dtype_of(aval) if is_held(aval) else "i32"
        return self.argument(next(self._numbers), Array(True, tuple(aval.shape), dtype))

    def known(self, const: Any) -> Held:
        """As of a `Context`."""
        return self.noting(lambda: super(Collecting, self).known(const), lambda: self.unknown(jax.typeof(const)))

    def attempt(self, equation: Any, held: list[Held], emit: Callable[[Any, list[Held]], list[Held]]) -> list[Held]:
        """As of a `Context`."""
        return self.noting(lambda: emit(equation, held), lambda: self._looked_into(equation))

    def _looked_into(self, equation: Any) -> list[Held]:
        """Results of a refused equation; a branch or loop may hold what nobody has come to."""
        for name in CONTROL.get(equation.primitive.name, ()):
            value = equation.params.get(name)
            for one in value if isinstance(value, tuple) else (value,):
                if hasattr(one, "in_avals"):
                    evaluate(self, one.jaxpr, one.consts, [self.unknown(aval) for aval in one.in_avals])
        return [self.unknown(result.aval) for result in equation.outvars]


def unsupported(function: Callable[..., Any], *example: Any, form: str | None = None) -> list[Missing]:
    """All that keeps a function from being emitted.

    Args:
        function: of pytrees of arrays, traceable; of a single environment.
        example: its arguments, arrays or `jax.ShapeDtypeStruct`; only shapes and dtypes matter.
        form: as of `emit`; what ``bytecode`` cannot carry out is listed where nothing else is missing.

    Returns:
        What is missing, each primitive at each line once, in the order of the program; empty if it can be emitted.

    Raises:
        InvalidParamsError: an argument is neither array nor number.
        ObjectFileError: there is no such form.

    >>> import jax.numpy as jnp
    >>> [one.primitive for one in unsupported(lambda x: jnp.tan(jnp.sort(x)), jnp.zeros(3))]
    ['sort', 'tan']
    """
    chosen = None if form is None else known(form)
    closed = jax.make_jaxpr(function)(*jax.tree.map(aval_of, example))
    context, held = Collecting(), []
    context.source = function_of(closed.jaxpr)
    for number, aval in enumerate(closed.in_avals):
        context.primitive = f"argument {argument_of(closed.jaxpr, number)}"
        context.noting(functools.partial(context.check, aval), lambda: None)
        held.append(context.unknown(aval))
    found = evaluate(context, closed.jaxpr, closed.consts, held)
    context.primitive = "result"
    for array, aval in zip(found, closed.out_avals, strict=True):
        context.noting(functools.partial(context.check, aval), lambda: None)
        if is_held(aval):
            context.noting(functools.partial(context.elements, array), lambda: None)
    if chosen in INSTRUCTIONS and not context.missing:
        errors = refused(program(closed, [True] * len(closed.in_avals)))
        context.missing.update({error.missing: None for error in errors if error.missing})
    return list(context.missing)
