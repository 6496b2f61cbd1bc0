"""Control flow that each back end carries out in its own way, as JAX primitives.

A rule is written once, for a single environment; `jax.vmap` makes a batch of it.

| function                                       | promise                                                     |
|------------------------------------------------|-------------------------------------------------------------|
| `gate(name, predicate, rule, state)`           | `rule` changes nothing where `predicate` is false           |
| `loop(condition, body, state, most)`           | `body` changes nothing where `condition` is false           |
| `switch(name, index, rules, state)`            | a gate for each value of an index, which masks its rule     |
| `draw(random, generator, mask, n, site)`       | a number below ``n``; the generator moves on where ``mask`` |
| `take(table, index)`, `mulhi(a, b)`            | the index is in range                                       |
| `traced_once(rule)`                            | what `rule` does hangs on its arguments alone               |

A masked program runs every rule for all environments and relies on the promises: XLA's for a GPU.  A branching one asks
whether any environment of those that go through it together needs the rule: the whole batch where XLA compiles for a
CPU, a group of lanes in native code and in instructions.  Outside of compiled programs, and on NumPy's arrays, a
predicate is asked at once.

`rlenv_shared.transforms` makes masked and branching programs of a function where XLA would choose otherwise, and tells
what it draws and which of its rules break their promise.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core as jax_core
from jax.interpreters import ad, batching, mlir

from rlenv_shared import counter_rng
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.generators import Generator

Handler = Callable[[Any], Any]
AT_MOST: Final = "at_most_"
"""Before the most passes of a loop, in the name of its scope; for who counts what programs cost."""
LEAST: Final = 170
"""Equations from which on a gate is a branch where XLA compiles for a CPU; it runs fewer for everybody sooner."""
UNBOUNDED: Final = 2**30
"""Passes at most of a loop that ends by itself."""
MOST_UNROLLED: Final = 64
"""Passes up to which a loop is written out where XLA compiles for a GPU, which saves the launches of a loop."""


class Part:
    """What lies inside a primitive: a traced function of arrays.

    Attributes:
        jaxpr: of it.
        places: of each of its variables, captured ones before arguments: the number of the operand; None if unread.
        results: which of its results are given.
    """

    def __init__(self, jaxpr: Any, places: Sequence[int | None], results: Sequence[int]) -> None:
        self.jaxpr, self.places, self.results = jaxpr, tuple(places), tuple(results)
        self._batched: dict[Any, Part] = {}

    def __call__(self, *operands: Any) -> list[Any]:
        """Its results."""
        given = self.given(operands)
        first = len(self.jaxpr.constvars)
        found = jax.core.eval_jaxpr(self.jaxpr, given[:first], *given[first:])
        return [found[number] for number in self.results]

    def given(self, operands: Sequence[Any]) -> list[Any]:
        """The values of its variables; None for those that nobody reads."""
        return [None if place is None else operands[place] for place in self.places]

    @property
    def variables(self) -> list[Any]:
        """Those that it is given."""
        return [*self.jaxpr.constvars, *self.jaxpr.invars]

    @property
    def equations(self) -> int:
        """How many there are, those inside others included."""
        return equations(self.jaxpr)

    def batched(self, mapped: Sequence[bool], size: int, any_result: bool = False) -> Part:
        """The same for so many environments, traced once, however many loops it lies in.

        Args:
            mapped: for each operand, whether its first axis is the batch.
            size: of the batch.
            any_result: give whether the one result is true for any of them.
        """
        key = tuple(mapped), size, any_result
        if key not in self._batched:
            axes = [0 if own else None for own in mapped]
            avals: list[Any] = [None] * len(axes)
            for variable, place in zip(self.variables, self.places, strict=True):
                if place is not None:
                    shape = (size, *variable.aval.shape) if mapped[place] else variable.aval.shape
                    avals[place] = jax.ShapeDtypeStruct(shape, variable.aval.dtype)
            of_all = jax.vmap(self, axes, axis_size=size)
            function = (lambda *operands: [of_all(*operands)[0].any(axis=0)]) if any_result else of_all
            closed = jax.make_jaxpr(function)(*avals)
            if closed.consts:
                raise AssertionError("a part captures nothing")
            self._batched[key] = Part(closed.jaxpr, range(len(axes)), range(len(closed.jaxpr.outvars)))
        return self._batched[key]


def inner_jaxprs(equation: Any) -> list[Any]:
    """The jaxprs that lie in an equation."""
    parts = [getattr(part, "jaxpr", part) for part in jax.tree.leaves(list(equation.params.values()))]
    return [part for part in parts if hasattr(part, "eqns")]


def equations(jaxpr: Any) -> int:
    """How many equations a jaxpr has, those inside others included."""
    return sum(1 + sum(map(equations, inner_jaxprs(equation))) for equation in jaxpr.eqns)


def _batch_first(given: Sequence[Any], axes: Sequence[int | None]) -> tuple[list[Any], list[bool]]:
    """Operands of a batching rule with the batch as the first axis, and which of them have it."""
    moved = [one if at is None else jnp.moveaxis(one, at, 0) for one, at in zip(given, axes, strict=True)]
    return moved, [at is not None for at in axes]


def _traced(function: Handler, state: Any) -> tuple[Any, list[Any]]:
    """``(closed jaxpr, leaves)`` of a function of a pytree that gives another one of the same structure."""
    leaves, structure = jax.tree.flatten(state)  # type: tuple[list[Any], Any]

    def flat(*leaves: Any) -> list[Any]:
        found, after = jax.tree.flatten(function(jax.tree.unflatten(structure, leaves)))
        if after != structure:
            raise InvalidParamsError("what a rule gives", after, structure, "give a tree like the one it is given")
        return found

    closed = jax.make_jaxpr(flat)(*leaves)
    for number, (before, after) in enumerate(zip(closed.jaxpr.invars, closed.jaxpr.outvars, strict=True)):
        got, expected = (f"{one.aval.dtype}{list(one.aval.shape)}" for one in (after, before))
        if got != expected:
            raise InvalidParamsError(f"leaf {number} of what a rule gives", got, expected, "convert it")
    return closed, leaves


def _on_host(value: Any) -> bool:
    """Whether it is NumPy's or Python's."""
    return isinstance(value, (bool, int, float, np.generic, np.ndarray))


def _is_known(value: Any) -> bool:
    """Whether it is an array or number, and not what stands for one while a program is traced."""
    return _on_host(value) or (isinstance(value, jax.Array) and not isinstance(value, jax.core.Tracer))


def traced_once(rule: Callable[..., Any]) -> Callable[..., Any]:
    """A rule whose trace is kept: of the programs that have it in common, the first traces it for all.

    Its equations stand in each of them, as if it had been traced anew.

    Args:
        rule: of pytrees of arrays, and of Python's integers, which choose what is traced; what it does hangs on nothing
            else.
    """

    @functools.wraps(rule)
    def run(*arguments: Any) -> Any:
        if all(map(_is_known, jax.tree.leaves(arguments))):
            return rule(*arguments)
        return _kept(rule, tuple(n for n, one in enumerate(arguments) if isinstance(one, int)))(*arguments)

    return run


@functools.cache
def _kept(rule: Callable[..., Any], static: tuple[int, ...]) -> Callable[..., Any]:
    return jax.jit(rule, static_argnums=static, inline=True)


# --- gates -----------------------------------------------------------------------------------------------------------

gate_p = jax_core.Primitive("gate")
"""``(predicate, *operands) -> what the rule changes``.

