"""What traces found, kept for the next process: results' shapes, and programs as XLA takes them.

Both are files of the cache, named by what the trace depends on (`rlenv_emit.identity`).
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import io
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import jax
import jax.export
import jax.numpy as jnp
import numpy as np

from rlenv_emit import folder, keeping
from rlenv_shared import files
from rlenv_shared.errors import StorageError

PLATFORM: Final = "cpu"
Objects = set[tuple[str, str]]
"""Names and keys of native objects that a program calls."""
_used: list[Objects] = []


@contextlib.contextmanager
def noting() -> Iterator[Objects]:
    """The native objects that are asked for inside."""
    _used.append(set())
    try:
        yield _used[-1]
    finally:
        _used.pop()


def note(objects: Objects) -> None:
    """Tell everybody who asks."""
    for noted in _used:
        noted |= objects


def results(identity: str) -> tuple[Any, list[Any], str] | None:
    """The structure of a function's results, their shapes and dtypes, and its object's key ("" where none was told).

    None if no process has traced it.
    """
    found = _read("traced", identity)
    if found is None:
        return None
    header, arrays = found
    try:  # the folder is nobody else's, so what unpickles is what this user's process wrote
        structure = pickle.loads(arrays["structure"].tobytes())
    except Exception:  # a type that is no longer there
        return None
    outs = [jax.ShapeDtypeStruct(tuple(shape), np.dtype(dtype)) for shape, dtype in header["results"]]
    return structure, outs, header["object"]


def keep_results(identity: str, structure: Any, avals: Sequence[Any], key: str = "") -> None:
    """Keep what `results` gives."""
    try:
        pickled = pickle.dumps(structure)
        header = {"results": [[list(aval.shape), np.dtype(aval.dtype).name] for aval in avals], "object": key}
    except Exception:  # a structure of local types, or a dtype of JAX's own
        return
    _write("traced", identity, header, {"structure": np.frombuffer(pickled, np.uint8)})


def fact(identity: str | None, find_out: Callable[[], bool]) -> bool:
    """Something that tracing finds out; ``find_out`` where no process has."""
    if identity is None:
        return find_out()
    if found := _read("fact", identity):
        return bool(found[0]["is"])
    is_so = find_out()
    _write("fact", identity, {"is": is_so}, {})
    return is_so


def key(identity: str) -> str | None:
    """The key of what a function was compiled to for a pattern of shared arguments; None if no process has."""
    found = _read("key", identity)
    return None if found is None else found[0]["key"]


def keep_key(identity: str, key: str) -> None:
    """Keep what `key` gives."""
    _write("key", identity, {"key": key}, {})


def program(
    identity: str, function: Callable[..., Any], arguments: Sequence[Any], outs: Sequence[Any],
    load: Callable[[str, str], bool],
) -> Any:  # fmt: skip
    """A function as XLA takes it, traced if no process has; to be called in another one's trace.

    Args:
        identity: of the function, and of shapes and dtypes of its arguments.
        function: of arrays, gives a list.
        arguments: shapes and dtypes.
        outs: shapes and dtypes of its results.
        load: a native object, by name and key; False where it is gone.
    """
    # Fresh or kept, it goes into the same frame: its name is part of what XLA's compiler is given.
    frame = _exported(lambda *given: [jnp.zeros(out.shape, out.dtype) for out in outs], arguments)
    found = _read("program", identity)
    if found is not None and all(load(name, key) for name, key in found[0]["objects"]):
        header, arrays = found
        note({(name, key) for name, key in header["objects"]})
        module = arrays["module"].tobytes()
        return dataclasses.replace(frame, mlir_module_serialized=module, module_kept_var_idx=tuple(header["reads"]))
    with noting() as used:
        jitted = jax.jit(function)
        jitted.trace(*arguments).lower(lowering_platforms=(PLATFORM,))
        made = _exported(jitted, arguments, [f"rlenv_emit_{key}" for _, key in used])
    note(used)
    header = {"objects": sorted(map(list, used)), "reads": list(made.module_kept_var_idx)}
    _write("program", identity, header, {"module": np.frombuffer(made.mlir_module_serialized, np.uint8)})
    return dataclasses.replace(
        frame, mlir_module_serialized=made.mlir_module_serialized, module_kept_var_idx=made.module_kept_var_idx
    )


def _exported(function: Callable[..., Any], arguments: Sequence[Any], calls: Sequence[str] = ()) -> Any:
    allowed = [jax.export.DisabledSafetyCheck.custom_call(name) for name in calls]
    jitted: Any = function if hasattr(function, "lower") else jax.jit(function)
    return jax.export.export(jitted, platforms=(PLATFORM,), disabled_checks=allowed)(*arguments)


def key_of_call(identity: str, *parts: object) -> str:
    """The identity of a program for a pattern of arguments."""
    return hashlib.sha256(f"{identity} {parts!r}".encode()).hexdigest()[:40]


def _name(kind: str, identity: str) -> str:
    return f"{kind}-{identity}.npz"


def _parsed(content: bytes, kind: str, identity: str) -> tuple[dict[str, Any], dict[str, Any]] | None:
    try:
        header, arrays = files.read_npz(io.BytesIO(content))
        return (header, arrays) if (header["kind"], header["identity"]) == (kind, identity) else None
    except Exception:  # decoders raise anything
        return None


def _read(kind: str, identity: str) -> tuple[dict[str, Any], dict[str, Any]] | None:
    kept = keeping.find(_name(kind, identity), lambda content: _parsed(content, kind, identity))
    if kept is None:
        return None
    kept.file.close()
    found: tuple[dict[str, Any], dict[str, Any]] = kept.says
    return found


def _write(kind: str, identity: str, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    def make(work: Path) -> Path:
        files.write_npz(work / "kept.npz", {**header, "kind": kind, "identity": identity}, arrays)
        return work / "kept.npz"

    try:
        kept = keeping.keep(_name(kind, identity), make, lambda content: _parsed(content, kind, identity))
    except StorageError as error:  # it is traced again
        folder.warn_of_spare(error)
    else:
        kept.file.close()
