"""What a check of conformance requires of trees of arrays; the errors say what was got, expected and the remedy."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from rlenv_shared.errors import explain

FLOAT_RTOL = 1e-5  # jit vs eager and batched vs single may fuse and contract float32 arithmetic differently
FLOAT_ATOL = 1e-6


def fail(what: str, got: Any, expected: Any, remedy: str) -> None:
    """Raise `AssertionError` with that message."""
    raise AssertionError(explain(what, got=got, expected=expected, remedy=remedy))


def paths(tree: Any) -> dict[str, Any]:
    """Leaves by their paths."""
    return {jax.tree_util.keystr(path) or "value": leaf for path, leaf in jax.tree_util.tree_leaves_with_path(tree)}


def aval(leaf: Any) -> str:
    """An abstract value in short."""
    return f"{leaf.dtype}{list(leaf.shape)}{' weak' if getattr(leaf, 'weak_type', False) else ''}"


def require_same_avals(what: str, got: Any, expected: Any, remedy: str) -> None:
    """Two trees have the same structure, shapes, dtypes and weak types."""
    ours_tree: Any = jax.tree.structure(got)
    if ours_tree != jax.tree.structure(expected):
        fail(f"{what}: structure", jax.tree.structure(got), jax.tree.structure(expected), remedy)
    for (path, ours), theirs in zip(paths(got).items(), jax.tree.leaves(expected), strict=True):
        if aval(ours) != aval(theirs):
            fail(f"{what} {path}", aval(ours), aval(theirs), remedy)


def difference(got: Any, expected: Any, *, rtol: float = 0.0) -> str | None:
    """Where two trees of one structure first differ, floats by more than ``rtol``; equal NaNs agree."""
    for (path, ours), theirs in zip(paths(got).items(), jax.tree.leaves(expected), strict=True):
        ours, theirs = np.asarray(ours), np.asarray(theirs)
        if not rtol or ours.dtype.kind != "f":
            same = ours.dtype == theirs.dtype and np.array_equal(ours, theirs, equal_nan=ours.dtype.kind == "f")
        else:
            same = np.allclose(ours, theirs, rtol, FLOAT_ATOL, equal_nan=True)
        if not same:
            return f"{path} = {ours} instead of {theirs}"
    return None


def require_equal(what: str, got: Any, expected: Any, remedy: str, *, rtol: float = 0.0) -> None:
    """Two trees have equal values; floats to a relative tolerance where one is given."""
    found = difference(got, expected, rtol=rtol)
    if found:
        fail(what, found, f"equal to {rtol} relative" if rtol else "equal values", remedy)


def rows_of(leaves: list[Any]) -> np.ndarray:
    """The leaves of a batch, one row of bytes for each element."""
    arrays = [np.ascontiguousarray(leaf) for leaf in leaves]
    flat = [array.reshape(len(array), -1) for array in arrays]
    return np.concatenate([np.ascontiguousarray(array).view(np.uint8).reshape(len(array), -1) for array in flat], 1)
