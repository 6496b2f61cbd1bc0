"""Carries out `Code` by XLA: one loop over instructions, each for all environments of a group.

The loop is marked as small, so that XLA's compiler for CPUs makes one function of it instead of starting a kernel for
each operation of each instruction.  A group's rows stay in the processor's caches.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental.xla_metadata import set_xla_metadata

from rlenv_emit.bytecode.code import BRANCH, FIELDS, ROW, WORD, Code, Formula
from rlenv_emit.errors import Missing, UnsupportedError
from rlenv_emit.ir import NUMPY, Op, Program, walk
from rlenv_emit.processor import BY_XLA

ZERO: Final = np.int32(0)  # indices are int32 whatever the width of JAX's own integers
PLAIN: Final = {"allow_negative_indices": False}
"""Of slices: no place is negative, and what asks for that would be compiled for each of them."""
LANES: Final = BY_XLA.lanes
"""Environments of a group, at most."""
SMALL: Final = {"xla_cpu_small_call": "true", "inlineable": "false"}
"""What marks a call that XLA's compiler for CPUs makes one function of."""

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "add": lax.add, "sub": lax.sub, "mul": lax.mul, "div": lax.div, "rem": lax.rem, "min": lax.min, "max": lax.max,
    "and": lax.bitwise_and, "or": lax.bitwise_or, "xor": lax.bitwise_xor, "not": lax.bitwise_not, "neg": lax.neg,
    "eq": lax.eq, "ne": lax.ne, "lt": lax.lt, "le": lax.le, "gt": lax.gt, "ge": lax.ge,
    "shl": lax.shift_left, "shr": lax.shift_right_logical, "sar": lax.shift_right_arithmetic,
    "abs": lax.abs, "sign": lax.sign, "clz": lax.clz, "popcount": lax.population_count, "mulhi": lax.mulhi,
    "select": lax.select, "move": lambda word: word,
    "sqrt": lax.sqrt, "floor": lax.floor, "ceil": lax.ceil, "finite": lax.is_finite,
    "round": lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO),
    "rint": lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN),
    "sin": lax.sin, "cos": lax.cos, "log": lax.log, "pow": lax.pow,
    "any": lambda flags: jnp.broadcast_to(flags.any(), flags.shape),
}  # fmt: skip


_OTHERS: Final = frozenset({"const", "input", "table", "convert", "bitcast"})
"""Kinds of operations that are carried out in another way than by a function."""


def refused(program: Program) -> Iterator[UnsupportedError]:
    """What cannot be carried out, an error for each place."""
    for one in walk(program.block):
        if isinstance(one, Op) and one.kind not in FUNCTIONS and one.kind not in _OTHERS:
            source = program.origins.get(one.out)
            yield UnsupportedError.of(
                Missing(
                    getattr(source, "primitive", one.kind),
                    str(source),
                    f"the instruction {one.kind} {one.out.dtype}",
                    f"one of {sorted(FUNCTIONS)}",
                    "leave out the form, and the program is compiled",
                )
            )


def from_words(words: Any, dtype: str) -> Any:
    """Numbers of a dtype; ``word`` leaves them as they are."""
    if dtype == "word":
        return words
    if dtype == "b1":
        return words != 0
    wanted = NUMPY[dtype]
    if wanted.itemsize < words.dtype.itemsize:
        words = words.astype(f"i{wanted.itemsize}" if wanted.kind == "f" else wanted)
    return words if words.dtype == wanted else lax.bitcast_convert_type(words, wanted)


def to_words(numbers: Any, word: np.dtype) -> Any:
    """Integers and flags by their values, floats by their bits."""
    if numbers.dtype.kind == "f" or numbers.dtype.itemsize == word.itemsize:
        numbers = lax.bitcast_convert_type(numbers, f"i{numbers.dtype.itemsize}")
    return numbers.astype(word)