Parameters: ``name``; ``part``, what the rule changes as a function of the operands; ``kept``, for each result the
operand that it is where the rule is not carried out; ``least``, the equations of a rule from which on it is a branch
where XLA compiles for a CPU.
"""
gate_p.multiple_results = True


def gate(name: str, predicate: Any, rule: Handler, state: Any) -> Any:
    """``rule(state)``, for a rule that changes nothing where the predicate is false.

    Args:
        name: of the gate, for policies and reports.
        predicate: bool ``()``.
        rule: of a pytree of arrays; gives one of the same structure, shapes and dtypes.
        state: what it is given.

    Raises:
        InvalidParamsError: the rule gives another structure, other shapes or dtypes.
    """
    if _is_known(predicate):
        return rule(state) if predicate else state
    closed, leaves = _traced(rule, state)
    jaxpr, first = closed.jaxpr, len(closed.consts)
    ends = enumerate(zip(jaxpr.invars, jaxpr.outvars, strict=True))
    changed = [number for number, (before, after) in ends if after is not before]
    read = {atom for equation in jaxpr.eqns for atom in equation.invars if not isinstance(atom, jax_core.Literal)}
    read |= {jaxpr.outvars[n] for n in changed if not isinstance(jaxpr.outvars[n], jax_core.Literal)}
    values = [*closed.consts, *leaves]
    wanted = [n for n, one in enumerate((*jaxpr.constvars, *jaxpr.invars)) if one in read or n - first in changed]
    places = {number: place for place, number in enumerate(wanted)}
    part = Part(jaxpr, [places.get(number) for number in range(len(values))], changed)
    kept = tuple(places[first + number] for number in changed)
    operands = [jnp.asarray(values[number]) for number in wanted]
    asked = jnp.asarray(predicate, jnp.bool_)
    found = gate_p.bind(asked, *operands, name=name, part=part, kept=kept, least=LEAST)
    for number, leaf in zip(changed, found, strict=True):
        leaves[number] = leaf
    return jax.tree.unflatten(jax.tree.structure(state), leaves)


def switch(name: str, index: Any, rules: Sequence[Handler], state: Any) -> Any:
    """``rules[index](state)``, the state where that is out of range; a rule is asked for where it is somebody's."""
    for number, rule in enumerate(rules):
        here = index == number

        def chosen(state: Any, here: Any = here, rule: Handler = rule) -> Any:
            return jax.tree.map(lambda new, old: jax.lax.select(here, new, old), rule(state), state)

        state = gate(f"{name}.{number}", here, chosen, state)
    return state


