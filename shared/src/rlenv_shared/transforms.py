"""A function's program in another way: with its gates masked or as branches, or watched.

Each is a function of the same arguments, to be traced like the function itself.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
from jax.extend import core as jax_core

from rlenv_shared.control import Part, draw_p, gate_p, inner_jaxprs, loop_p, split

_WITH_PARTS: Final = (gate_p, loop_p, draw_p)


@dataclasses.dataclass(frozen=True)
class _Rules:
    """By primitive: ``(given, **parameters) -> results``, in place of it; whether also in loops of `jax.lax`."""

    of: Mapping[Any, Callable[..., list[Any]]]
    everywhere: bool = True


def masked(function: Callable[..., Any], names: Collection[str] | None = None) -> Callable[..., Any]:
    """The same function; the rules behind gates of these names, of all when None, are carried out for everybody."""

    def gate(given: list[Any], **params: Any) -> list[Any]:
        if names is None or params["name"] in names:
            return _evaluated(params["part"].jaxpr, params["part"].given(given[1:]), rules, params["part"].results)
        return _bound(gate_p, given, params, rules)

    rules = _Rules({gate_p: gate})
    return _rewritten(function, rules)


def branching(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function; where XLA compiles for a CPU its every gate is a branch, however few equations it saves."""

    def gate(given: list[Any], **params: Any) -> list[Any]:
        return _bound(gate_p, given, {**params, "least": 0}, rules)

    rules = _Rules({gate_p: gate})
    return _rewritten(function, rules)


def _rewritten(function: Callable[..., Any], rules: _Rules) -> Callable[..., Any]:
    def again(*arguments: Any) -> Any:
        closed, shape = jax.make_jaxpr(function, return_shape=True)(*arguments)
        found = _evaluated(closed.jaxpr, [*closed.consts, *jax.tree.leaves(arguments)], rules)
        return jax.tree.unflatten(jax.tree.structure(shape), found)

    return again


def _evaluated(jaxpr: Any, given: Sequence[Any], rules: _Rules, results: Sequence[int] | None = None) -> list[Any]:
    """Results of a jaxpr, all of them when None, of its constants and arguments."""
    known = dict(zip((*jaxpr.constvars, *jaxpr.invars), given, strict=True))

    def read(atom: Any) -> Any:
        return atom.val if isinstance(atom, jax_core.Literal) else known[atom]

    for equation in jaxpr.eqns:
        found = _in_another_way(equation, [read(atom) for atom in equation.invars], rules)
        known.update(zip(equation.outvars, found, strict=True))
    outs = jaxpr.outvars if results is None else [jaxpr.outvars[number] for number in results]
    return [read(atom) for atom in outs]


def _in_another_way(equation: Any, given: list[Any], rules: _Rules) -> list[Any]:
    """Results of an equation."""
    primitive, params, inner = equation.primitive, equation.params, equation.params.get("jaxpr")
    if primitive in rules.of:
        return rules.of[primitive](given, **params)
    if primitive in _WITH_PARTS:
        return _bound(primitive, given, params, rules)
    if hasattr(inner, "consts") and primitive.name in ("jit", "pjit", "closed_call"):
        return _evaluated(inner.jaxpr, [*inner.consts, *given], rules)
    if rules.everywhere:
        params = {name: _closed_again(value, rules) for name, value in params.items()}
    with equation.ctx.manager:
        found = primitive.bind(*given, **primitive.get_bind_params(params))
    return found if primitive.multiple_results else [found]


def _closed_again(value: Any, rules: _Rules) -> Any:
    """A parameter; the bodies of loops and branches of `jax.lax` are carried out in another way."""
    if isinstance(value, tuple | list):
        return type(value)(_closed_again(one, rules) for one in value) if not hasattr(value, "_fields") else value
    if not (hasattr(value, "consts") and hasattr(value, "in_avals") and _has_parts(value.jaxpr)):
        return value
    avals = [jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=aval.weak_type) for aval in value.in_avals]
    return jax.make_jaxpr(lambda *given: _evaluated(value.jaxpr, [*value.consts, *given], rules))(*avals)


