"""Pytrees on disk: one ``.npz`` file of named arrays with a JSON header, written atomically, checked when read."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_shared import files
from rlenv_shared.errors import SnapshotVersionError

SCHEMA: Final = "rlenv-ppo"
VERSION: Final = 1


def _is_key(leaf: Any) -> bool:
    return jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def flatten(tree: Any) -> dict[str, np.ndarray]:
    """Name every leaf by its path; JAX keys become their words."""
    leaves = jax.tree_util.tree_leaves_with_path(tree)
    return {
        jax.tree_util.keystr(path): np.asarray(jax.random.key_data(leaf) if _is_key(leaf) else leaf)
        for path, leaf in leaves
    }


def unflatten(template: Any, arrays: dict[str, np.ndarray], what: str, prefix: str = "") -> Any:
    """Fill a pytree of arrays or shapes with named arrays, as `flatten` gave them for ``prefix`` in the whole.

    ``what`` names the file in errors.  Raises SnapshotVersionError: names, shapes or dtypes differ.
    """
    leaves, structure = jax.tree_util.tree_flatten_with_path(template)
    expected = {prefix + jax.tree_util.keystr(path): leaf for path, leaf in leaves}
    found = {name for name in arrays if name.startswith(prefix)}
    if found != set(expected):
        got = f"missing {sorted(set(expected) - found)[:3]}, unexpected {sorted(found - set(expected))[:3]}"
        remedy = "resume with the program version and environment that wrote it"
        raise SnapshotVersionError(what, got, "exactly the arrays of this program's state", remedy)
    restored = []
    for name, leaf in expected.items():
        words = jax.eval_shape(jax.random.key_data, leaf) if _is_key(leaf) else leaf
        array = arrays[name]
        if array.shape != words.shape or array.dtype != words.dtype:
            raise SnapshotVersionError(
                f"{what}, array {name}",
                f"{array.dtype}{list(array.shape)}",
                f"{words.dtype}{list(words.shape)}",
                "resume with the configuration and environment that wrote it",
            )
        # jnp.array copies: the trainer donates its state, and borrowed NumPy memory cannot be given away
        value = jnp.array(array)
        restored.append(jax.random.wrap_key_data(value, impl=jax.random.key_impl(leaf)) if _is_key(leaf) else value)
    return jax.tree_util.tree_unflatten(structure, restored)


def reading(what: str) -> contextlib.AbstractContextManager[None]:
    """Turn what a damaged file raises into a SnapshotVersionError that says what to do."""
    remedy = "delete it; where an older one lies beside it, that one is used then"
    return files.reading(what, "a file written by rlenv_learn", remedy)


def write(path: Path, kind: str, arrays: dict[str, np.ndarray], meta: dict[str, Any]) -> None:
    """Write the old file or the new one, never half of one.  Raises StorageError: it cannot be written there."""
    files.write_npz(path, {**header(kind), **meta}, arrays)


def read(path: Path, kind: str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Read ``(arrays, header)``.  Raises SnapshotVersionError: missing, corrupt, or of another program or version."""
    with reading(f"{kind} {path}"):
        found, arrays = files.read_npz(path)
    check_header(f"{kind} {path}", found, kind)
    return arrays, found


def header(kind: str) -> dict[str, Any]:
    """What every header begins with."""
    return {"schema": SCHEMA, "version": VERSION, "kind": kind}


def check_header(what: str, found: dict[str, Any], kind: str) -> None:
    """Refuse what another program or version wrote, or what is of another kind."""
    got, expected = (tuple(side.get(key) for key in ("schema", "version", "kind")) for side in (found, header(kind)))
    if got != expected:
        raise SnapshotVersionError(what, got, expected, "use a file of this kind and version, or write it again")
