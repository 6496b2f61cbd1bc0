"""Pytrees on disk: one ``.npz`` file of named arrays with a JSON header, written atomically, checked when read."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path
from typing import Any, Final, NoReturn

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_shared.errors import SnapshotVersionError, explain

SCHEMA: Final = "rlenv-ppo"
VERSION: Final = 1
HEADER: Final = "__header__"  # name of the array that holds the JSON text


def refuse(what: str, *, got: object, expected: object, remedy: str) -> NoReturn:
    """Raise a SnapshotVersionError."""
    raise SnapshotVersionError(explain(what, got=got, expected=expected, remedy=remedy))


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
    """Fill the structure of ``template`` (arrays or shapes) with named arrays.

    Args:
        template: pytree whose leaves have shape and dtype.
        arrays: what `flatten` returned.
        what: names the file in errors.
        prefix: path of the subtree that ``template`` describes.

    Raises:
        SnapshotVersionError: names, shapes or dtypes differ.
    """
    leaves, structure = jax.tree_util.tree_flatten_with_path(template)
    expected = {prefix + jax.tree_util.keystr(path): leaf for path, leaf in leaves}
    found = {name for name in arrays if name.startswith(prefix)}
    if found != set(expected):
        refuse(
            what,
            got=f"missing {sorted(set(expected) - found)[:3]}, unexpected {sorted(found - set(expected))[:3]}",
            expected="exactly the arrays of this program's state",
            remedy="resume with the program version and environment that wrote it",
        )
    restored = []
    for name, leaf in expected.items():
        words = jax.eval_shape(jax.random.key_data, leaf) if _is_key(leaf) else leaf
        array = arrays[name]
        if array.shape != words.shape or array.dtype != words.dtype:
            refuse(
                f"{what}, array {name}",
                got=f"{array.dtype}{list(array.shape)}",
                expected=f"{words.dtype}{list(words.shape)}",
                remedy="resume with the configuration and environment that wrote it",
            )
        # jnp.array copies: the trainer donates its state, and borrowed NumPy memory cannot be given away
        value = jnp.array(array)
        restored.append(jax.random.wrap_key_data(value, impl=jax.random.key_impl(leaf)) if _is_key(leaf) else value)
    return jax.tree_util.tree_unflatten(structure, restored)


def write(path: Path, kind: str, arrays: dict[str, np.ndarray], meta: dict[str, Any]) -> None:
    """Write atomically: after a crash there is the old file or the new one, never half of one."""
    header = {"schema": SCHEMA, "version": VERSION, "kind": kind, **meta}
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            text = np.frombuffer(json.dumps(header, allow_nan=False).encode(), np.uint8)
            np.savez(file, allow_pickle=False, **{HEADER: text, **arrays})
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)  # makes the rename itself durable
    finally:
        os.close(directory)


def read(path: Path, kind: str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Read ``(arrays, header)``.

    Raises:
        SnapshotVersionError: no such file, corrupt, of another program, kind or version.
    """
    what = f"{kind} {path}"
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}  # the zip's checksums are verified here
        header = json.loads(arrays.pop(HEADER).tobytes())
    except FileNotFoundError as error:
        message = explain(what, got="no such file", expected=f"a {kind} file", remedy="check the path")
        raise SnapshotVersionError(message) from error
    except (OSError, ValueError, KeyError, EOFError, AttributeError, TypeError, zipfile.BadZipFile) as error:
        message = explain(
            what,
            got=f"an unreadable file ({type(error).__name__}: {error})",
            expected=f"a {kind} written by rlenv_learn",
            remedy="delete it; where an older one lies beside it, that one is used then",
        )
        raise SnapshotVersionError(message) from error
    found = (header.get("schema"), header.get("version"), header.get("kind")) if isinstance(header, dict) else header
    if found != (SCHEMA, VERSION, kind):
        refuse(
            what,
            got=found,
            expected=(SCHEMA, VERSION, kind),
            remedy="use a file of this kind and version, or write it again",
        )
    return arrays, header
