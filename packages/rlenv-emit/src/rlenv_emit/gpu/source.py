"""A program as the text of one CUDA kernel: an environment a thread, its carry in registers for all steps.

The text is C++ that a host compiles too (`kernel.h`).  Threads of a warp stay together: what decides a branch or a loop
is the same for all of them, a vote (``any_lane``) where it depends on an environment.  Warps of a block are brought
together now and then, since the rules of a large game are many times what caches instructions: on an H100 pokejax's
kernel played 39 million steps a second where every warp fetched its instructions for itself, 199 million so.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence, Set
from typing import Any, Final

import numpy as np

from rlenv_emit.cpp.expressions import Printer, literal
from rlenv_emit.cpp.plan import Plan
from rlenv_emit.cpp.source import Writer
from rlenv_emit.ir import DTYPES, Block, If, Loop, Op, Program, Value, blocks, size, walk
from rlenv_shared.errors import InvalidParamsError

NAME: Final = "rlenv_kernel"
THREADS: Final = 512
"""Of a block: as many as a multiprocessor holds with 128 registers each.  They run through a kernel side by side, since
its text is far larger than what caches instructions."""
WIDE: Final = 1000
"""A gate around more statements is decided by a vote of the whole block, which brings its warps together."""
STRETCH: Final = 2000
"""Statements after which the warps of a block are brought together at the latest, where no vote does."""


@dataclasses.dataclass(frozen=True)
class Text:
    """The text of a kernel.

    Attributes:
        whole: of the file.
        blocks: for every block of statements, in the order of its numbers, the gate whose vote decides it; empty for
            what no gate of the rules decides.
    """

    whole: str
    blocks: tuple[str, ...]

    def lines(self) -> Iterator[tuple[int, int]]:
        """``(line, block)`` of every line inside the loop over steps, lines from 1 on."""
        stack = [-1]
        for number, line in enumerate(self.whole.split("\n"), 1):
            if line.startswith("BLOCK("):
                stack[-1] = int(line[6:-2])
            if line.startswith("}") and len(stack) > 1:
                stack.pop()
            if stack[-1] >= 0:
                yield number, stack[-1]
            if line.endswith("{"):
                stack.append(stack[-1])


def kernel(program: Program, carried: int = 0) -> Text:
    """The kernel that applies a program ``steps`` times to every environment.

    Args:
        program: of one environment and step.
        carried: so many of its first arguments become its first results after every step; further arguments of which
            every environment has its own are given for each step, [steps, batch, ...], and further results are so too.

    Raises:
        InvalidParamsError: what is carried has another shape or dtype after a step, or is shared by environments.
    """
    before, after = program.inputs[:carried], program.outputs[:carried]
    if len(before) != carried or before != after:
        raise InvalidParamsError("carry of a kernel", after, before, "return what was taken, for every environment")
    return _KernelWriter(program, carried).text()


def leading(number: int, carried: int, steps: int, batch: int) -> tuple[int, ...]:
    """Axes before those of one environment, of a kernel's argument or result of this number."""
    return (batch,) if number < carried else (steps, batch)


def size_of(statement: Op | If | Loop) -> int:
    """Operations of a statement."""
    return 1 + sum(map(size, blocks(statement)))


def wide(block: Block) -> Iterator[Value]:
    """What decides large gates to which all warps of a block of threads come."""
    votes = {one.out for one in block.statements if isinstance(one, Op) and one.kind == "any"}
    for statement in block.statements:
        if isinstance(statement, If) and statement.predicate in votes and size_of(statement) > WIDE:
            yield statement.predicate
            yield from wide(statement.then)
            yield from wide(statement.other)


class ScalarPrinter(Printer):
    """Prints operations of one thread's numbers; ``wide`` are the votes of all warps of a block."""

    def __init__(self, *names: Any, wide: Set[Value] = frozenset()) -> None:
        super().__init__(*names)
        self._wide = wide

    def ctype(self, value: Value) -> str:
        """That of a scalar, whether all threads have the same or not."""
        return f"s_{value.dtype}"

    def read(self, value: Value, vector: bool) -> str:
        """The value's name."""
        return self._name(value)

    def expression(self, op: Op) -> str:
        """The right-hand side of an operation's definition."""
        if op.kind != "any":
            return self._scalar(op)
        return f"{'any_of_block' if op.out in self._wide else 'any_lane'}({self._name(op.args[0])})"