def run(code: Code, arguments: Sequence[Any], count: int, kinds: Any = None) -> list[Any]:
    """The results of all environments; to be called inside of `jax.jit`.

    Args:
        code: of one.
        arguments: ``[count, *shape]`` where every environment has its own, else ``[*shape]``.
        count: environments.
        kinds: int32 ``[count]``; those of one kind lie beside one another, and those of a negative one are left out:
            what stands in their results is nobody's.
    """
    size = min(LANES, 1 << max(4, (count - 1).bit_length()))  # of a group
    groups, word = -(-count // size), code.instructions.dtype
    order = None if kinds is None else jnp.argsort(kinds)
    left_out = ZERO if kinds is None else (kinds < 0).sum(dtype=jnp.int32) // size
    rows, words = _words(code, arguments, own=True)
    lanes = jnp.concatenate([jnp.zeros((0, count), word), *words])
    lanes = lanes if order is None else lanes[:, order]
    lanes = jnp.pad(lanes, ((0, 0), (0, groups * size - count)), mode="edge").reshape(-1, groups, size)
    tables = {("constant", number): jnp.asarray(table) for number, table in enumerate(code.tables)}
    tables |= {("argument", number): argument.reshape(-1) for number, argument in enumerate(arguments)}
    known = map(jnp.asarray, (code.instructions, np.int32(rows), np.int32(code.results)))
    read = [tables[table] for table in _read(code.operations)]
    # As constants they would be moved into the loops, of which the compiler then makes no function.
    given = lax.optimization_barrier((*known, read, _start(code, arguments, size), lanes, left_out))
    play = jax.jit(functools.partial(_groups, code.operations))
    found = set_xla_metadata(play(*given), **SMALL).reshape(-1, groups * size)
    found = found[:, :count] if order is None else found[:, jnp.argsort(order)]
    results, begin = [], 0
    for array in code.arrays[1]:
        part = found[begin : begin + array.size]
        results.append(from_words(part, array.dtype).T.reshape(count, *array.shape))
        begin += array.size
    return results


def _words(code: Code, arguments: Sequence[Any], own: bool) -> tuple[np.ndarray, list[Any]]:
    """Rows and words of what is read of the arguments that every environment has for itself, or of the others."""
    rows, words = [np.zeros(0, np.int64)], []
    for array, argument, at in zip(code.arrays[0], arguments, code.inputs, strict=True):
        if array.varying == own:
            read = np.flatnonzero(at >= 0)
            elements = argument.reshape((argument.shape[0], array.size) if own else (array.size,))[..., read].T
            rows.append(at[read])
            words.append(to_words(elements, code.instructions.dtype))
    return np.concatenate(rows), words


def _start(code: Code, arguments: Sequence[Any], size: int) -> Any:
    """All rows one behind another, with what is the same for everybody."""
    rows, words = _words(code, arguments, own=False)
    start = jnp.zeros((code.rows, size), code.instructions.dtype)
    if len(rows):
        start = start.at[rows].set(jnp.broadcast_to(jnp.concatenate(words)[:, None], (len(rows), size)))
    return start.reshape(-1)


def _groups(
    operations: Sequence[Formula], instructions: Any, own: Any, results: Any, tables: Any, start: Any, lanes: Any,
    first: Any,
) -> Any:  # fmt: skip
    """``[results, groups, size]`` of ``[own, groups, size]``, from the first group on that is to be played."""
    size = np.int32(lanes.shape[2])

    def group(carry: tuple[Any, Any]) -> tuple[Any, Any]:
        number, found = carry

        def read(place: Any, rows: Any) -> Any:
            words = lax.dynamic_slice(lanes, (place, number, ZERO), (1, 1, size), **PLAIN)
            return lax.dynamic_update_slice(rows, words.reshape(-1), (own[place] * size,), **PLAIN)

        def write(place: Any, found: Any) -> Any:
            words = lax.dynamic_slice(rows, (results[place] * size,), (size,), **PLAIN)
            return lax.dynamic_update_slice(found, words[None, None], (place, number, ZERO), **PLAIN)

        begin = _repeated(own.shape[0], read, start)
        rows = _play(operations, instructions, tables, begin, size)
        return number + 1, _repeated(results.shape[0], write, found)

    found = jnp.zeros((results.shape[0], *lanes.shape[1:]), lanes.dtype)
    return lax.while_loop(lambda carry: carry[0] < lanes.shape[1], group, (first, found))[1]


def _repeated(times: int, body: Callable[[Any, Any], Any], state: Any) -> Any:
    def once(carry: tuple[Any, Any]) -> tuple[Any, Any]:
        return carry[0] + 1, body(*carry)

    if not times:  # as where no argument is an environment's own: of nothing there is no slice
        return state
    return lax.while_loop(lambda carry: carry[0] < times, once, (ZERO, state))[1]


def _play(operations: Sequence[Formula], instructions: Any, tables: Any, rows: Any, size: np.int32) -> Any:
    """The rows after the last instruction, one behind another: as a matrix each would be read by two loops."""
    known = dict(zip(_read(operations), tables, strict=True))
    jump, branch = (Formula("move", ("word",), (operand,)) for operand in (WORD, ROW))  # a jump's first operand is 0
    arms = [_arm(operation, known, size) for operation in (jump, branch, *operations)]

    if not len(instructions):  # results are arguments or constants
        return rows

    def step(carry: tuple[Any, Any]) -> tuple[Any, Any]:
        number, rows = carry
        line = lax.squeeze(lax.dynamic_slice(instructions, (number, ZERO), (1, FIELDS), **PLAIN), (0,))
        fields, places = _each(line), _each(line.astype(np.int32) * size)  # here once, and not in every arm
        row = lax.switch(fields[0].astype(np.int32), arms, rows, fields, places)
        goes = (fields[0] <= BRANCH) & (row[0] == 0)  # not asked of `rows`: who reads it aside has it copied
        after = jnp.where(goes, fields[3].astype(np.int32), number + 1)
        return after, lax.dynamic_update_slice(rows, row, (places[1],), **PLAIN)

    return lax.while_loop(lambda carry: carry[0] < instructions.shape[0], step, (jnp.int32(0), rows))[1]


def _each(line: Any) -> list[Any]:
    """The fields of an instruction."""
    return [lax.squeeze(lax.slice(line, (number,), (number + 1,)), (0,)) for number in range(FIELDS)]


def _read(operations: Sequence[Formula]) -> list[tuple[str, int]]:
    """The tables that somebody reads."""
    return sorted(set().union(*(operation.tables() for operation in operations)))


def _arm(operation: Formula, tables: dict[tuple[str, int], Any], size: np.int32) -> Callable[..., Any]:
    """``(rows, fields, the rows' places, were they such) -> the row of the result``."""

    def carry_out(rows: Any, fields: Sequence[Any], places: Sequence[Any]) -> Any:
        numbers = iter(range(2, FIELDS))

        def words_of(formula: Formula) -> Any:
            operands = []
            for operand, dtype in zip(formula.operands, formula.dtypes, strict=True):
                if isinstance(operand, Formula):
                    words = words_of(operand)
                elif operand == WORD:
                    words = jnp.broadcast_to(fields[next(numbers)], (size,))
                else:
                    words = lax.dynamic_slice(rows, (places[next(numbers)],), (size,), **PLAIN)
                operands.append(from_words(words, dtype))
            return to_words(_function(formula, tables)(*operands), rows.dtype)

        return words_of(operation)

    return carry_out


def _function(formula: Formula, tables: dict[tuple[str, int], Any]) -> Callable[..., Any]:
    if formula.table is not None:
        table = tables[formula.table]
        return lambda index: table.at[index].get(mode="promise_in_bounds", wrap_negative_indices=False)
    if formula.kind == "convert":
        return lambda number: lax.convert_element_type(number, NUMPY[formula.out])
    if formula.kind == "bitcast":
        return lambda number: lax.bitcast_convert_type(number, NUMPY[formula.out])
    return FUNCTIONS[formula.kind]
