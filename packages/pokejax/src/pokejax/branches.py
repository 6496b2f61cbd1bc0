"""XLA's form for CPUs: a gate is a branch, taken where any battle of the batch needs it.

Without branches the program takes minutes to compile, and a step does all that could happen to each battle.  With them
a step is the faster, the more alike the battles of a batch are: `in_pieces` puts those beside one another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
from jax.custom_batching import custom_vmap

from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.ops import XLA, Handler, Ops, repeat_while

SMALL: Final = frozenset({
    "Booster Energy", "White Herb", "ability passed by", "conditions of some turns", "drop a guise",
    "drop a guise to Terastallize", "faint", "leave in a guise", "make ready", "moves barred", "notice weather",
    "paradox", "prepare coat", "revive", "spent", "trace", "trace in vain",
})  # fmt: skip
"""Gates of fewer than 200 equations: XLA carries them out for everybody sooner than it branches."""


@custom_vmap
def any_battle(flag: Any) -> Any:
    """Whether a flag is true in any battle of the batch that `jax.vmap` makes; bool ``()`` for all of them."""
    return flag


@any_battle.def_vmap
def _any_of_batch(size: int, batched: list[bool], flags: Any) -> tuple[Any, bool]:
    return any_battle(flags.any(axis=0) if batched[0] else flags), False


def _when_any(name: str, predicate: Any, handler: Handler, state: Any) -> Any:
    if name in SMALL:
        return handler(state)
    return jax.lax.cond(any_battle(predicate), handler, lambda state: state, state)


def _loop(condition: Callable[[Any], Any], body: Handler, state: Any, most: int) -> Any:
    return repeat_while(condition, body, state, most, any_battle)


FOR_CPUS: Final = Ops(XLA.take, XLA.mulhi, _when_any, _loop, lambda tree: tree)
"""See the module."""


def form(ops: Ops) -> Ops:
    """The form meant by the one that leaves it to the device."""
    return FOR_CPUS if ops is XLA and jax.default_backend() == "cpu" else ops


def in_pieces(step: Callable[..., Any], alike: Callable[..., Any], size: int) -> Callable[..., Any]:
    """A step of many battles: those that are alike beside one another, and so many at a time.

    Args:
        step: ``(carry, *shared) -> carry`` of one battle; a carry is any pytree.
        alike: ``(carry, *shared) -> int32 ()``, a number that battles have in common whose step goes a similar way
            (`RandomBattle.alike`).
        size: battles of a piece; 4,096 was best where it was measured.

    Returns:
        The same of ``[B]``: each battle keeps its place.

    Raises:
        InvalidParamsError: the batch is no multiple of ``size``; when the step is traced.
    """

    def many(carry: Any, *shared: Any) -> Any:
        axes = (0, *[None] * len(shared))
        count = len(jax.tree.leaves(carry)[0])
        if count % size:
            raise InvalidParamsError("batch", count, f"a multiple of {size}", "choose another size of the pieces")
        order = jnp.argsort(jax.vmap(alike, axes)(carry, *shared))
        pieces = jax.tree.map(lambda leaf: leaf[order].reshape(count // size, size, *leaf.shape[1:]), carry)
        after = jax.lax.map(lambda piece: jax.vmap(step, axes)(piece, *shared), pieces)
        place = jnp.argsort(order)
        return jax.tree.map(lambda leaf: leaf.reshape(count, *leaf.shape[2:])[place], after)

    return many
