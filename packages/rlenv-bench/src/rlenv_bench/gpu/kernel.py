"""A whole rollout in one kernel: the state stays in registers for all steps, only what a step yields is written.

For elementwise steps alone (`rlenv_shared.words`): a kernel cannot gather from a value, stack or reduce.  It is a
Pallas kernel compiled by Triton, so it runs on CUDA; elsewhere the same rollout is a `jax.lax.scan`, with equal
results.  JAX 0.11 announces that a later version will not have this compiler: hence an opt-in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu
from jax.extend import core

from rlenv_shared import barrier
from rlenv_shared.errors import InvalidParamsError, explain
from rlenv_shared.words import Ops, kernel_ops, xla_ops

Mode = Literal["auto", "scan", "kernel", "interpreted"]
MODES: Final = ("auto", "scan", "kernel", "interpreted")
BARRIERS: Final = ("optimization_barrier", barrier.NAME)
BLOCK: Final = 128  # environments of one program of the kernel, one per thread
NUM_WARPS: Final = 4
Step = Callable[[Any, Any, Ops], tuple[Any, Any]]
"""``(carry, params, ops) -> (carry, outputs)``: pytrees of arrays of one shape, elementwise; ``params`` are scalars."""


def rollout(
    step: Step,
    carry: Any,
    steps: int,
    *,
    params: Any = (),
    tables: Mapping[str, Any] | None = None,
    mode: Mode = "auto",
    block: int = BLOCK,
    num_warps: int = NUM_WARPS,
) -> tuple[Any, Any]:
    """Apply an elementwise step ``steps`` times to a batch.

    Args:
        step: one step; reads tables through its `Ops`, and closes over no arrays.
        carry: pytree of [B] arrays, which may be donated.
        steps: how many.
        params: pytree of scalars, the same for all environments.
        tables: flat arrays by name.
        mode: ``auto`` is ``kernel`` where JAX's backend is CUDA and ``scan`` elsewhere; ``interpreted`` runs the
            kernel's program without a GPU, slowly, for tests.
        block: environments of one program of the kernel, a power of two that divides B.
        num_warps: of 32 threads that work on a block.

    Returns:
        ``(carry, outputs)``: the carry after the last step, the outputs of every step as [steps, B] arrays.

    Raises:
        InvalidParamsError: an unknown mode, a batch that the block does not divide, or a block that is no power of two.
    """
    if mode not in MODES:
        raise _bad("mode", mode, f"one of {MODES}", "leave it out")
    tables = dict(tables or {})
    if mode == "scan" or (mode == "auto" and jax.default_backend() != "gpu"):
        ops = xla_ops(tables)
        return jax.lax.scan(lambda carry, _: step(carry, params, ops), carry, None, steps)
    return _in_kernel(step, carry, params, steps, tables, block, num_warps, mode == "interpreted")


def _in_kernel(
    step: Step, carry: Any, params: Any, steps: int, tables: dict[str, Any], block: int, num_warps: int, interpret: bool
) -> tuple[Any, Any]:
    leaves, tree = jax.tree.flatten(carry)
    batch = leaves[0].shape[0]
    if block < 1 or block & (block - 1) or batch % block:
        raise _bad("block", f"{block} for a batch of {batch}", "a power of two that divides it", "choose another")
    scalars, params_tree = jax.tree.flatten(params)
    arrays = [*(jnp.asarray(scalar)[None] for scalar in scalars), *map(jnp.asarray, tables.values())]
    outputs = jax.eval_shape(lambda carry, params: step(carry, params, xla_ops(tables))[1], carry, params)
    output_leaves, output_tree = jax.tree.flatten(outputs)

    def kernel(*refs: Any) -> None:
        begin, given, rest = refs[: len(leaves)], refs[len(leaves) :][: len(arrays)], refs[len(leaves) + len(arrays) :]
        end, yielded = rest[: len(leaves)], rest[len(leaves) :]
        inside = jax.tree.unflatten(params_tree, [ref[0] for ref in given[: len(scalars)]])
        ops = kernel_ops(dict(zip(tables, given[len(scalars) :], strict=True)))

        def body(t: Any, carry: Any) -> Any:
            carry, values = step(carry, inside, ops)
            for ref, value in zip(yielded, jax.tree.leaves(values), strict=True):
                ref[t, :] = value
            return carry

        carry = jax.tree.unflatten(tree, [ref[...] for ref in begin])
        carry = jax.lax.fori_loop(np.int32(0), np.int32(steps), body, carry)
        for ref, value in zip(end, jax.tree.leaves(carry), strict=True):
            ref[...] = value

    lanes = [pl.BlockSpec((block,), lambda i: (i,))] * len(leaves)
    whole = [pl.BlockSpec(array.shape, lambda i: (0,)) for array in arrays]
    rows = [pl.BlockSpec((steps, block), lambda i: (0, i))] * len(output_leaves)
    found = pl.pallas_call(
        kernel,
        out_shape=[
            *(jax.ShapeDtypeStruct(leaf.shape, leaf.dtype) for leaf in leaves),
            *(jax.ShapeDtypeStruct((steps, *leaf.shape), leaf.dtype) for leaf in output_leaves),
        ],
        grid=(batch // block,),
        in_specs=[*lanes, *whole],
        out_specs=[*lanes, *rows],
        input_output_aliases={i: i for i in range(len(leaves))},
        compiler_params=plgpu.CompilerParams(num_warps=num_warps),
        interpret=interpret,
        name="rollout",
    )(*leaves, *arrays)
    return jax.tree.unflatten(tree, found[: len(leaves)]), jax.tree.unflatten(output_tree, found[len(leaves) :])


def live(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function without what none of its results needs, and without optimisation barriers.

    XLA does that by itself; the compiler of a kernel stops at a dead operation it does not know, such as the stacking
    of an observation that nobody reads.
    """

    def pruned(*arguments: Any) -> Any:
        closed, shape = jax.make_jaxpr(function, return_shape=True)(*arguments)
        jaxpr = closed.jaxpr
        source: dict[Any, Any] = {}  # the variable behind each result of a barrier
        equations = []
        for equation in jaxpr.eqns:
            operands = [source.get(id(variable), variable) for variable in equation.invars]
            if equation.primitive.name in BARRIERS:
                source.update(zip(map(id, equation.outvars), operands, strict=True))
            else:
                equations.append(equation.replace(invars=operands))
        results = [source.get(id(variable), variable) for variable in jaxpr.outvars]
        wanted = set(map(id, results))
        kept = []
        for equation in reversed(equations):
            if equation.effects or any(id(variable) in wanted for variable in equation.outvars):
                kept.append(equation)
                wanted |= set(map(id, equation.invars))
        short = closed.replace(jaxpr=jaxpr.replace(eqns=kept[::-1], outvars=results))
        return jax.tree.unflatten(jax.tree.structure(shape), core.jaxpr_as_fun(short)(*jax.tree.leaves(arguments)))

    return pruned


def _bad(what: str, got: object, expected: object, remedy: str) -> InvalidParamsError:
    return InvalidParamsError(explain(f"kernel rollout: {what}", got=got, expected=expected, remedy=remedy))
