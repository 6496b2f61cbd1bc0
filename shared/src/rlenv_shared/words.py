"""What a step does differently inside and outside a kernel: reading a table, the high half of a product."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from rlenv_shared import counter_rng


@dataclasses.dataclass(frozen=True)
class Ops:
    """What a step does differently inside and outside a kernel.

    Attributes:
        take: ``(name of a flat table, int32 index array) -> entries`` of the index's shape; the index is in range.
        mulhi: high 32 bits of the product of two uint32 arrays.
    """

    take: Callable[[str, Any], Any]
    mulhi: Callable[[Any, Any], Any] = counter_rng.mulhi


def xla_ops(tables: Mapping[str, Any]) -> Ops:
    """Tables are flat JAX or NumPy arrays; gathers trust the index."""
    import jax
    import jax.numpy as jnp

    arrays = {name: jnp.asarray(table) for name, table in tables.items()}
    return Ops(lambda name, index: arrays[name].at[index].get(mode="promise_in_bounds"), jax.lax.mulhi)


def kernel_ops(refs: Mapping[str, Any]) -> Ops:
    """Tables are references that a Pallas kernel was given; the high half comes from 16-bit limbs."""
    return Ops(lambda name, index: refs[name][index])
