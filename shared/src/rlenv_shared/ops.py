"""The hooks by which one program takes several forms.

A rule is written once, for a single environment.  What a form of the program does in its own way goes through an `Ops`:

| hook                                        | promise                                                     |
|---------------------------------------------|-------------------------------------------------------------|
| `take(table, index)`                        | the entry of a flat table of ``params``, index in range     |
| `mulhi(a, b)`                               | high 32 bits of the product of two uint32                   |
| `when_any(name, predicate, handler, state)` | `handler` changes nothing where `predicate` is false        |
| `loop(condition, body, state, most)`        | `body` changes nothing where `condition` is false           |
| `switch(name, index, handlers, state)`      | `when_any` for each value of an index                       |
| `draw(random, generator, mask, n, site)`    | a number below ``n``; the generator moves on where ``mask`` |
| `barrier(tree)`                             | what is before it is computed once where that is a question |

The masked form runs every handler for all environments of a batch and relies on the promises.  The gated form asks
whether any environment of a block needs it, and branches; inside a Pallas kernel, tables are references.
The blocks of the gated form are the mapped axis `LANES` of `jax.vmap`: see `gated_ops`.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal

import jax
import jax.numpy as jnp
from jax.extend.core import jaxpr_as_fun

from rlenv_shared import counter_rng
from rlenv_shared.barrier import cpu_barrier
from rlenv_shared.generators import Generator

Handler = Callable[[Any], Any]
Loops = Literal["auto", "looped", "inline"]
LANES: Final = "lanes"
"""Name of the mapped axis over which the gated form asks whether any environment needs something."""
AT_MOST: Final = "at_most_"  # before the most trips of an `Ops.loop`, in its name; for who counts what programs cost


@dataclasses.dataclass(frozen=True)
class Ops:
    """One form of the hooks; see the module."""

    take: Callable[[Any, Any], Any]  # ``(table, int32 index) -> entry``
    mulhi: Callable[[Any, Any], Any]  # ``(uint32, uint32) -> uint32``
    when_any: Callable[[str, Any, Handler, Any], Any]  # ``(name, predicate, handler, state) -> state``
    loop: Callable[[Callable[[Any], Any], Handler, Any, int], Any]  # ``(condition, body, state, most passes) -> state``
    barrier: Callable[[Any], Any]  # ``tree -> tree``
    branches: bool = False  # whether a gate saves the work behind it

    def switch(self, name: str, index: Any, handlers: Sequence[Handler], state: Any) -> Any:
        """Run ``handlers[index]``, none where that is out of range; each is given only the states whose index it is."""
        for number, handler in enumerate(handlers):
            here = index == number

            def masked(state: Any, here: Any = here, handler: Handler = handler) -> Any:
                return jax.tree.map(lambda new, old: jax.lax.select(here, new, old), handler(state), state)

            state = self.when_any(f"{name}.{number}", here, masked, state)
        return state

    def draw(self, random: Generator, generator: Any, mask: Any, n: Any, site: str) -> tuple[Any, Any]:
        """``(int32 on [0, n), generator)``: one draw where ``mask`` is true, elsewhere the generator stays.

        ``generator`` is the state of ``random``; ``n`` an integer array, at least 1 where ``mask``; ``site`` names the
        draw in a log.
        """
        value, after = random.below(generator, n, self.mulhi)
        return value, jax.tree.map(lambda new, old: jax.lax.select(mask, new, old), after, generator)


def xla_ops(loops: Loops = "auto") -> Ops:
    """The masked form: a batch is one program without branches.

    ``"looped"`` compiles one pass of a loop and repeats it until no environment of the batch goes on; ``"inline"``
    unrolls ``most`` passes, which saves a GPU the launches of a loop.  ``"auto"`` decides by JAX's default backend:
    looped on CPUs.
    """

    def loop(condition: Callable[[Any], Any], body: Handler, state: Any, most: int) -> Any:
        if loops == "looped" or (loops == "auto" and jax.default_backend() == "cpu"):
            return repeat_while(condition, body, state, most, lambda going: going)
        for _ in range(most):
            state = body(state)
        return state

    return Ops(_gather, _mulhi, lambda name, predicate, handler, state: handler(state), loop, cpu_barrier)


def gated_ops(take: Callable[[Any, Any], Any] | None = None, mulhi: Callable[[Any, Any], Any] | None = None) -> Ops:
    """The gated form, to be used under ``jax.vmap(..., axis_name=LANES)``: real branches and loops for a whole block.

    ``take`` reads a table (default: a gather); ``mulhi`` is the high half of a product (default: XLA's, on one device).
    """

    def any_lane(flag: Any) -> Any:
        return jax.lax.pmax(flag.astype(jnp.int32), LANES) > 0

    def when_any(name: str, predicate: Any, handler: Handler, state: Any) -> Any:
        leaves, tree = jax.tree.flatten(state)
        # Traced once, or gates within gates would be traced twice as often at each depth.
        traced = jax.make_jaxpr(lambda *leaves: jax.tree.leaves(handler(jax.tree.unflatten(tree, leaves))))(*leaves)
        written = _written(traced.jaxpr)
        if not written:
            return state

        def handled(*leaves: Any) -> list[Any]:
            after = jaxpr_as_fun(traced)(*leaves)
            return [after[i] for i in written]

        found = jax.lax.cond(any_lane(predicate), handled, lambda *leaves: [leaves[i] for i in written], *leaves)
        for i, leaf in zip(written, found, strict=True):
            leaves[i] = leaf
        return jax.tree.unflatten(tree, leaves)

    def loop(condition: Callable[[Any], Any], body: Handler, state: Any, most: int) -> Any:
        return repeat_while(condition, body, state, most, any_lane)

    return Ops(take or _gather, mulhi or _mulhi, when_any, loop, lambda tree: tree, branches=True)


def kernel_ops() -> Ops:
    """The gated form inside a Pallas kernel: tables are references, and the high half comes from 16-bit limbs."""
    return gated_ops(lambda table, index: table[index], counter_rng.mulhi)


@dataclasses.dataclass(frozen=True)
class Draw:
    """One call of `Ops.draw`: where, whether it was carried out (bool), of how many (int32), what came (int32)."""

    site: str
    drawn: Any
    below: Any
    value: Any


@dataclasses.dataclass
class Record:
    """What `recording_ops` saw while a program was traced."""

    draws: list[Draw] = dataclasses.field(default_factory=list)
    leaks: dict[str, Any] = dataclasses.field(default_factory=dict)  # by gate, bool: a handler not asked for changed it


@dataclasses.dataclass(frozen=True)
class _RecordingOps(Ops):
    record: Record = dataclasses.field(default_factory=Record)

    def draw(self, random: Generator, generator: Any, mask: Any, n: Any, site: str) -> tuple[Any, Any]:
        value, after = super().draw(random, generator, mask, n, site)
        self.record.draws.append(Draw(site, mask, jnp.asarray(n, jnp.int32), value))
        return value, after

    def switch(self, name: str, index: Any, handlers: Sequence[Handler], state: Any) -> Any:
        def chosen(number: int, state: Any) -> Any:  # whoever is not chosen draws nothing
            begin = len(self.record.draws)
            after = handlers[number](state)
            for i, draw in enumerate(self.record.draws[begin:], begin):
                self.record.draws[i] = dataclasses.replace(draw, drawn=draw.drawn & (index == number))
            return after

        return super().switch(name, index, [functools.partial(chosen, i) for i in range(len(handlers))], state)


def recording_ops() -> tuple[Ops, Record]:
    """The masked form with loops unrolled, and a record, of tracers, of its draws and of gates that leak."""
    record = Record()

    def when_any(name: str, predicate: Any, handler: Handler, state: Any) -> Any:
        after = handler(state)
        changed = jnp.zeros((), jnp.bool_)
        for new, old in zip(jax.tree.leaves(after), jax.tree.leaves(state), strict=True):
            changed |= jnp.any(new != old) if new is not old else changed
        record.leaks[name] = record.leaks.get(name, jnp.zeros((), jnp.bool_)) | (changed & ~predicate)
        return after

    plain = xla_ops("inline")
    return _RecordingOps(plain.take, plain.mulhi, when_any, plain.loop, plain.barrier, record=record), record


def _mulhi(a: Any, b: Any) -> Any:
    """XLA's instruction, or the same from 16-bit limbs where a program may be divided among devices.

    XLA's partitioner refuses the instruction (JAX 0.10.2: "Unable to convert MHLO to StableHLO").
    """
    return jax.lax.mulhi(a, b) if jax.device_count() == 1 else counter_rng.mulhi(a, b)


def _gather(table: Any, index: Any) -> Any:
    return jnp.asarray(table).at[index].get(mode="promise_in_bounds")


def repeat_while(
    condition: Callable[[Any], Any], body: Handler, state: Any, most: int, going: Callable[[Any], Any]
) -> Any:
    """Repeat ``body`` while ``going(condition(state))``, ``most`` times at most: `Ops.loop` of forms with real loops.

    ``condition`` says whether one environment goes on, ``going`` whether anybody does whom this form looks at together.
    """

    def goes_on(carry: tuple[Any, Any]) -> Any:
        return (carry[0] < most) & going(condition(carry[1]))

    def once(carry: tuple[Any, Any]) -> tuple[Any, Any]:
        return carry[0] + jnp.int32(1), body(carry[1])

    with jax.named_scope(f"{AT_MOST}{most}"):
        return jax.lax.while_loop(goes_on, once, (jnp.int32(0), state))[1]


def _written(jaxpr: Any) -> list[int]:
    """Which results of a traced function of arrays are not just the argument in the same place."""
    return [i for i, (before, after) in enumerate(zip(jaxpr.invars, jaxpr.outvars, strict=True)) if after is not before]


XLA: Final = xla_ops()
"""The form that everything uses unless told otherwise."""
