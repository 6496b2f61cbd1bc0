"""Carries out `Code` of single operations by a C++ interpreter, which is compiled once for all programs.

XLA needs up to a minute to compile its own loop over instructions (`machine`) for each program.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_emit import processor, warm
from rlenv_emit.build import Built, built, kept_object, made_object
from rlenv_emit.bytecode import operations
from rlenv_emit.bytecode.code import BRANCH, JUMP, WORD, Code
from rlenv_emit.compiler import FLAGS
from rlenv_emit.errors import CompilerError, ObjectFileError
from rlenv_emit.ir import NUMPY
from rlenv_emit.key import key_of_text
from rlenv_emit.targets import register
from rlenv_shared.errors import StorageError

OPTIMISED: Final = ("-O2", "-ftree-vectorize")
"""An operation's loop over environments becomes the processor's vector instructions."""
FIELDS: Final = 5
"""Of an instruction: operation, row of the result, and rows of three operands (`interpreter.h`)."""


@functools.cache
def available() -> bool:
    """Whether this machine has the interpreter, or can make it; it is made here."""
    try:
        return bool(built_for(np.dtype(np.int32)))
    except (CompilerError, ObjectFileError, StorageError):
        return False


@functools.cache
def built_for(word: np.dtype) -> Built:
    """The interpreter for words of a width.

    Raises:
        CompilerError: it is not there, and cannot be made.
        StorageError: there is no place for it, not even a temporary one.
        ObjectFileError: this system does not load it, or has no processor that is known.
    """
    form, text = processor.best(), operations.text(word)
    key = key_of_text(text, form.name, *FLAGS, *OPTIMISED)
    return built(kept_object(name_of(key), key) or made_object(name_of(key), key, form, lambda: text, OPTIMISED), key)


def name_of(key: str) -> str:
    """Of the object, before the compiler's identity."""
    return f"interpreter-{key}"


def run(code: Code, arguments: Sequence[Any], count: int, kinds: Any = None, threads: int = 1) -> list[Any]:
    """The results of all environments; to be called inside of `jax.jit`.

    Args:
        code: of one, of single operations.
        arguments: ``[count, *shape]`` where every environment has its own, else ``[*shape]``.
        count: environments.
        kinds: as of `machine.run`.
        threads: at most that many work on a batch.
    """
    lines, constants = _lines(code)
    places = [np.stack([at[at >= 0], np.flatnonzero(at >= 0)], 1) for at in code.inputs]
    known = [
        lines,
        constants,
        np.concatenate([np.zeros((0, 2), np.int32), *places]).astype(np.int32),
        code.results.astype(np.int32),
        np.array([len(one) for one in places], np.int32),
        np.array([array.varying for array in code.arrays[0]], np.int32),
    ]
    outs = [jax.ShapeDtypeStruct((count, *array.shape), NUMPY[array.dtype]) for array in code.arrays[1]]
    made = built_for(code.instructions.dtype)
    warm.note({(name_of(made.key), made.key)})
    call: Any = jax.ffi.ffi_call(register(made), outs)
    ordered = [] if kinds is None else [kinds]
    return list(
        call(
            *map(jnp.asarray, known), *ordered, *map(jnp.asarray, code.tables), *arguments,
            rows=code.rows, ordered=len(ordered), tables=len(code.tables), threads=threads,
        )
    )  # fmt: skip


def _lines(code: Code) -> tuple[np.ndarray, np.ndarray]:
    """Instructions with rows alone, int32 ``[lines, FIELDS]``, and the words that lie in the last rows."""
    given = code.instructions
    lines = np.zeros((len(given), FIELDS), np.int32)
    lines[:, :2] = given[:, :2]
    jumps = np.isin(given[:, 0], (JUMP, BRANCH))
    lines[jumps, 2:4] = given[jumps, 2:4]
    words = np.zeros((0,), given.dtype)
    held: list[tuple[np.ndarray, int]] = []
    for number, formula in enumerate(code.operations, operations.FIRST):
        own = np.flatnonzero(given[:, 0] == number)
        lines[own, 0] = operations.number_of(formula, code)
        for place, operand in enumerate(formula.operands):
            lines[own, 2 + place] = 0 if operand == WORD else given[own, 2 + place]
            if operand == WORD:
                held.append((own, 2 + place))
        if formula.table is not None:
            source, table = formula.table
            lines[own, 3] = table + (len(code.tables) if source == "argument" else 0)
    constants, rows = np.unique(np.concatenate([words, *(given[own, at] for own, at in held)]), return_inverse=True)
    begin = 0
    for own, at in held:
        lines[own, at] = code.rows + rows[begin : begin + len(own)]
        begin += len(own)
    return lines, constants
