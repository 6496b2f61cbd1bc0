"""Checkpoints in orbax's format, for those whose tools read it; chosen by ``checkpoint_format="orbax"``.

The default stays one ``.npz`` file: NumPy alone reads it, it can be copied, mailed and committed as one thing, and it
is verified as a whole.  An orbax checkpoint is a directory of a dozen files and takes longer to write, but it is what
other JAX programs expect.  Both hold the same named arrays and the same header, so one reader serves both.
"""

from __future__ import annotations

import hashlib
import json
import logging
import tempfile
from pathlib import Path
from typing import Any, Final

import numpy as np
import orbax.checkpoint as ocp

from rlenv_learn import snapshot
from rlenv_shared import files

ARRAYS: Final = "arrays"
HEADER: Final = "header"


def _digest(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> str:
    """SHA-256 over the header and all arrays: not every flipped bit breaks orbax's own format."""
    result = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    for name, array in sorted(arrays.items()):
        result.update(f"{name}\0{array.dtype}{array.shape}".encode() + np.ascontiguousarray(array).tobytes())
    return result.hexdigest()


def write(path: Path, kind: str, arrays: dict[str, np.ndarray], meta: dict[str, Any]) -> None:
    """Write a directory under another name, then put it into place; StorageError if it cannot be, and all is as before.

    Arrays are stored by number, since names are paths with characters of their own; the header lists them.
    """
    names = sorted(arrays)
    # orbax keeps no arrays without elements, such as the state of a network without memory
    stored = {str(i): arrays[name] for i, name in enumerate(names) if arrays[name].size}
    empty = {name: [str(arrays[name].dtype), list(arrays[name].shape)] for name in names if not arrays[name].size}
    header = {**snapshot.header(kind), "names": names, "empty": empty, **meta}
    header["sha256"] = _digest(header, arrays)
    items = {ARRAYS: ocp.args.StandardSave(stored), HEADER: ocp.args.JsonSave(header)}
    with files.storing(path, Exception):  # orbax and tensorstore have their own
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(
            prefix=f".{path.name}.", dir=path.parent, ignore_cleanup_errors=True
        ) as folder:
            new = Path(folder).absolute() / "new"
            with _checkpointer() as checkpointer:
                checkpointer.save(new, args=ocp.args.Composite(**items))
            if path.exists():
                path.rename(new.with_name("old"))
            new.rename(path)


def read(path: Path, kind: str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Read ``(arrays, header)``.  Raises SnapshotVersionError: corrupt, of another program, kind or version."""
    with snapshot.reading(f"{kind} {path}"):
        with _checkpointer() as checkpointer:
            items = ocp.args.Composite(**{HEADER: ocp.args.JsonRestore()})
            header = checkpointer.restore(path.absolute(), args=items)[HEADER]
            items = ocp.args.Composite(**{ARRAYS: ocp.args.StandardRestore()})
            stored = checkpointer.restore(path.absolute(), args=items)[ARRAYS]
        arrays = {name: np.asarray(stored[str(i)]) for i, name in enumerate(header["names"]) if str(i) in stored}
        arrays |= {name: np.zeros(shape, dtype) for name, (dtype, shape) in header["empty"].items()}
        expected = header.pop("sha256")
        if set(arrays) != set(header["names"]) or _digest(header, arrays) != expected:
            raise ValueError(f"content other than what was written (sha256 {expected!r})")
    snapshot.check_header(f"{kind} {path}", header, kind)
    return arrays, header


def _checkpointer() -> ocp.Checkpointer:
    logging.getLogger("absl").setLevel(logging.ERROR)  # orbax tells each of its steps
    return ocp.Checkpointer(ocp.CompositeCheckpointHandler())