@gate_p.def_abstract_eval
def _changed(predicate: Any, *operands: Any, part: Part, kept: tuple[int, ...], **_: Any) -> list[Any]:
    return [jax.core.ShapedArray(operands[place].shape, operands[place].dtype) for place in kept]


def _gate_of_all(axis: Any, given: Any, axes: Any, *, part: Part, kept: Any, **how: Any) -> tuple[list[Any], list[int]]:
    (predicate, *operands), (own, *mapped) = _batch_first(given, axes)
    for place in kept:  # so are the results
        if not mapped[place]:
            operands[place] = jnp.broadcast_to(operands[place], (axis.size, *operands[place].shape))
            mapped[place] = True
    needed = predicate.any(axis=0) if own else predicate
    found = gate_p.bind(needed, *operands, part=part.batched(mapped, axis.size), kept=kept, **how)
    return found, [0] * len(found)


def _asked(predicate: Any, *operands: Any, part: Part, kept: tuple[int, ...], **_: Any) -> list[Any]:
    return part(*operands) if predicate else [operands[place] for place in kept]


def _carried_out(predicate: Any, *operands: Any, part: Part, **_: Any) -> list[Any]:
    return part(*operands)


def _branching(predicate: Any, *operands: Any, part: Part, kept: tuple[int, ...], least: int, **_: Any) -> list[Any]:
    if part.equations < least:
        return part(*operands)
    found: list[Any] = jax.lax.cond(predicate, part, lambda *operands: [operands[place] for place in kept], *operands)
    return found


# --- loops -----------------------------------------------------------------------------------------------------------

loop_p = jax_core.Primitive("loop")
"""``(*captured by the condition, *captured by the body, *carry) -> carry``.

Parameters: ``condition`` and ``body``, parts of what they capture and the carry; ``captured``, how many operands belong
to either; ``most``.
"""
loop_p.multiple_results = True


