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

    Inherit from :class:`Replaceable` to get a typed ``.replace(**changes)``.  A ``__post_init__`` checks what people
    construct; JAX rebuilds trees without it, since it puts tracers, axes and sentinels where numbers were.
    """
    made = dataclasses.dataclass(frozen=True)(cls)
    return _register_unchecked(made) if hasattr(made, "__post_init__") else jax.tree_util.register_dataclass(made)


def _register_unchecked(cls: type[T]) -> type[T]:
    """Register a dataclass whose instances JAX makes without calling its constructor."""
    fields = dataclasses.fields(cls)  # type: ignore[arg-type]
    children = [field.name for field in fields if not field.metadata.get("static")]
    structure = [field.name for field in fields if field.metadata.get("static")]
    keys = [jax.tree_util.GetAttrKey(name) for name in children]

    def flatten(tree: T) -> tuple[list[Any], tuple[Any, ...]]:
        return [getattr(tree, name) for name in children], tuple(getattr(tree, name) for name in structure)

    def flatten_with_keys(tree: T) -> tuple[list[tuple[Any, Any]], tuple[Any, ...]]:
        values, static_values = flatten(tree)
        return list(zip(keys, values, strict=True)), static_values

    def unflatten(static_values: tuple[Any, ...], values: Any) -> T:
        tree = object.__new__(cls)
        for name, value in (*zip(children, values, strict=True), *zip(structure, static_values, strict=True)):
            object.__setattr__(tree, name, value)
        return tree

    jax.tree_util.register_pytree_with_keys(cls, flatten_with_keys, unflatten, flatten)
    return cls
