"""Assembles a traced function once, and keeps its code beside native objects."""

from __future__ import annotations

import functools
import hashlib
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from rlenv_emit import folder, keeping
from rlenv_emit.bytecode.assemble import assemble
from rlenv_emit.bytecode.code import Code, Formula
from rlenv_emit.front.trace import program
from rlenv_emit.ir import Array
from rlenv_emit.key import key_of
from rlenv_emit.processor import BY_XLA, BYTECODE, Form
from rlenv_shared import files
from rlenv_shared.errors import StorageError

SOURCES: Final = ("assemble.py", "code.py", "formulas.py")
"""What makes code of a program, besides what `rlenv_emit.key` knows of."""


@functools.cache
def _version() -> str:
    folder = Path(__file__).parent
    return hashlib.sha256(b"".join((folder / name).read_bytes() for name in SOURCES)).hexdigest()


def key_of_code(closed: Any, varying: Sequence[bool], form: Form) -> str:
    """The key of the code of a closed jaxpr, see `code_of`."""
    return key_of(closed, varying, form, (_version(),))


def kept_code(key: str) -> Code | None:
    """Code that was made before; None where there is none."""
    kept = keeping.find(_name(key), lambda content: load(content, key))
    if kept is None:
        return None
    kept.file.close()
    found: Code = kept.says
    return found


def code_of(closed: Any, varying: Sequence[bool], form: Form, key: str = "") -> Code:
    """The code of a closed jaxpr of one environment; if the cache has it, nothing else is looked at.

    Args:
        closed: the jaxpr.
        varying: for each argument, whether every environment has its own.
        form: of those of instructions.
        key: as `key_of_code` gives it, where that is known.

    Raises:
        UnsupportedError: it uses a primitive, dtype or size that cannot be emitted.
    """
    key = key or key_of_code(closed, varying, form)
    made: list[Code] = []

    def make(work: Path) -> Path:
        made[:] = made or [assemble(program(closed, varying), form is BY_XLA)]
        save(work / "code.npz", made[0], key)
        return work / "code.npz"

    try:
        kept = keeping.keep(_name(key), make, lambda content: load(content, key))
    except StorageError as error:
        folder.warn_of_spare(error)  # this process needs no file
        return made[0] if made else assemble(program(closed, varying), form is BY_XLA)
    kept.file.close()
    found: Code = kept.says
    return found


def _name(key: str) -> str:
    return f"{BYTECODE.name}-{key}.npz"


def save(path: Path, code: Code, key: str) -> None:
    """Write a sealed file.  Raises StorageError: there is no place."""
    header = {
        "key": key,
        "rows": code.rows,
        "operations": [_written(operation) for operation in code.operations],
        "arrays": [[[one.varying, list(one.shape), one.dtype] for one in arrays] for arrays in code.arrays],
    }
    arrays = {"instructions": code.instructions, "results": code.results}
    arrays |= {f"input{number}": rows for number, rows in enumerate(code.inputs)}
    arrays |= {f"table{number}": table for number, table in enumerate(code.tables)}
    files.write_npz(path, header, arrays)


def load(content: bytes, key: str) -> Code | None:
    """What `save` wrote; None where the content is damaged, or of another program."""
    try:
        header, arrays = files.read_npz(io.BytesIO(content))
        return _code(header, arrays) if header["key"] == key else None
    except Exception:  # decoders raise anything
        return None


def _code(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> Code:
    inputs, outputs = (
        tuple(Array(varying, tuple(shape), dtype) for varying, shape, dtype in part) for part in header["arrays"]
    )
    count = sum(name.startswith("table") for name in arrays)
    return Code(
        tuple(_read(operation) for operation in header["operations"]),
        arrays["instructions"],
        header["rows"],
        tuple(arrays[f"input{number}"] for number in range(len(inputs))),
        arrays["results"],
        (inputs, outputs),
        tuple(arrays[f"table{number}"] for number in range(count)),
    )


def _written(operand: Any) -> Any:
    if not isinstance(operand, Formula):
        return operand
    inner = [_written(one) for one in operand.operands]
    return [operand.kind, list(operand.dtypes), inner, operand.out, operand.table and list(operand.table)]


def _read(operand: Any) -> Any:
    if isinstance(operand, str):
        return operand
    kind, dtypes, inner, out, table = operand
    return Formula(kind, tuple(dtypes), tuple(map(_read, inner)), out, table and (table[0], table[1]))
