"""The emitted function as a JAX primitive: under `jit`, `vmap` and `scan` like any other."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend import core as jax_core
from jax.interpreters import ad, batching, mlir

from rlenv_emit import warm
from rlenv_emit.build import build, built, kept_object
from rlenv_emit.bytecode import interpreter, machine
from rlenv_emit.bytecode.code import Code
from rlenv_emit.bytecode.store import code_of, kept_code, key_of_code
from rlenv_emit.collection import uncollected
from rlenv_emit.errors import DifferentiationError
from rlenv_emit.processor import BYTECODE, INSTRUCTIONS, TRACED, Form
from rlenv_emit.targets import is_registered, register, target_of
from rlenv_shared.errors import explain

Kind = Callable[..., Any]
"""``*arguments -> int32 ()`` of one environment: those of one kind go through a step in similar ways.

An environment of a negative kind is left out, and its results are the arguments in their places.
"""


class Traced:
    """A function of one environment, traced; compiled for every pattern of shared arguments that it meets.

    Args:
        trace: gives its jaxpr; not asked where all that is needed of it was kept.
        in_avals: shapes and dtypes of one environment's arguments.
        out_avals: of its results.
        form: of the processor.
        threads: at most that many work on a batch.
        kind: of an environment, if it matters.
        partly: whether kinds may be negative.
        identity: of the function and its options, by which programs are kept; None where it cannot be told.
        closed: its jaxpr, where it has been traced.

    What is compiled gives its jaxpr up, which of a large step takes hundreds of megabytes.
    """

    def __init__(
        self, trace: Callable[[], Any], in_avals: Sequence[Any], out_avals: Sequence[Any], form: Form, threads: int,
        kind: Kind | None = None, partly: bool = False, identity: str | None = None, closed: Any = None,
    ) -> None:  # fmt: skip
        self._trace, self.in_avals, self.out_avals = trace, tuple(in_avals), tuple(out_avals)
        self.form, self.threads, self.kind, self.partly, self.identity = form, threads, kind, partly, identity
        self._closed = closed

    @property
    def closed(self) -> Any:
        """The jaxpr of one environment."""
        if self._closed is None:
            self._closed = self._trace()
        return self._closed

    @functools.cache  # noqa: B019
    @uncollected()
    def target(self, varying: tuple[bool, ...]) -> str:
        """Name under which XLA knows the object for these varying arguments."""
        key = self._kept_key(varying)
        found = kept_object(f"{self.form.name}-{key}", key) if key else None
        if key and found:
            made = built(found, key)
        else:
            made = build(self.closed, varying, self.form)
            self._keep_key(varying, made.key)
        self._closed = None
        return register(made)

    @functools.cache  # noqa: B019
    @uncollected()
    def code(self, varying: tuple[bool, ...]) -> Code:
        """Instructions for these varying arguments."""
        key = self._kept_key(varying)
        found = kept_code(key) if key else None
        if found is None:
            key = key_of_code(self.closed, varying, self.form)
            found = code_of(self.closed, varying, self.form, key)
            self._keep_key(varying, key)
        self._closed = None
        return found

    def _kept_key(self, varying: tuple[bool, ...]) -> str | None:
        """The key of what an earlier process compiled, by which that is found without a trace."""
        return None if self.identity is None else warm.key(warm.key_of_call(self.identity, varying))

    def _keep_key(self, varying: tuple[bool, ...], key: str) -> None:
        if self.identity is not None:
            warm.keep_key(warm.key_of_call(self.identity, varying), key)


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
    if math.prod(batch) == 0:
        return [jnp.zeros((*batch, *out.shape), out.dtype) for out in traced.out_avals]
    if traced.identity is None:
        return _carry_out(*arguments, traced=traced, batched=batched, batch=batch)
    return list(_program(traced, batched, batch).call(*arguments))


@functools.lru_cache(maxsize=256)
@uncollected()
def _program(traced: Traced, batched: tuple[bool, ...], batch: tuple[int, ...]) -> Any:
    """The call as XLA takes it, traced or kept."""
    arguments = [
        jax.ShapeDtypeStruct((*(batch if own else ()), *aval.shape), aval.dtype)
        for aval, own in zip(traced.in_avals, batched, strict=True)
    ]
    outs = [jax.ShapeDtypeStruct((*batch, *out.shape), out.dtype) for out in traced.out_avals]
    function = functools.partial(_carry_out, traced=traced, batched=batched, batch=batch)
    identity = warm.key_of_call(str(traced.identity), batched, batch)
    return warm.program(identity, function, arguments, outs, _load)


def _load(name: str, key: str) -> bool:
    """Let XLA know an object that was made before; False where there is none."""
    if is_registered(key):
        return True
    found = kept_object(name, key)
    if found is not None:
        register(built(found, key))
    return found is not None


def _carry_out(*arguments: Any, traced: Traced, batched: tuple[bool, ...], batch: tuple[int, ...]) -> list[Any]:
    """The results of a whole batch."""
    count = math.prod(batch)
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
        for argument, own, aval in zip(arguments, batched, traced.in_avals, strict=True)
    ]
    kinds = None
    if traced.kind is not None:  # neighbours share branches, so those of one kind go together
        kinds = jax.vmap(traced.kind, [0 if own else None for own in batched], axis_size=count)(*rows)
    carry_out = {**dict.fromkeys(INSTRUCTIONS, _carried_out), TRACED: _as_traced}.get(traced.form, _native)
    found = carry_out(traced, batched, rows, outs, kinds)
    return [array.reshape((*batch, *out.shape)) for array, out in zip(found, traced.out_avals, strict=True)]


def _native(traced: Traced, batched: tuple[bool, ...], rows: Any, outs: Any, kinds: Any) -> Any:
    """By the object, which changes arguments in place where environments have a kind."""
    replaced = {}
    if kinds is not None:
        places = enumerate(zip(batched, rows, outs, strict=False))
        replaced = {i: i for i, (own, row, out) in places if own and (row.shape, row.dtype) == (out.shape, out.dtype)}
    target = traced.target(batched)
    key = target.removeprefix(target_of(""))
    warm.note({(f"{traced.form.name}-{key}", key)})
    call: Any = jax.ffi.ffi_call(target, outs, input_output_aliases=replaced)
    return call(*rows, *([] if kinds is None else [kinds]), threads=traced.threads)


def _carried_out(traced: Traced, batched: tuple[bool, ...], rows: Any, outs: Any, kinds: Any) -> Any:
    """Instruction by instruction."""
    if not outs:
        return []
    found = _runs(traced.form, traced.threads)(traced.code(batched), rows, outs[0].shape[0], kinds)
    if not traced.partly:
        return found
    plays = kinds >= 0
    return [
        jnp.where(plays.reshape(-1, *(1,) * (new.ndim - 1)), new, old) for new, old in zip(found, rows, strict=False)
    ]


def by_instructions(closed: Any, varying: tuple[bool, ...], form: Form, arguments: Sequence[Any], count: int) -> Any:
    """Results of a jaxpr of one environment for a batch of arguments, in a form of instructions."""
    code = code_of(closed, varying, form)
    return jax.jit(lambda given: _runs(form, 1)(code, given, count))(list(arguments))


def _runs(form: Form, threads: int) -> Callable[..., list[Any]]:
    """What carries instructions of a form out; XLA uses one thread."""
    return functools.partial(interpreter.run, threads=threads) if form is BYTECODE else machine.run


def _as_traced(traced: Traced, batched: tuple[bool, ...], rows: Any, outs: Any, kinds: Any) -> Any:
    """By XLA, as JAX maps it."""
    axes = [0 if own else None for own in batched]
    count = outs[0].shape[0] if outs else 1
    return jax.vmap(jax_core.jaxpr_as_fun(traced.closed), axes, axis_size=count)(*rows)


def _derive(primals: Any, tangents: Any, **params: Any) -> Any:
    """Only of what XLA compiles as it is."""
    if params["traced"].form is TRACED:
        return jax.jvp(functools.partial(_carry_out, **params), primals, tuple(map(ad.instantiate_zeros, tangents)))
    raise DifferentiationError(
        explain(
            "emitted function",
            got="a derivative",
            expected="none: it is compiled outside of JAX",
            remedy="differentiate the function itself",
        )
    )


@functools.lru_cache(maxsize=256)
def _jitted(**params: Any) -> Any:
    """What runs a call outside of `jax.jit`."""
    return jax.jit(functools.partial(emitted_p.bind, **params))


emitted_p.def_abstract_eval(_abstract)
emitted_p.def_impl(lambda *arguments, **params: _jitted(**params)(*arguments))
batching.fancy_primitive_batchers[emitted_p] = _batch
ad.primitive_jvps[emitted_p] = _derive
mlir.register_lowering(emitted_p, mlir.lower_fun(_lower, multiple_results=True), platform="cpu")
