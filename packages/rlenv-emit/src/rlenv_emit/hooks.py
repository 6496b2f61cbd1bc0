"""The form of `rlenv_shared.ops` that is emitted: branches that a group of lanes takes together, and real loops."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import jax
import jax.numpy as jnp
from jax.extend import core as jax_core
from jax.interpreters import batching

from rlenv_shared.ops import XLA, Handler, Ops, repeat_while

any_lane_p = jax_core.Primitive("any_lane")
any_lane_p.def_abstract_eval(lambda flag, *, name: jax.core.ShapedArray((), jnp.bool_))


def _batched(flags: Any, axes: Any, *, name: str) -> tuple[Any, None]:
    """Axes inside a lane: whether the flag is true anywhere on them."""
    (flag,), (axis,) = flags, axes
    return any_lane_p.bind(jnp.any(flag, axis=axis), name=name), None


batching.primitive_batchers[any_lane_p] = _batched

BRANCH, MASK = "branch", "mask"
Policy = Mapping[str, str]
"""By gate: BRANCH where its work is skipped if no lane needs it, MASK where it is always done."""


def any_lane(flag: Any, name: str = "") -> Any:
    """Whether a flag is true in any lane of the group; for functions that are emitted only."""
    return any_lane_p.bind(jnp.asarray(flag, jnp.bool_), name=name)


def emit_ops(policy: Policy | None = None) -> Ops:
    """The hooks for a step that is to be emitted.

    Args:
        policy: what to do with each gate; those that it does not name branch.
    """
    chosen = policy or {}

    def when_any(name: str, predicate: Any, handler: Handler, state: Any) -> Any:
        if chosen.get(name, BRANCH) == MASK:
            return handler(state)
        return jax.lax.cond(any_lane(predicate, name), handler, lambda state: state, state)

    def loop(condition: Callable[[Any], Any], body: Handler, state: Any, most: int) -> Any:
        return repeat_while(condition, body, state, most, any_lane)

    return Ops(XLA.take, jax.lax.mulhi, when_any, loop, lambda tree: tree, branches=True)


EMIT: Final = emit_ops()
"""Every gate branches."""
