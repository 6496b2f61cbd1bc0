"""`unsupported`: all that keeps a function from being emitted, at once."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import numpy as np

from rlenv_emit.bytecode.machine import refused
from rlenv_emit.collection import uncollected
from rlenv_emit.emit import aval_of, chosen_form
from rlenv_emit.errors import Missing, UnsupportedError
from rlenv_emit.front.arrays import MOST_ELEMENTS, Context, Held, dtype_of, is_held, objects
from rlenv_emit.front.control import CONTROL, evaluate, rule_of
from rlenv_emit.front.lines import argument_of, function_of
from rlenv_emit.front.trace import finished
from rlenv_emit.ir import Array
from rlenv_emit.processor import BYTECODE
from rlenv_shared.errors import InvalidParamsError, explain


@uncollected()
def unsupported(
    function: Callable[..., Any],
    *example: Any,
    in_axes: int | Sequence[int | None] | None = 0,
    form: str | None = None,
) -> list[Missing]:
    """All that keeps a function of one environment from being emitted.

    Args:
        function: as of `emit`.
        example: its arguments, as of `emit`.
        in_axes: for each argument, or for all, None where all environments share it, as `jax.vmap` will be told.
        form: as of `emit`.

    Returns:
        What is missing, in the order of the function, each place once; an empty list where `emit` takes the function.

    Raises:
        InvalidParamsError: an argument is no array or number, or ``in_axes`` does not fit the arguments.
        ObjectFileError: there is no such form.

    >>> import jax.numpy as jnp
    >>> def step(x):
    ...     return jnp.sort(x)[0] + jnp.tan(x[1])
    >>> [one.primitive for one in unsupported(step, jnp.zeros(3))]
    ['sort', 'tan']
    """
    avals = jax.tree.map(aval_of, example)
    closed = jax.make_jaxpr(function)(*avals)
    axes = [in_axes] * len(example) if in_axes is None or isinstance(in_axes, int) else list(in_axes)
    if len(axes) != len(example):
        remedy = "give one of each argument, or a single one for all"
        raise InvalidParamsError(explain("in_axes", got=axes, expected=f"{len(example)} of them", remedy=remedy))
    varying = [axis is not None for axis, tree in zip(axes, avals, strict=True) for _ in jax.tree.leaves(tree)]
    survey = _Survey()
    held = survey.arguments(closed, varying)
    found = evaluate(survey, closed.jaxpr, closed.consts, held)
    if survey.missing:
        return list(survey.missing)
    try:
        inputs = tuple(
            Array(own, tuple(aval.shape), dtype_of(aval)) for aval, own in zip(closed.in_avals, varying, strict=True)
        )
        program = finished(survey, closed, inputs, found)
    except UnsupportedError as error:
        survey.note(error)
    else:
        if chosen_form(form) is BYTECODE:
            for error in refused(program):
                survey.note(error)
    return list(survey.missing)


@dataclasses.dataclass(frozen=True)
class _Unknown:
    """What cannot be emitted gives a value that cannot be held either; no rule is asked about it."""

    shape: tuple[int, ...]


class _Survey(Context):
    """Goes on where an equation is refused, with numbers that nothing is known about as its results."""

    def __init__(self) -> None:
        super().__init__()
        self.missing: dict[Missing, None] = {}

    def note(self, error: UnsupportedError) -> None:
        """Keep what is missing; a loop is gone through more than once."""
        assert error.missing is not None
        self.missing[error.missing] = None

    def arguments(self, closed: Any, varying: Sequence[bool]) -> list[Held]:
        """Of the function."""
        self.source = function_of(closed.jaxpr)
        held = []
        for number, (aval, own) in enumerate(zip(closed.in_avals, varying, strict=True)):
            self.primitive = argument_of(closed.jaxpr, number)
            if self._noted(self.check, aval):
                held.append(_Unknown(aval.shape))
            else:
                held.append(self.argument(number, Array(own, tuple(aval.shape), dtype_of(aval))))
        return held

    def known(self, const: Any, aval: Any) -> Held:
        """As of any context."""
        return _Unknown(np.shape(const)) if self._noted(self.check, aval) else super().known(const, aval)

    def attempt(self, equation: Any, held: list[Held], emit: Callable[[Any, list[Held]], list[Held]]) -> list[Held]:
        """As of any context, but what is refused is kept."""
        name = equation.primitive.name
        if not any(isinstance(one, _Unknown) for one in held):
            try:
                return emit(equation, held)
            except UnsupportedError as error:
                self.note(error)
        elif name not in CONTROL:
            self._noted(rule_of, self, equation)
        if name in CONTROL:  # what is inside has not been looked at, or not all of it
            for inner in _jaxprs(equation.params):
                jaxpr = getattr(inner, "jaxpr", inner)
                given = [self._placeholder(variable.aval) for variable in jaxpr.invars]
                evaluate(self, jaxpr, getattr(inner, "consts", ()), given)
        return [self._placeholder(variable.aval) for variable in equation.outvars]

    def _noted(self, function: Callable[..., Any], *arguments: Any) -> bool:
        try:
            function(*arguments)
        except UnsupportedError as error:
            self.note(error)
            return True
        return False

    def _placeholder(self, aval: Any) -> Held:
        size = int(np.prod(aval.shape, dtype=np.int64))
        if not is_held(aval) or size > MOST_ELEMENTS:
            return _Unknown(aval.shape)
        dtype = dtype_of(aval)
        return objects([self.build.value(dtype, uniform=False) for _ in range(size)], aval.shape)


def _jaxprs(params: dict[str, Any]) -> Iterator[Any]:
    for value in params.values():
        for one in value if isinstance(value, tuple | list) else (value,):
            if hasattr(getattr(one, "jaxpr", one), "eqns"):
                yield one