class _KernelWriter(Writer):
    def __init__(self, program: Program, carried: int) -> None:
        whole = size(program.block)
        one_function = Plan(program, whole, whole, stores=None)  # registers have no frame
        super().__init__(program, one_function, ScalarPrinter)
        self._carried = carried
        self._gates = {
            one.out: one.attr or "" for one in walk(program.block) if isinstance(one, Op) and one.kind == "any"
        }
        self._blocks: list[str] = []
        self._wide = set(wide(program.block))
        self._printer = ScalarPrinter(self._name, self._constant, self._entries, wide=self._wide)
        self._together = True  # whether all warps of the block come to where is written
        self._apart = 0  # statements since they were together

    def text(self) -> Text:
        """The whole file."""
        self._open_block("")
        body = self._whole_body()
        carry = [
            (number, element, f"s_{array.dtype}", array.size)
            for number, array in enumerate(self._program.inputs[: self._carried])
            for element in range(array.size)
        ]
        begin = [f"{of} x{n}_{e} = load<{of}>(c->in[{n}], i, {size}, {e}), y{n}_{e};" for n, e, of, size in carry]
        end = [f"store<{of}>(c->out[{n}], i, {size}, {e}, x{n}_{e}, own);" for n, e, of, size in carry]
        whole = [
            f"#define INPUTS {len(self._program.inputs)}",
            f"#define OUTPUTS {len(self._program.outputs)}",
            f"#define THREADS {THREADS}",
            '#include "kernel.h"',
            *(_table(number, table) for number, table in enumerate(self._program.tables)),
            f"KERNEL {NAME}(CALL arguments, const int steps, const s_i64 batch) {{",
            "const call* const c = &arguments;",
            "const s_i64 thread = thread_number();",
            "const bool own = thread < batch;",  # the others repeat the last environment, so that warps are whole
            "const s_i64 i = own ? thread : batch - 1;",
            *begin,
            "for (int step = 0; step < steps; step++) {",
            "const s_i64 row = step * batch + i;",
            *body,
            *(f"x{n}_{e} = y{n}_{e};" for n, e, _, _ in carry),
            "}",
            *end,
            "}",
            "",
        ]
        return Text("\n".join(whole), tuple(self._blocks))

    def _statements(self, statements: list[Op | If | Loop], outermost: bool) -> None:
        for statement in statements:
            voted = isinstance(statement, Op) and statement.out in self._wide
            inner = isinstance(statement, If) and statement.predicate in self._wide
            self._apart = 0 if voted else self._apart + (0 if inner else size_of(statement))
            super()._statements([statement], outermost)
            if self._together and self._apart >= STRETCH:
                self._lines.append("TOGETHER;")
                self._apart = 0

    def _open_block(self, gate: str) -> None:
        self._lines.append(f"BLOCK({len(self._blocks)});")
        self._blocks.append(gate)

    def _inner(self, statement: If | Loop, block: Block) -> None:
        gate = self._gates.get(statement.predicate, "") if isinstance(statement, If) else "loop"
        self._open_block(gate)
        outer = self._together
        self._together &= isinstance(statement, If) and statement.predicate in self._wide
        self._block(block)
        self._together = outer

    def _input(self, value: Value) -> str:
        number, element = self._repeated[value].attr
        array = self._program.inputs[number]
        if not array.varying:
            return f"s_table<s_{array.dtype}>(c->in[{number}], {element})"
        if number < self._carried:
            return f"x{number}_{element}"
        return f"load<s_{array.dtype}>(c->in[{number}], row, {array.size}, {element})"

    def _store_all(self, values: Sequence[Value]) -> None:
        for value in values:
            self._store(value)

    def _store(self, value: Value) -> None:
        for number, element in self._results.get(value, ()):
            array, name = self._program.outputs[number], self._name(value)
            if number < self._carried:
                self._lines.append(f"y{number}_{element} = {name};")
            else:
                self._lines.append(
                    f"store<s_{array.dtype}>(c->out[{number}], row, {array.size}, {element}, {name}, own);"
                )


def _table(number: int, table: np.ndarray) -> str:
    dtype = DTYPES[table.dtype.name]
    return f"TABLE s_{dtype} table{number}[] = {{{', '.join(literal(entry) for entry in table)}}};"
