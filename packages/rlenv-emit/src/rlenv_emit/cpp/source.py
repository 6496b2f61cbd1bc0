"""A program as one C++ file."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import numpy as np

from rlenv_emit.cpp.expressions import Printer, literal
from rlenv_emit.cpp.plan import MOST_STATEMENTS, REPEATED, Plan
from rlenv_emit.ir import DTYPES, NUMPY, Array, Block, If, Loop, Op, Program, Value, defines, walk

OF_UNIT: Final = "OF_UNIT"
"""The macro that says whether a part is compiled in this unit: compilers may share a file's parts (`entry.h`)."""
LANES: Final = '#include "lanes.h"'
"""The line with which the text of a step for several lanes begins."""
_ARGUMENTS = "(frame* __restrict F, const call* __restrict c, const long g)"


def source(program: Program, **limits: Any) -> str:
    """The C++ text of a program; ``limits`` are those of `Plan`."""
    return Writer(program, Plan(program, **limits)).file()


class Writer:
    """Writes a program.

    Args:
        program: to write.
        plan: of its functions and of what lies in the frame.
        printer: of its operations.
    """

    def __init__(self, program: Program, plan: Plan, printer: type[Printer] = Printer) -> None:
        self._program, self._plan = program, plan
        self._repeated = {op.out: op for op in walk(program.block) if isinstance(op, Op) and op.kind in REPEATED}
        self._printer = printer(self._name, self._constant, self._entries)
        self._lines: list[str] = []
        self._functions: dict[int, str] = {}  # by the number of the part
        self._scopes: list[set[Value]] = [set()]  # values with a name of their own, by open brace
        self._results: dict[Value, list[tuple[int, int]]] = {}
        for place, value in zip(self._places(), program.block.results, strict=True):
            self._results.setdefault(value, []).append(place)

    def _entries(self, op: Op) -> int:
        """Of the table that an operation reads."""
        place, number = op.attr
        return len(self._program.tables[number]) if place == "constant" else self._program.inputs[number].size

    def _places(self) -> Iterable[tuple[int, int]]:
        return ((number, e) for number, array in enumerate(self._program.outputs) for e in range(array.size))

    def file(self) -> str:
        """The whole text."""
        body = self._whole_body()
        kinds = sorted(self._plan.frame.items())
        frame = "".join(
            f"  {'s' if uniform else 'v'}_{dtype} {'s' if uniform else 'v'}_{dtype}_[{count}];\n"
            for (dtype, uniform), count in kinds
        )
        arrays = [
            f"extern const array {name}[] = {{{', '.join([*map(_array, arrays), '{}'])}}};"
            for name, arrays in (("inputs", self._program.inputs), ("outputs", self._program.outputs))
        ]
        return "\n".join(
            [
                f"#define INPUTS {len(self._program.inputs)}",
                f"#define OUTPUTS {len(self._program.outputs)}",
                LANES,
                '#include "entry.h"',
                *(_table(number, table) for number, table in enumerate(self._program.tables)),
                f"struct frame {{\n{frame}}};",
                *(f"void part{number}{_ARGUMENTS};" for number in self._functions),
                *(_of_unit(number, text) for number, text in self._functions.items()),
                f"#if {OF_UNIT}(0)",
                *arrays,
                "static void run_group(const call* __restrict c, const long g) {",
                "frame whole; frame* __restrict F = &whole;",
                *body,
                "}\n#endif\n",
            ]
        )

    def _whole_body(self) -> list[str]:
        """Lines of all statements, which store the results too."""
        self._block(self._program.block, outermost=True)
        self._store_all([value for value in self._results if value in self._repeated or value in self._plan.apart])
        return self._lines

    def _store_all(self, values: Sequence[Value]) -> None:
        """Store what no statement has stored, by functions of its own where that is much."""
        runs = [(value, run) for value in values for run in self._runs(value)]
        if len(runs) <= MOST_STATEMENTS:
            self._store_runs(runs)
            return
        for first in range(0, len(runs), MOST_STATEMENTS):
            number = max(self._functions, default=0) + 1
            self._function(number, functools.partial(self._store_runs, runs[first : first + MOST_STATEMENTS]))

    # --- values -----------------------------------------------------------------------------------------------------

    def _constant(self, value: Value) -> np.generic | None:
        op = self._repeated.get(value)
        return op.attr if op is not None and op.kind == "const" else None

    def _name(self, value: Value) -> str:
        """How a value is read here; loads it first where this function has not."""
        known = self._constant(value)
        if known is not None:
            return literal(known)
        if any(value in scope for scope in self._scopes):
            return f"t{value.id}"
        self._scopes[-1].add(value)
        text = self._input(value) if value in self._repeated else self._in_frame(value)
        self._lines.append(f"const {self._printer.ctype(value)} t{value.id} = {text};")
        return f"t{value.id}"

    def _in_frame(self, value: Value) -> str:
        return f"F->{self._printer.ctype(value)}_[{self._plan.places[value]}]"

    def _input(self, value: Value) -> str:
        number, element = self._repeated[value].attr
        array = self._program.inputs[number]
        if value.uniform:
            return f"s_table<s_{array.dtype}>(c->in[{number}], {element})"
        return f"v_load_{array.dtype}(c->in[{number}], g, {array.size}, {element})"

    def _runs(self, value: Value) -> list[tuple[int, int, int]]:
        """Results that a value is: number of the array, the first of some neighbouring elements, how many they are."""
        runs: list[tuple[int, int, int]] = []
        for number, element in self._results.get(value, ()):
            if runs and runs[-1][0] == number and sum(runs[-1][1:]) == element:
                runs[-1] = (number, runs[-1][1], runs[-1][2] + 1)
            else:
                runs.append((number, element, 1))
        return runs

    def _store(self, value: Value) -> None:
        if value not in self._plan.apart:
            self._store_runs([(value, run) for run in self._runs(value)])

    def _store_runs(self, runs: Iterable[tuple[Value, tuple[int, int, int]]]) -> None:
        for value, (number, first, count) in runs:
            array, text = self._program.outputs[number], self._printer.read(value, vector=True)
            each, element = (
                ("", str(first)) if count == 1 else (f"for (long e = {first}; e < {first + count}; e++) ", "e")
            )
            self._lines.append(f"{each}v_store_{array.dtype}(c->out[{number}], g, {array.size}, {element}, {text});")

    # --- statements -------------------------------------------------------------------------------------------------

    def _block(self, block: Block, outermost: bool = False) -> None:
        parts = self._plan.cut(block)
        if parts is None:
            self._statements(block.statements, outermost)
            return
        for part in parts:
            self._function(part.number, functools.partial(self._statements, part.statements, outermost))

    def _function(self, number: int, write: Callable[[], None]) -> None:
        """A function of its own, and its call."""
        outer = self._lines, self._scopes
        self._lines, self._scopes = [], [set()]
        write()
        text = "\n".join(self._lines)
        self._functions[number] = f"__attribute__((noinline)) void part{number}{_ARGUMENTS} {{\n{text}\n}}"
        self._lines, self._scopes = outer
        self._lines.append(f"part{number}(F, c, g);")

    def _inner(self, statement: If | Loop, block: Block) -> None:
        """A block of a branch or of a loop."""
        self._block(block)

    def _statements(self, statements: list[Op | If | Loop], outermost: bool) -> None:
        for statement in statements:
            if isinstance(statement, If):
                self._if(statement)
            elif isinstance(statement, Loop):
                self._loop(statement)
            elif statement.kind not in REPEATED:
                self._define(statement.out, self._printer.expression(statement))
            if outermost:  # results leave as early as they can, so that nothing has to keep them
                for value in defines(statement):
                    if value not in self._repeated:
                        self._store(value)

    def _define(self, value: Value, text: str) -> None:
        self._scopes[-1].add(value)
        self._lines.append(f"const {self._printer.ctype(value)} t{value.id} = {text};")
        if value in self._plan.places:
            self._lines.append(f"{self._in_frame(value)} = t{value.id};")

    def _target(self, value: Value) -> str:
        """What is assigned to for a value that several statements give."""
        return self._in_frame(value) if value in self._plan.places else f"t{value.id}"

    def _declare(self, values: tuple[Value, ...]) -> None:
        for value in values:
            if value not in self._plan.places:
                self._scopes[-1].add(value)
                self._lines.append(f"{self._printer.ctype(value)} t{value.id};")

    def _assign(self, targets: tuple[Value, ...], values: tuple[Value, ...]) -> None:
        """All at once: a value may be another one's target.  What lies in its place already stays there."""
        pairs = zip(targets, values, strict=True)
        moves = [(target, value) for target, value in pairs if not self._plan.same_place(target, value)]
        targets, values = tuple(target for target, _ in moves), tuple(value for _, value in moves)
        texts = [self._printer.read(value, not target.uniform) for target, value in zip(targets, values, strict=True)]
        if len(targets) == 1:
            self._lines.append(f"{self._target(targets[0])} = {texts[0]};")
            return
        self._lines += [
            f"const {self._printer.ctype(target)} n{target.id} = {text};"
            for target, text in zip(targets, texts, strict=True)
        ]
        self._lines += [f"{self._target(target)} = n{target.id};" for target in targets]

    def _if(self, branch: If) -> None:
        self._declare(branch.outs)
        predicate = self._name(branch.predicate)
        for opening, inner in ((f"if ({predicate}) {{", branch.then), ("} else {", branch.other)):
            self._lines.append(opening)
            self._scopes.append(set())
            self._inner(branch, inner)
            self._assign(branch.outs, inner.results)
            self._scopes.pop()
        self._lines.append("}")

    def _loop(self, loop: Loop) -> None:
        self._declare(loop.carry)
        self._lines.append("{")
        self._scopes.append(set())
        self._assign(loop.carry, loop.begin)
        self._scopes.pop()
        self._lines.append("}\nfor (;;) {")
        self._scopes.append(set())
        self._inner(loop, loop.condition)
        self._lines.append(f"if (!{self._name(loop.condition.results[0])}) break;")
        self._inner(loop, loop.body)
        self._assign(loop.carry, loop.body.results)
        self._scopes.pop()
        self._lines.append("}")


def _of_unit(number: int, text: str) -> str:
    return f"#if {OF_UNIT}({number})\n{text}\n#endif"


def _array(array: Array) -> str:
    return f"{{{str(array.varying).lower()}, {array.size}, {NUMPY[array.dtype].itemsize}}}"


def _table(number: int, table: np.ndarray) -> str:
    dtype = DTYPES[table.dtype.name]
    return f"static const s_{dtype} table{number}[] = {{{', '.join(literal(entry) for entry in table)}}};"
