"""The single operations of instructions, their numbers, and the C++ text that carries out each of them."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from rlenv_emit.bytecode.code import Code, Formula
from rlenv_emit.bytecode.formulas import canonical
from rlenv_emit.cpp.expressions import Printer
from rlenv_emit.ir import COMPARISONS, DTYPES, NUMPY, Op, Value

_INTEGERS: Final = tuple(dtype for dtype in NUMPY if dtype[0] in "iu")
_FLOATS: Final = ("f32", "f64")
_KINDS: Final[Mapping[str, tuple[int, tuple[str, ...]]]] = {
    **dict.fromkeys(("add", "sub", "mul", "div", "rem", "min", "max"), (2, (*_INTEGERS, *_FLOATS))),
    **dict.fromkeys(("and", "or", "xor"), (2, ("b1", *_INTEGERS))),
    **dict.fromkeys(sorted(COMPARISONS), (2, ("b1", *_INTEGERS, *_FLOATS))),
    **dict.fromkeys(("shl", "shr", "sar", "mulhi"), (2, _INTEGERS)),
    **dict.fromkeys(("neg", "abs", "sign"), (1, (*_INTEGERS, *_FLOATS))),
    **dict.fromkeys(("clz", "popcount"), (1, _INTEGERS)),
    **dict.fromkeys(("sqrt", "floor", "ceil", "round", "rint", "finite", "sin", "cos", "log"), (1, _FLOATS)),
    "not": (1, ("b1", *_INTEGERS)),
    "pow": (2, _FLOATS),
}
"""Operations whose operands have one dtype: how many operands, and the dtypes."""
_FLAGS: Final = COMPARISONS | {"finite"}
"""Those that give a flag whatever they are given."""
FIRST: Final = 2
"""Number of the first operation, after `code.JUMP` and `code.BRANCH`."""


class Single(NamedTuple):
    """An operation, whatever its operands are: constants have rows, too.

    Attributes:
        kind: as in `rlenv_emit.ir`, or ``move``.
        dtypes: of the operands; ``word`` takes the bits as they are.
        out: dtype of the result, where the kind and the operands do not tell it: of a conversion and of a read.
    """

    kind: str
    dtypes: tuple[str, ...]
    out: str = ""


@functools.cache
def numbers(word: np.dtype) -> Mapping[Single, int]:
    """The number of every operation on words of a width."""
    return {one: FIRST + number for number, one in enumerate(dict.fromkeys(_singles(word)))}


def _singles(word: np.dtype) -> Iterator[Single]:
    fitting = [dtype for dtype in NUMPY if NUMPY[dtype].itemsize <= word.itemsize]
    yield Single("move", ("word",))
    yield Single("select", ("b1", "word", "word"))
    yield Single("any", ("b1",))
    yield from (Single("table", ("i32",), out) for out in fitting)
    for kind, (arity, dtypes) in _KINDS.items():
        yield from (Single(kind, canonical(kind, (dtype,) * arity)) for dtype in dtypes if dtype in fitting)
    for before in fitting:
        yield from (Single("convert", (before,), out) for out in fitting if out != before)
        alike = (out for out in fitting if NUMPY[out].itemsize == NUMPY[before].itemsize and "b1" not in (before, out))
        yield from (Single("bitcast", (before,), out) for out in alike)


def number_of(formula: Formula, code: Code) -> int:
    """Of a formula that is a single operation.

    Raises:
        KeyError: there is no such operation.
    """
    out = formula.out
    if formula.table is not None:
        place, table = formula.table
        out = DTYPES[code.tables[table].dtype.name] if place == "constant" else code.arrays[0][table].dtype
    return numbers(code.instructions.dtype)[Single(formula.kind, formula.dtypes, out)]


def text(word: np.dtype) -> str:
    """The interpreter as one C++ file, for words of a width."""
    cases = " \\\n".join(f"case {number}: {_case(one)} break;" for one, number in numbers(word).items())
    header = (Path(__file__).parent / "interpreter.h").read_text()
    return f"#include <stdint.h>\ntypedef {word.name}_t W;\n#define CASES \\\n{cases}\n{header}"


def _case(one: Single) -> str:
    if one.kind == "move":
        return "EACH r[l] = a[l];"
    if one.kind == "select":
        return "EACH r[l] = a[l] ? b[l] : c[l];"
    if one.kind == "any":
        return "{ W some = 0; EACH some |= a[l]; some = some != 0; EACH r[l] = some; }"
    if one.kind == "table":
        return f"EACH r[l] = to(s_table<s_{one.out}>(p.tables[line[3]], from<s_i32>(a[l])));"
    args = tuple(Value(place, dtype, True) for place, dtype in enumerate(one.dtypes))
    out = Value(len(args), one.out or ("b1" if one.kind in _FLAGS else one.dtypes[0]), True)
    printer = Printer(lambda value: f"t{value.id}", lambda value: None, lambda op: 0)
    operands = "".join(
        f"const s_{arg.dtype} t{arg.id} = from<s_{arg.dtype}>({name}[l]); "
        for arg, name in zip(args, "abc", strict=False)
    )
    return f"EACH {{ {operands}r[l] = to<s_{out.dtype}>({printer.expression(Op(one.kind, args, out))}); }}"
