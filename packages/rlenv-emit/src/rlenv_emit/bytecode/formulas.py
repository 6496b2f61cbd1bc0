"""Puts operations together that often follow one another, so that one instruction carries them out.

An instruction costs as much again as its work.  Which operations go together is not written down: those pairs do of
which a program has most.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Collection
from typing import Any, Final

from rlenv_emit.bytecode.code import OPERANDS, ROW, WORD, Formula
from rlenv_emit.ir import Block, If, Loop, Op, Value, blocks, uses, walk

ROUNDS: Final = 4
"""Pairs are looked for among what rounds before have put together."""
PAIRS: Final = 32
"""Kinds of pairs that a round puts together at most."""
RARE: Final = 1 / 400
"""Of all operations; pairs that are rarer are left alone, since each kind is more to compile."""
FEW: Final = 80
"""Of a program of some thousand operations pairs that are fewer are left alone, too: to compile them would take most of
the time to its first result.  Of smaller ones a fiftieth of the operations is asked for."""
_OF_BITS: Final = frozenset({"and", "or", "xor", "add", "sub", "mul", "eq", "ne"})
"""Do the same to signed and unsigned words."""
_LOGIC: Final = frozenset({"and", "or", "xor", "eq", "ne"})
"""And to flags, which are 0 and 1."""
_SIGNED: Final = {"u32": "i32", "u64": "i64"}


def with_formulas(block: Block, constants: Collection[Value], rounds: int = ROUNDS) -> Block:
    """The block with operations of kind ``formula``, whose attr says what they do; nothing else stays an operation.

    Args:
        block: a whole program's, without constants and inputs.
        constants: values that an instruction holds itself.
        rounds: 0 leaves each operation alone.
    """
    same = {one.out: one.args[0] for one in walk(block) if isinstance(one, Op) and _same_word(one)}
    block = _mapped(block, lambda op: dataclasses.replace(op, kind="formula", attr=_single(op, constants)))
    block = without(block, same)
    for _ in range(rounds):
        used = Counter(value for statement in walk(block) for value in uses(statement))
        used.update(block.results)
        pairs = Counter(pair for _, _, _, pair in _pairs(block, used))
        operations = sum(isinstance(one, Op) for one in walk(block))
        least = max(2, RARE * operations, min(FEW, operations / 50))
        chosen = {pair for pair, count in pairs.most_common(PAIRS) if count >= least}
        block = _joined(block, used, chosen)
    return block


def _single(op: Op, constants: Collection[Value]) -> Formula:
    """An operation alone."""
    dtypes = canonical(op.kind, tuple(value.dtype for value in op.args))
    operands = tuple(WORD if value in constants else ROW for value in op.args)
    out = op.out.dtype if op.kind in ("convert", "bitcast") else ""
    return Formula(op.kind, dtypes, operands, out, op.attr if op.kind == "table" else None)


def canonical(kind: str, dtypes: tuple[str, ...]) -> tuple[str, ...]:
    """Dtypes of operands with which an operation does the same to their words."""
    if kind in _OF_BITS:
        dtypes = tuple(_SIGNED.get(dtype, dtype) for dtype in dtypes)
        return ("i32", "i32") if dtypes[0] == "b1" and kind in _LOGIC else dtypes
    return (dtypes[0], "word", "word") if kind == "select" else dtypes


def _same_word(op: Op) -> bool:
    """Whether a conversion leaves a word as it is."""
    before, after = op.args[0].dtype if op.args else "", op.out.dtype
    return op.kind == "convert" and ({before, after} == {"i32", "u32"} or (before == "b1" and after[0] in "iu"))


def without(block: Block, same: dict[Value, Value], kinds: Collection[str] = ()) -> Block:
    """With other values in place of some, whose operations are left out, and all operations of some kinds too."""

    def source(value: Value) -> Value:
        while same.get(value, value) is not value:
            value = same[value]
        return value

    def all_of(values: tuple[Value, ...]) -> tuple[Value, ...]:
        return tuple(map(source, values))

    def cleared(block: Block) -> Block:
        found: list[Op | If | Loop] = []
        for statement in block.statements:
            if isinstance(statement, Op):
                if statement.out not in same and statement.kind not in kinds:
                    found.append(dataclasses.replace(statement, args=all_of(statement.args)))
                continue
            if isinstance(statement, If):
                statement = dataclasses.replace(statement, predicate=source(statement.predicate))
            else:
                statement = dataclasses.replace(statement, begin=all_of(statement.begin))
            found.append(_inside(statement, [cleared(inner) for inner in blocks(statement)]))
        return Block(found, all_of(block.results))

    return cleared(block)


def _mapped(block: Block, change: Any) -> Block:
    """With every operation changed."""
    found: list[Op | If | Loop] = []
    for statement in block.statements:
        if isinstance(statement, Op):
            found.append(change(statement))
        else:
            found.append(_inside(statement, [_mapped(inner, change) for inner in blocks(statement)]))
    return Block(found, block.results)


def _inside(statement: If | Loop, inner: list[Block]) -> If | Loop:
    if isinstance(statement, If):
        return dataclasses.replace(statement, then=inner[0], other=inner[1])
    return dataclasses.replace(statement, condition=inner[0], body=inner[1])


def _own(block: Block, used: Counter[Value]) -> dict[Value, Op]:
    """Operations of the block itself that can become part of another: not on floats, since those are rounded alone."""
    return {one.out: one for one in block.statements if isinstance(one, Op) and used[one.out] == 1 and not _floats(one)}


def _floats(op: Op) -> bool:
    """Whether it computes with floats; in one loop with a sum XLA's compiler would not round a product."""
    return any(dtype[0] == "f" for dtype in op.attr.dtypes)


def _pairs(block: Block, used: Counter[Value]) -> Any:
    """``(operation, its operand, the operation that gives it, what the pair is)``, also of inner blocks."""
    own = _own(block, used)
    for statement in block.statements:
        if not isinstance(statement, Op):
            for inner in blocks(statement):
                yield from _pairs(inner, used)
            continue
        for place, value in enumerate(statement.args):
            first = own.get(value)
            if first is not None and statement.attr.width() + first.attr.width() - 1 <= OPERANDS:
                yield statement, place, first, (first.attr, statement.attr, place)


def _joined(block: Block, used: Counter[Value], chosen: set[Any]) -> Block:
    """With the chosen pairs as one operation each."""
    own, gone = _own(block, used), set()
    found: list[Op | If | Loop] = []
    for statement in block.statements:
        if not isinstance(statement, Op):
            found.append(_inside(statement, [_joined(inner, used, chosen) for inner in blocks(statement)]))
            continue
        for place, value in enumerate(statement.args):
            first = own.get(value)
            if first is not None and (first.attr, statement.attr, place) in chosen:
                args = (*statement.args[:place], *first.args, *statement.args[place + 1 :])
                formula = _replaced(statement.attr, place, first.attr)[0]
                statement = dataclasses.replace(statement, args=args, attr=formula)
                gone.add(value)
                if statement.out in own:
                    own[statement.out] = statement
                break
        found.append(statement)
    return Block([one for one in found if not (isinstance(one, Op) and one.out in gone)], block.results)


def _replaced(formula: Formula, place: int, first: Formula) -> tuple[Formula, int]:
    """With another formula as the operand in this place; the second is -1 once that is done."""
    operands: list[Any] = []
    for one in formula.operands:
        if isinstance(one, Formula):
            one, place = _replaced(one, place, first) if place >= 0 else (one, place)
        elif place >= 0:
            one, place = (first if place == 0 else one), place - 1
        operands.append(one)
    return formula._replace(operands=tuple(operands)), place
