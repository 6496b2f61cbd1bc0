"""What only emitted functions have: votes of the lanes that take branches together, and policies of gates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend import core as jax_core
from jax.interpreters import batching

from rlenv_shared import transforms

any_lane_p = jax_core.Primitive("any_lane")
any_lane_p.def_abstract_eval(lambda flag, *, name: jax.core.ShapedArray((), jnp.bool_))


def _batched(flags: Any, axes: Any, *, name: str) -> tuple[Any, None]:
    """Axes inside a lane: whether the flag is true anywhere on them."""
    (flag,), (axis,) = flags, axes
    return any_lane_p.bind(jnp.any(flag, axis=axis), name=name), None


batching.primitive_batchers[any_lane_p] = _batched

BRANCH, MASK = "branch", "mask"
Policy = Mapping[str, str]
"""By gate (`rlenv_shared.control.gate`): BRANCH where its work is skipped if no lane needs it, MASK where it is always
done.  Gates that it does not name branch."""


def any_lane(flag: Any, name: str = "") -> Any:
    """Whether a flag is true in any lane of the group; for functions that are emitted only."""
    return any_lane_p.bind(jnp.asarray(flag, jnp.bool_), name=name)


def under(policy: Policy | None, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose program follows the policy."""
    gates = frozenset(name for name, what in (policy or {}).items() if what == MASK)
    return transforms.masked(function, gates) if gates else function