def loop(condition: Callable[[Any], Any], body: Handler, state: Any, most: int) -> Any:
    """``body`` applied while ``condition`` holds, ``most`` times at most.

    Args:
        condition: of a pytree of arrays; bool ``()``.
        body: of the same pytree; gives another one of the same structure, shapes and dtypes, and changes nothing where
            the condition does not hold.
        state: where it begins.
        most: passes at most.

    Raises:
        InvalidParamsError: the body gives another structure, other shapes or dtypes.
    """
    while most > 0 and all(map(_is_known, jax.tree.leaves(state))) and _is_known(going := condition(state)):
        if not going:
            return state
        state, most = body(state), most - 1
    if most <= 0:
        return state
    closed, leaves = _traced(body, state)
    structure = jax.tree.structure(state)
    asked = jax.make_jaxpr(lambda *leaves: condition(jax.tree.unflatten(structure, leaves)))(*leaves)
    parts = [
        Part(one.jaxpr, range(len(one.consts) + len(leaves)), range(len(one.jaxpr.outvars))) for one in (asked, closed)
    ]
    found = loop_p.bind(
        *map(jnp.asarray, (*asked.consts, *closed.consts, *leaves)),
        condition=parts[0],
        body=parts[1],
        captured=(len(asked.consts), len(closed.consts)),
        most=most,
    )
    return jax.tree.unflatten(structure, found)


def split(operands: Sequence[Any], captured: tuple[int, int]) -> tuple[list[Any], list[Any], list[Any]]:
    """Of a loop's operands: what the condition captures, what the body captures, the carry."""
    first, second = captured[0], sum(captured)
    return list(operands[:first]), list(operands[first:second]), list(operands[second:])


@loop_p.def_abstract_eval
def _carry(*operands: Any, condition: Part, body: Part, captured: tuple[int, int], most: int) -> list[Any]:
    return [jax.core.ShapedArray(one.shape, one.dtype) for one in split(operands, captured)[2]]


def _loop_of_all(
    axis: Any, given: Any, axes: Any, *, condition: Part, body: Part, captured: tuple[int, int], most: int
) -> tuple[list[Any], list[int]]:
    moved, there = _batch_first(given, axes)
    (asked, own, carry), mapped = split(moved, captured), split(there, captured)
    carry = [
        one if there else jnp.broadcast_to(one, (axis.size, *one.shape))
        for one, there in zip(carry, mapped[2], strict=True)
    ]
    everybody = [True] * len(carry)
    found = loop_p.bind(
        *asked,
        *own,
        *carry,
        condition=condition.batched((*mapped[0], *everybody), axis.size, any_result=True),
        body=body.batched((*mapped[1], *everybody), axis.size),
        captured=captured,
        most=most,
    )
    return found, [0] * len(found)


def _going(*operands: Any, condition: Part, body: Part, captured: tuple[int, int], most: int) -> list[Any]:
    asked, own, carry = split(operands, captured)
    for _ in range(most):
        if not condition(*asked, *carry)[0]:
            break
        carry = body(*own, *carry)
    return carry


def _repeated(*operands: Any, condition: Part, body: Part, captured: tuple[int, int], most: int) -> list[Any]:
    asked, own, carry = split(operands, captured)

    def goes_on(state: tuple[Any, list[Any]]) -> Any:
        return (state[0] < most) & condition(*asked, *state[1])[0]

    def once(state: tuple[Any, list[Any]]) -> tuple[Any, list[Any]]:
        return state[0] + jnp.int32(1), body(*own, *state[1])

    with jax.named_scope(f"{AT_MOST}{most}"):
        return jax.lax.while_loop(goes_on, once, (jnp.int32(0), carry))[1]


def _unrolled(*operands: Any, condition: Part, body: Part, captured: tuple[int, int], most: int) -> list[Any]:
    if most > MOST_UNROLLED:
        return _repeated(*operands, condition=condition, body=body, captured=captured, most=most)
    _, own, carry = split(operands, captured)
    for _ in range(most):
        carry = body(*own, *carry)
    return carry


# --- draws -----------------------------------------------------------------------------------------------------------

draw_p = jax_core.Primitive("draw")
"""``(mask, n, *operands) -> (number, *generator)``.  Parameters: ``site``; ``part``, of all operands."""
draw_p.multiple_results = True


