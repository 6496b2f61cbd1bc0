"""XLA's form of a large step for CPUs: a gate is a branch, taken where any environment of a batch needs it.

Without branches the program takes minutes to compile, and a step does all that could happen to each environment.  It is
the only form that is not made by this package's front, so the others are compared with it; `bytecode` is ready sooner
and faster.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
from jax.custom_batching import custom_vmap
from jax.extend import core as jax_core
from jax.interpreters import batching, mlir

from rlenv_shared.ops import XLA, Handler, Ops, repeat_while

LEAST: Final = 170
"""Equations from which on a gate is a branch; XLA carries out fewer for everybody sooner."""


@custom_vmap
def any_of_batch(flag: Any) -> Any:
    """Whether a flag is true anywhere in the batch that `jax.vmap` makes; bool ``()`` for all of it."""
    return flag


@any_of_batch.def_vmap
def _any_of_batch(size: int, batched: list[bool], flags: Any) -> tuple[Any, bool]:
    return any_of_batch(flags.any(axis=0) if batched[0] else flags), False


class Branch:
    """A handler of one environment, traced, as ``(*constants, *leaves) -> what it changes`` of a flat state.

    Attributes:
        constants: how many there are.
        changed: which leaves are not just the argument in the same place.
        size: equations, those inside others included.
    """

    def __init__(self, jaxpr: Any) -> None:
        self._jaxpr, self.constants = jaxpr, len(jaxpr.constvars)
        ends = zip(jaxpr.invars, jaxpr.outvars, strict=True)
        self.changed = [number for number, (before, after) in enumerate(ends) if after is not before]
        self.size = _equations(jaxpr)
        self._of_all: dict[Any, Callable[..., list[Any]]] = {}

    def __call__(self, *given: Any) -> list[Any]:
        """Where the branch is taken."""
        found = jax.core.eval_jaxpr(self._jaxpr, given[: self.constants], *given[self.constants :])
        return [found[number] for number in self.changed]

    def not_taken(self, *given: Any) -> list[Any]:
        """Where it is not."""
        return [given[self.constants + number] for number in self.changed]

    def of_all(self, batched: tuple[bool, ...], size: int) -> Callable[..., list[Any]]:
        """The same for so many environments, traced once, however many loops it lies in."""
        if (batched, size) not in self._of_all:
            axes = [0 if own else None for own in batched]
            self._of_all[batched, size] = jax.jit(jax.vmap(self, axes, axis_size=size))
        return self._of_all[batched, size]


def _equations(jaxpr: Any) -> int:
    count = len(jaxpr.eqns)
    for part in (part for equation in jaxpr.eqns for part in jax.tree.leaves(list(equation.params.values()))):
        inner = getattr(part, "jaxpr", part)
        count += part.size if isinstance(part, Branch) else _equations(inner) if hasattr(inner, "eqns") else 0
    return count


branch_p = jax_core.Primitive("branch")
"""``(predicate, *constants, *leaves) -> what a gate changes``.  Its batch is a `jax.lax.cond` for all environments; one
that is a `cond` from the beginning is traced again for each loop around it, with all that lies in it."""
branch_p.multiple_results = True


@branch_p.def_abstract_eval
def _results(predicate: Any, *given: Any, branch: Branch) -> list[Any]:
    return [jax.core.ShapedArray(leaf.shape, leaf.dtype) for leaf in branch.not_taken(*given)]


def _batch(axis: Any, given: Any, axes: Any, *, branch: Branch) -> tuple[list[Any], list[int]]:
    moved = [one if at is None else jnp.moveaxis(one, at, 0) for one, at in zip(given, axes, strict=True)]
    batched = [at is not None for at in axes]
    for number in branch.changed:  # so are the results
        place = 1 + branch.constants + number
        if not batched[place]:
            moved[place], batched[place] = jnp.broadcast_to(given[place], (axis.size, *given[place].shape)), True
    predicate, *operands = moved
    needed = any_of_batch(predicate.any(axis=0) if batched[0] else predicate)
    found = jax.lax.cond(needed, branch.of_all(tuple(batched[1:]), axis.size), branch.not_taken, *operands)
    return found, [0] * len(found)


def _alone(predicate: Any, *given: Any, branch: Branch) -> list[Any]:
    found: list[Any] = jax.lax.cond(predicate, branch, branch.not_taken, *given)
    return found


batching.fancy_primitive_batchers[branch_p] = _batch
branch_p.def_impl(lambda *given, branch: jax.jit(functools.partial(_alone, branch=branch))(*given))
mlir.register_lowering(branch_p, mlir.lower_fun(_alone, multiple_results=True))


def _when_any(name: str, predicate: Any, handler: Handler, state: Any) -> Any:
    leaves, tree = jax.tree.flatten(state)
    closed = jax.make_jaxpr(lambda *leaves: jax.tree.leaves(handler(jax.tree.unflatten(tree, leaves))))(*leaves)
    branch, given = Branch(closed.jaxpr), (*closed.consts, *map(jnp.asarray, leaves))
    found = branch(*given) if branch.size < LEAST else branch_p.bind(predicate, *given, branch=branch)
    for number, leaf in zip(branch.changed, found, strict=True):
        leaves[number] = leaf
    return jax.tree.unflatten(tree, leaves)


def _loop(condition: Callable[[Any], Any], body: Handler, state: Any, most: int) -> Any:
    return repeat_while(condition, body, state, most, any_of_batch)


FOR_CPUS: Final = Ops(XLA.take, XLA.mulhi, _when_any, _loop, lambda tree: tree)
"""See the module."""


def form(ops: Ops) -> Ops:
    """The form meant by the one that leaves it to the device."""
    return FOR_CPUS if ops is XLA and jax.default_backend() == "cpu" else ops
