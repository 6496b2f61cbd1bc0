"""Traces a function of one environment into a program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rlenv_emit.front.arrays import Context, dtype_of
from rlenv_emit.front.control import evaluate
from rlenv_emit.front.lines import argument_of, function_of
from rlenv_emit.ir import Array, Program
from rlenv_emit.passes import without_dead


def program(closed: Any, varying: Sequence[bool]) -> Program:
    """The program of a closed jaxpr.

    Args:
        closed: of one lane.
        varying: for each argument, whether every lane has its own; the others are the same for all.

    Raises:
        UnsupportedError: it uses a primitive, dtype or size that cannot be emitted.
    """
    context, jaxpr = Context(), closed.jaxpr
    context.source = function_of(jaxpr)
    for number, aval in enumerate(closed.in_avals):
        context.primitive = f"argument {argument_of(jaxpr, number)}"
        context.check(aval)
    inputs = tuple(
        Array(own, tuple(aval.shape), dtype_of(aval)) for aval, own in zip(closed.in_avals, varying, strict=True)
    )
    held = [context.argument(number, array) for number, array in enumerate(inputs)]
    found = evaluate(context, jaxpr, closed.consts, held)
    context.primitive = "result"
    for aval in closed.out_avals:
        context.check(aval)
    outputs = tuple(Array(True, tuple(aval.shape), dtype_of(aval)) for aval in closed.out_avals)
    block = context.build.block
    block.results = tuple(value for array in found for value in context.elements(array).reshape(-1))
    return without_dead(Program(inputs, outputs, context.tables, block, context.build.origins), context.build.constants)