def draw(random: Generator, generator: Any, mask: Any, n: Any, site: str) -> tuple[Any, Any]:
    """``(int32 on [0, n), generator)``: one draw where ``mask`` is true, elsewhere the generator stays.

    Args:
        random: which generator it is.
        generator: its state.
        mask: bool ``()``.
        n: an integer array, at least 1 where ``mask``.
        site: names the draw, for `transforms.watch`.
    """

    def drawn(mask: Any, n: Any, generator: Any) -> tuple[Any, Any]:
        value, after = random.below(generator, n, mulhi)
        return value, jax.tree.map(lambda new, old: jax.lax.select(mask, new, old), after, generator)

    given = jnp.asarray(mask, jnp.bool_), jnp.asarray(n), jax.tree.map(jnp.asarray, generator)
    closed, shape = jax.make_jaxpr(drawn, return_shape=True)(*given)
    first, leaves = len(closed.consts), jax.tree.leaves(given)
    places = [*range(2, 2 + first), 0, 1, *range(2 + first, first + len(leaves))]
    part = Part(closed.jaxpr, places, range(len(closed.jaxpr.outvars)))
    found = draw_p.bind(*leaves[:2], *map(jnp.asarray, closed.consts), *leaves[2:], site=site, part=part)
    result: tuple[Any, Any] = jax.tree.unflatten(jax.tree.structure(shape), found)
    return result


@draw_p.def_abstract_eval
def _number_and_generator(*operands: Any, site: str, part: Part) -> list[Any]:
    outs = [part.jaxpr.outvars[number].aval for number in part.results]
    return [jax.core.ShapedArray(out.shape, out.dtype) for out in outs]


def _draw_of_all(axis: Any, given: Any, axes: Any, *, site: str, part: Part) -> tuple[list[Any], list[int]]:
    moved, mapped = _batch_first(given, axes)
    found = draw_p.bind(*moved, site=site, part=part.batched(mapped, axis.size))
    return found, [0] * len(found)


def _drawn(*operands: Any, site: str, part: Part) -> list[Any]:
    return part(*operands)


# --- tables and products ---------------------------------------------------------------------------------------------


def take(table: Any, index: Any) -> Any:
    """The entry of a flat table at an index, int32, that is in range."""
    if _on_host(table) and _on_host(index):
        return np.asarray(table)[index]
    return jnp.asarray(table).at[index].get(mode="promise_in_bounds")


def mulhi(a: Any, b: Any) -> Any:
    """The high 32 bits of the product of two uint32.

    From 16-bit limbs where a program may be divided among devices: XLA's partitioner refuses the instruction (JAX
    0.10.2: "Unable to convert MHLO to StableHLO").
    """
    if _on_host(a) and _on_host(b):
        return np.uint32((np.uint64(a) * np.uint64(b)) >> np.uint64(32))
    return jax.lax.mulhi(a, b) if jax.device_count() == 1 else counter_rng.mulhi(a, b)


# --- how JAX treats the primitives -----------------------------------------------------------------------------------


def _derived(function: Callable[..., list[Any]]) -> Callable[..., Any]:
    """The derivative of what a primitive does: that of its masked form."""

    def derive(primals: Any, tangents: Any, **params: Any) -> Any:
        return jax.jvp(lambda *given: function(*given, **params), primals, tuple(map(ad.instantiate_zeros, tangents)))

    return derive


def _define(primitive: Any, at_once: Any, of_all: Any, everywhere: Any, on_cpus: Any) -> None:
    primitive.def_impl(at_once)
    batching.fancy_primitive_batchers[primitive] = of_all
    ad.primitive_jvps[primitive] = _derived(everywhere)
    mlir.register_lowering(primitive, mlir.lower_fun(everywhere, multiple_results=True))
    mlir.register_lowering(primitive, mlir.lower_fun(on_cpus, multiple_results=True), platform="cpu")


_define(gate_p, _asked, _gate_of_all, _carried_out, _branching)
_define(loop_p, _going, _loop_of_all, _unrolled, _repeated)
_define(draw_p, _drawn, _draw_of_all, _drawn, _drawn)
