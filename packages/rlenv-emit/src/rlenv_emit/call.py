"""The emitted function as a JAX primitive: under `jit`, `vmap` and `scan` like any other."""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend import core as jax_core
from jax.interpreters import ad, batching, mlir

from rlenv_emit.build import Built, build
from rlenv_emit.bytecode import machine
from rlenv_emit.bytecode.code import Code
from rlenv_emit.bytecode.store import code_of
from rlenv_emit.collection import uncollected
from rlenv_emit.errors import DifferentiationError
from rlenv_emit.processor import BYTECODE, Form
from rlenv_shared.errors import explain

Kind = Callable[..., Any]
"""``*arguments -> int32 ()`` of one environment: those of one kind go through a step in similar ways.

An environment of a negative kind is left out, and its results are the arguments in their places.
"""


class Traced:
    """A function of one environment, traced; compiled for every pattern of shared arguments that it meets.

    Args:
        closed: its jaxpr.
        form: of the processor.
        threads: at most that many work on a batch.
        kind: of an environment, if it matters.
        partly: whether kinds may be negative.
    """

    def __init__(self, closed: Any, form: Form, threads: int, kind: Kind | None = None, partly: bool = False) -> None:
        self.closed, self.form, self.threads, self.kind, self.partly = closed, form, threads, kind, partly

    @functools.cached_property
    def out_avals(self) -> tuple[Any, ...]:
        """Shapes and dtypes of one environment's results."""
        return tuple(jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in self.closed.out_avals)

    @functools.cache  # noqa: B019
    @uncollected()
    def target(self, varying: tuple[bool, ...]) -> str:
        """Name under which XLA knows the object for these varying arguments."""
        return _register(build(self.closed, varying, self.form))

    @functools.cache  # noqa: B019
    @uncollected()
    def code(self, varying: tuple[bool, ...]) -> Code:
        """Instructions for these varying arguments."""
        return code_of(self.closed, varying)


@functools.cache
def _registered() -> set[str]:
    return set()


def _register(built: Built) -> str:
    name = f"rlenv_emit_{built.key}"
    if name not in _registered():
        create = ctypes.pythonapi.PyCapsule_New
        create.restype, create.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        jax.ffi.register_ffi_target(name, create(built.handler, None, None), platform="cpu")
        _registered().add(name)
    return name


emitted_p = jax_core.Primitive("emitted")
emitted_p.multiple_results = True


def bind(traced: Traced, arguments: Sequence[Any]) -> list[Any]:
    """Call for one environment; `jax.vmap` makes batches of it."""
    return emitted_p.bind(*arguments, traced=traced, batched=(False,) * len(arguments), batch=())


def _abstract(*avals: Any, traced: Traced, batched: tuple[bool, ...], batch: tuple[int, ...]) -> list[Any]:
    return [jax.core.ShapedArray((*batch, *out.shape), out.dtype) for out in traced.out_avals]


def _batch(axis_data: Any, arguments: Any, axes: Any, **params: Any) -> tuple[list[Any], list[int]]:
    """One more axis of environments: it comes first, before those that there are."""
    before, batch, size = params["batched"], params["batch"], axis_data.size
    moved, batched = [], []
    for argument, axis, own in zip(arguments, axes, before, strict=True):
        mapped = axis is not None
        if mapped:
            argument = jnp.moveaxis(argument, axis, 0)
        if mapped and batch and not own:
            argument = jnp.broadcast_to(
                argument.reshape(size, *(1,) * len(batch), *argument.shape[1:]), (size, *batch, *argument.shape[1:])
            )
        elif own and not mapped:
            argument = jnp.broadcast_to(argument, (size, *argument.shape))
        moved.append(argument)
        batched.append(mapped or own)
    found = emitted_p.bind(*moved, traced=params["traced"], batched=tuple(batched), batch=(size, *batch))
    return found, [0] * len(found)


def _lower(*arguments: Any, traced: Traced, batched: tuple[bool, ...], batch: tuple[int, ...]) -> list[Any]:
    count = math.prod(batch)
    if count == 0:
        return [jnp.zeros((*batch, *out.shape), out.dtype) for out in traced.out_avals]
    outs = [jax.ShapeDtypeStruct((count, *out.shape), out.dtype) for out in traced.out_avals]
    # Who is left out keeps its first arguments, so they are its own.
    spread = [traced.partly and not own and i < len(outs) for i, own in enumerate(batched)]
    arguments = tuple(
        jnp.broadcast_to(argument, (*batch, *argument.shape)) if shared else argument
        for argument, shared in zip(arguments, spread, strict=True)
    )
    batched = tuple(own or shared for own, shared in zip(batched, spread, strict=True))
    rows = [
        argument.reshape((count, *aval.shape)) if own else argument
        for argument, own, aval in zip(arguments, batched, traced.closed.in_avals, strict=True)
    ]
    kinds = None
    if traced.kind is not None:  # neighbours share branches, so those of one kind go together
        kinds = jax.vmap(traced.kind, [0 if own else None for own in batched], axis_size=count)(*rows)
    carry_out = _carried_out if traced.form is BYTECODE else _native
    found = carry_out(traced, batched, rows, outs, kinds)
    return [array.reshape((*batch, *out.shape)) for array, out in zip(found, traced.out_avals, strict=True)]


def _native(traced: Traced, batched: tuple[bool, ...], rows: Any, outs: Any, kinds: Any) -> Any:
    """By the object, which changes arguments in place where environments have a kind."""
    replaced = {}
    if kinds is not None:
        places = enumerate(zip(batched, rows, outs, strict=False))
        replaced = {i: i for i, (own, row, out) in places if own and (row.shape, row.dtype) == (out.shape, out.dtype)}
    call: Any = jax.ffi.ffi_call(traced.target(batched), outs, input_output_aliases=replaced)
    return call(*rows, *([] if kinds is None else [kinds]), threads=traced.threads)


def _carried_out(traced: Traced, batched: tuple[bool, ...], rows: Any, outs: Any, kinds: Any) -> Any:
    """By XLA, instruction by instruction."""
    if not outs:
        return []
    found = machine.run(traced.code(batched), rows, outs[0].shape[0], kinds)
    if not traced.partly:
        return found
    plays = kinds >= 0
    return [
        jnp.where(plays.reshape(-1, *(1,) * (new.ndim - 1)), new, old) for new, old in zip(found, rows, strict=False)
    ]


def _refuse(primals: Any, tangents: Any, **params: Any) -> Any:
    raise DifferentiationError(
        explain(
            "emitted function",
            got="a derivative",
            expected="none: it is compiled outside of JAX",
            remedy="differentiate the function itself",
        )
    )


emitted_p.def_abstract_eval(_abstract)
emitted_p.def_impl(lambda *arguments, **params: jax.jit(functools.partial(emitted_p.bind, **params))(*arguments))
batching.fancy_primitive_batchers[emitted_p] = _batch
ad.primitive_jvps[emitted_p] = _refuse
mlir.register_lowering(emitted_p, mlir.lower_fun(_lower, multiple_results=True), platform="cpu")
