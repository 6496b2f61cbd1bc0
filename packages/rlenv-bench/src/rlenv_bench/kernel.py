"""A whole rollout in one kernel: the state stays in registers for all steps, only what a step yields is written.

Compiled, for elementwise steps alone: a kernel cannot gather from a value, stack or reduce.  It is a Pallas kernel
compiled by Triton, so it runs on CUDA; elsewhere the same rollout is a `jax.lax.scan`, with equal results.  JAX 0.11
announces that a later version will not have this compiler: hence an opt-in.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, Literal

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

from rlenv_shared import transforms
from rlenv_shared.errors import InvalidParamsError

Mode = Literal["auto", "scan", "kernel", "interpreted"]
MODES: Final = ("auto", "scan", "kernel", "interpreted")
BLOCK: Final = 128  # environments of one program of the kernel, one per thread
NUM_WARPS: Final = 4  # of 32 threads, which work on a block
Step = Callable[[Any, Any], tuple[Any, Any]]
"""``(carry, params) -> (carry, outputs)`` of one environment: scalars, or small arrays where not compiled."""


def rollout(
    step: Step,
    carry: Any,
    steps: int,
    *,
    params: Any = (),
    mode: Mode = "auto",
    block: int = BLOCK,
) -> tuple[Any, Any]:
    """Apply a step ``steps`` times to a batch: ``(carry after the last, outputs of every step [steps, B, ...])``.

    Args:
        step: one step of one environment; compiled it reads no tables, closes over no arrays and has no loops.
        carry: pytree of [B, ...] arrays, which may be donated.
        steps: how many.
        params: pytree of scalars and of tables, the same for all environments.
        mode: ``auto`` is ``kernel`` where JAX's backend is CUDA and ``scan`` elsewhere; ``interpreted`` runs the
            kernel's program without a GPU, slowly, for tests, whatever it closes over; tables are values there.
        block: environments of one program of the kernel, a power of two that divides B.
        num_warps: of 32 threads that work on a block.

    Raises:
        InvalidParamsError: an unknown mode, a batch that the block does not divide, or a block that is no power of two.
    """
    if mode not in MODES:
        raise _bad("mode", mode, f"one of {MODES}", "leave it out")
    if mode == "scan" or (mode == "auto" and jax.default_backend() != "gpu"):
        return jax.lax.scan(lambda carry, _: _lanes(step, params)(carry), carry, None, steps)
    return _in_kernel(step, carry, params, steps, block, mode == "interpreted")


def _in_kernel(step: Step, carry: Any, params: Any, steps: int, block: int, interpret: bool) -> tuple[Any, Any]:
    leaves, tree = jax.tree.flatten(carry)
    batch = leaves[0].shape[0]
    if block < 1 or block & (block - 1) or batch % block:
        raise _bad("block", f"{block} for a batch of {batch}", "a power of two that divides it", "choose another")
    given, params_tree = jax.tree.flatten(params)
    arrays = [jnp.atleast_1d(leaf) for leaf in given]
    shapes = jax.eval_shape(_lanes(step, params), carry)[1]
    output_leaves, output_tree = jax.tree.flatten(shapes)
    lanes_of = functools.partial(_lanes, step)
    if interpret:
        lanes_of, closed = _without_closure(lanes_of, carry, params, block)
        given, arrays = [*given, *closed], [*arrays, *map(jnp.atleast_1d, closed)]

    def kernel(*refs: Any) -> None:
        begin, tables, rest = refs[: len(leaves)], refs[len(leaves) :][: len(arrays)], refs[len(leaves) + len(arrays) :]
        end, yielded = rest[: len(leaves)], rest[len(leaves) :]
        inside = [
            ref[...] if interpret and jnp.ndim(leaf) else ref if jnp.ndim(leaf) else ref[0]
            for leaf, ref in zip(given, tables, strict=True)
        ]
        lanes = lanes_of(inside if interpret else jax.tree.unflatten(params_tree, inside))

        def body(t: Any, carry: Any) -> Any:
            carry, values = lanes(carry)
            for ref, value in zip(yielded, jax.tree.leaves(values), strict=True):
                ref[t] = value
            return carry

        carry = jax.tree.unflatten(tree, [ref[...] for ref in begin])
        carry = jax.lax.fori_loop(np.int32(0), np.int32(steps), body, carry)
        for ref, value in zip(end, jax.tree.leaves(carry), strict=True):
            ref[...] = value

    lanes = [_spec((block, *leaf.shape[1:]), 0) for leaf in leaves]
    whole = [pl.BlockSpec(array.shape, lambda i, n=array.ndim: (0,) * n) for array in arrays]
    rows = [_spec((steps, block, *leaf.shape[1:]), 1) for leaf in output_leaves]
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
        compiler_params=plgpu.CompilerParams(num_warps=NUM_WARPS),
        interpret=interpret,
        name="rollout",
    )(*leaves, *arrays)
    return jax.tree.unflatten(tree, found[: len(leaves)]), jax.tree.unflatten(output_tree, found[len(leaves) :])


def _lanes(step: Step, params: Any) -> Callable[[Any], tuple[Any, Any]]:
    """The step of a batch."""
    return jax.vmap(transforms.masked(lambda carry: step(carry, params)))


def _without_closure(lanes_of: Callable[[Any], Any], carry: Any, params: Any, block: int) -> tuple[Any, list[Any]]:
    """A block's step whose closed-over arrays are arguments, for the interpreter, which then takes any step.

    ``leaves of params and the arrays -> (carry -> (carry, outputs))``, and the arrays.
    """
    one_block = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct((block, *leaf.shape[1:]), leaf.dtype), carry)
    traced, results = jax.make_jaxpr(lambda carry, params: lanes_of(params)(carry), return_shape=True)(
        one_block, params
    )
    structure, number = jax.tree.structure(results), len(jax.tree.leaves(params))

    def again(inside: list[Any]) -> Callable[[Any], Any]:
        def lanes(carry: Any) -> Any:
            values = (*jax.tree.leaves(carry), *inside[:number])
            return jax.tree.unflatten(structure, jax.core.eval_jaxpr(traced.jaxpr, inside[number:], *values))

        return lanes

    return again, list(traced.consts)


def _spec(shape: tuple[int, ...], axis: int) -> Any:
    """Blocks along one axis, everything along the others."""
    return pl.BlockSpec(shape, lambda i: tuple(i if n == axis else 0 for n in range(len(shape))))


def _bad(what: str, got: object, expected: object, remedy: str) -> InvalidParamsError:
    return InvalidParamsError(f"kernel rollout: {what}", got, expected, remedy)
