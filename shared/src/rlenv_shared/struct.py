"""Frozen dataclasses that are JAX pytrees."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, Self, TypeVar, dataclass_transform

import jax

T = TypeVar("T")

static = functools.partial(dataclasses.field, metadata={"static": True})
"""A field that is part of the tree's structure (hashable, not traced)."""


class Replaceable:
    """What :func:`pytree_dataclass` adds to a class, for static type checkers."""

    def replace(self, **changes: Any) -> Self:
        """Return a copy with the named fields replaced."""
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]


@dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field, static))
def pytree_dataclass(cls: type[T]) -> type[T]:
    """Make ``cls`` a frozen dataclass and register it as a JAX pytree; fields made with `static` are structure.

    Inherit from :class:`Replaceable` to get a typed ``.replace(**changes)``.
    """
    return jax.tree_util.register_dataclass(dataclasses.dataclass(frozen=True)(cls))
