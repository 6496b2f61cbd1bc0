"""Makes instructions of a program: branches become jumps, values rows, and rows are used again."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np

from rlenv_emit.bytecode.code import BRANCH, FIELDS, JUMP, ROW, WORD, Code, Formula, word_dtype, word_of
from rlenv_emit.bytecode.formulas import ROUNDS, with_formulas, without
from rlenv_emit.bytecode.machine import refused
from rlenv_emit.cpp.sharing import Sharing
from rlenv_emit.ir import Block, If, Loop, Op, Program, Value, defines, walk


class _Rows(Sharing):
    """Every row is like every other, whatever its numbers mean."""

    def _fit(self, new: Value, old: Value, closed: bool = False) -> bool:
        return {new, old} <= self._candidates and (closed or old not in self._closed)


class Assembler:
    """Lines of a program; operands are values, or words that are known, or numbers of lines.

    Args:
        program: as the front made it.
        joined: whether operations that often follow one another are one instruction.
    """

    def __init__(self, program: Program, joined: bool = True) -> None:
        self.program, block = program, program.block
        values = {value for statement in walk(block) for value in defines(statement)}
        dtypes = {value.dtype for value in values} | {array.dtype for array in (*program.inputs, *program.outputs)}
        self._word = word_dtype(dtypes)
        operations = [statement for statement in walk(block) if isinstance(statement, Op)]
        self._constants = {op.out: op.attr for op in operations if op.kind == "const"}
        reads = [op for op in operations if op.kind == "input"]  # also of inner blocks, where one may be read again
        self._inputs: dict[tuple[int, int], Value] = {}
        block = without(block, {op.out: self._inputs.setdefault(op.attr, op.out) for op in reads}, ("const", "input"))
        self._block = with_formulas(block, self._constants, ROUNDS if joined else 0)
        self._sharing = _Rows(self._block, values - set(self._constants))
        self._operations: dict[Formula, int] = {}
        self._lines: list[tuple[int, Value | None, list[Value | int]]] = []
        self._loops: list[tuple[int, int]] = []  # first line, and the one after the last
        self._fresh = 0

    def code(self) -> Code:
        """Of the whole program."""
        self._statements(self._block)
        results = self._results()
        rows, count = self._rows(results)
        instructions = np.zeros((len(self._lines), FIELDS), self._word)
        for line, (operation, target, operands) in zip(instructions, self._lines, strict=True):
            line[0], line[1] = operation, count if target is None else rows[target]
            line[2 : 2 + len(operands)] = [rows[one] if isinstance(one, Value) else one for one in operands]
        inputs = [np.full(array.size, -1) for array in self.program.inputs]
        for (number, element), value in self._inputs.items():
            inputs[number][element] = rows[self._place(value)]
        return Code(
            tuple(self._operations),
            instructions,
            count + 1,  # the last is written where there is no result
            tuple(inputs),
            np.array([rows[value] for value in results], np.int64),
            (self.program.inputs, self.program.outputs),
            tuple(self.program.tables),
        )

    # --- statements -------------------------------------------------------------------------------------------------

    def _statements(self, block: Block) -> None:
        for statement in block.statements:
            if isinstance(statement, If):
                self._if(statement)
            elif isinstance(statement, Loop):
                self._loop(statement)
            else:
                self._line(statement.attr, statement.out, statement.args)

    def _line(self, formula: Formula, target: Value, args: Sequence[Value]) -> None:
        number = self._operations.setdefault(formula, len(self._operations) + 2)
        self._lines.append((number, self._place(target), [self._operand(value) for value in args]))

    def _operand(self, value: Value) -> Value | int:
        known = self._constants.get(value)
        return self._place(value) if known is None else word_of(known, self._word)

    def _place(self, value: Value) -> Value:
        return self._sharing.first(value)

    def _jump(self, kind: int, condition: Value | int = 0) -> list[Value | int]:
        """A jump whose target, the second operand, is not known yet."""
        self._lines.append((kind, None, [condition, 0]))
        return self._lines[-1][2]

    def _if(self, branch: If) -> None:
        known = self._constants.get(branch.predicate)
        if known is not None:
            chosen = branch.then if known else branch.other
            self._statements(chosen)
            self._assign(branch.outs, chosen.results)
            return
        over = self._jump(BRANCH, self._place(branch.predicate))
        self._statements(branch.then)
        self._assign(branch.outs, branch.then.results)
        end = self._jump(JUMP)
        over[1] = begin = len(self._lines)
        self._statements(branch.other)
        self._assign(branch.outs, branch.other.results)
        if len(self._lines) == begin:  # nothing to be jumped over
            self._lines.pop()
            over[1] = len(self._lines)
        else:
            end[1] = len(self._lines)

    def _loop(self, loop: Loop) -> None:
        self._assign(loop.carry, loop.begin)
        begin = len(self._lines)
        self._statements(loop.condition)
        condition = loop.condition.results[0]
        known = self._constants.get(condition)
        out = self._jump(JUMP) if known is not None and not known else None
        out = self._jump(BRANCH, self._place(condition)) if known is None else out
        self._statements(loop.body)
        self._assign(loop.carry, loop.body.results)
        self._jump(JUMP)[1] = begin
        if out is not None:
            out[1] = len(self._lines)
        self._loops.append((begin, len(self._lines)))

    def _assign(self, targets: Sequence[Value], values: Sequence[Value]) -> None:
        """All at once: a value may be another one's target.  What lies in its place already stays there."""
        moves: dict[Value, Value] = {}
        for target, value in zip(targets, values, strict=True):
            if value in self._constants or self._place(value) is not self._place(target):
                moves[self._place(target)] = value
        while moves:
            read = {self._place(value) for value in moves.values() if value not in self._constants}
            free = [target for target in moves if target not in read]
            if free:
                for target in free:
                    self._move(target, moves.pop(target))
                continue
            target = next(iter(moves))  # all that are left stand in circles
            kept = self._new(target)
            self._move(kept, target)
            moves = {one: kept if self._place(value) is target else value for one, value in moves.items()}

    def _new(self, like: Value) -> Value:
        self._fresh -= 1
        return Value(self._fresh, like.dtype, like.uniform)

    def _move(self, target: Value, value: Value) -> None:
        self._line(Formula("move", ("word",), (WORD if value in self._constants else ROW,)), target, (value,))

    def _results(self) -> list[Value]:
        """Places of the results; constants get one."""
        found = []
        for value in self._block.results:
            place = self._place(value)
            if value in self._constants:
                place = self._new(value)
                self._move(place, value)
            found.append(place)
        return found

    # --- rows -------------------------------------------------------------------------------------------------------

    def _rows(self, results: Sequence[Value]) -> tuple[dict[Value, int], int]:
        """The row of each place, and how many rows there are; places that nobody needs at once share one."""
        first = {self._place(value): -1 for value in self._inputs.values()}
        last = dict.fromkeys(first, 0)  # all of them are there before the first line
        for number, (_, target, operands) in enumerate(self._lines):
            for place in (target, *operands):
                if isinstance(place, Value):
                    first.setdefault(place, number)
                    last[place] = number
        for place in results:
            last[place] = len(self._lines)
        for begin, end in self._loops:  # what was there before a loop is there in its last pass
            for place, line in last.items():
                if first[place] < begin <= line < end:
                    last[place] = end
        rows: dict[Value, int] = {}
        free: list[int] = []
        held: list[tuple[int, int]] = []
        for place in sorted(first, key=first.__getitem__):
            while held and held[0][0] <= first[place]:  # a line reads before it writes
                heapq.heappush(free, heapq.heappop(held)[1])
            rows[place] = heapq.heappop(free) if free else len(held)
            heapq.heappush(held, (last[place], rows[place]))
        return rows, max(rows.values(), default=-1) + 1


def assemble(program: Program, joined: bool = True) -> Code:
    """The code of a program.

    Args:
        program: as the front made it.
        joined: as of `Assembler`.

    Raises:
        UnsupportedError: an operation of it cannot be carried out.
    """
    for error in refused(program):
        raise error
    return Assembler(program, joined).code()