def _has_parts(jaxpr: Any) -> bool:
    """Whether there are primitives of `control` in it, or in what lies in it."""
    return any(
        equation.primitive in _WITH_PARTS or any(map(_has_parts, inner_jaxprs(equation))) for equation in jaxpr.eqns
    )


def _bound(primitive: Any, given: list[Any], params: Mapping[str, Any], rules: _Rules) -> list[Any]:
    """A primitive of this module; what lies inside it is carried out in another way."""
    found: list[Any] = primitive.bind(
        *given, **{name: _part_again(one, rules) if isinstance(one, Part) else one for name, one in params.items()}
    )
    return found


def _part_again(part: Part, rules: _Rules) -> Part:
    wanted = [variable for variable, place in zip(part.variables, part.places, strict=True) if place is not None]
    avals = [jax.ShapeDtypeStruct(variable.aval.shape, variable.aval.dtype) for variable in wanted]
    places = [place for place in part.places if place is not None]

    def again(*values: Any) -> list[Any]:
        read = iter(values)
        given = [None if place is None else next(read) for place in part.places]
        return _evaluated(part.jaxpr, given, rules, part.results)

    closed = jax.make_jaxpr(again)(*avals)
    if closed.consts:
        raise AssertionError("a part captures nothing")
    return Part(closed.jaxpr, places, range(len(closed.jaxpr.outvars)))


@dataclasses.dataclass(frozen=True)
class Draw:
    """One draw: where, whether it was carried out (bool), of how many (int32), what came (int32)."""

    site: str
    drawn: Any
    below: Any
    value: Any


@dataclasses.dataclass
class Watched:
    """What `watch` saw: arrays, or tracers where it is called while a program is traced.

    Attributes:
        draws: in order.
        asked: by gate, the predicates of all its places, bool.
        leaks: by gate, whether its rule changed something where its predicate was false, bool.
    """

    draws: list[Draw] = dataclasses.field(default_factory=list)
    asked: dict[str, list[Any]] = dataclasses.field(default_factory=dict)
    leaks: dict[str, Any] = dataclasses.field(default_factory=dict)


def watch(function: Callable[..., Any]) -> Callable[..., tuple[Any, Watched]]:
    """``(result, what was seen)`` of a function, whose rules are all carried out and whose loops are written out.

    Loops and branches of `jax.lax` are not looked into.
    """

    def watched(*arguments: Any) -> tuple[Any, Watched]:
        seen = Watched()
        return _rewritten(function, _watching(seen, True))(*arguments), seen

    return watched


def _watching(seen: Watched, needed: Any) -> _Rules:
    """Rules that write down what they see; ``needed`` is what the gates around were asked."""

    def gate(given: list[Any], *, name: str, part: Part, kept: Any, **others: Any) -> list[Any]:
        predicate, *operands = given
        seen.asked.setdefault(name, []).append(predicate)
        inside = _watching(seen, predicate & needed)
        found = _evaluated(part.jaxpr, part.given(operands), inside, part.results)
        changed = jnp.zeros((), jnp.bool_)
        for new, place in zip(found, kept, strict=True):
            changed |= jnp.any(new != operands[place])
        seen.leaks[name] = seen.leaks.get(name, jnp.zeros((), jnp.bool_)) | (changed & ~predicate)
        return found

    def loop(given: list[Any], *, body: Part, captured: tuple[int, int], most: int, **others: Any) -> list[Any]:
        own, carry = split(given, captured)[1:]
        for _ in range(most):
            carry = _evaluated(body.jaxpr, [*own, *carry], rules)
        return carry

    def draw(given: list[Any], *, site: str, part: Part) -> list[Any]:
        found = part(*given)
        seen.draws.append(Draw(site, given[0] & needed, jnp.asarray(given[1], jnp.int32), found[0]))
        return found

    rules = _Rules({gate_p: gate, loop_p: loop, draw_p: draw}, everywhere=False)
    return rules
