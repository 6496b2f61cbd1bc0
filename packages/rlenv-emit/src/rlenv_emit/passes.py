"""What is done to a program before it is written out."""

from __future__ import annotations

import dataclasses

import numpy as np

from rlenv_emit.ir import Block, Loop, Op, Program, Value, blocks, defines, uses


def without_dead(program: Program, constants: dict[Value, np.generic]) -> Program:
    """The program without statements that no result needs, and with its constants as statements at the beginning."""
    needed: set[Value] = set(program.block.results)
    kept = _sweep(program.block, needed)
    known = [Op("const", (), value, number) for value, number in constants.items() if value in needed]
    kept.statements[:0] = known
    return dataclasses.replace(program, block=kept)


def _sweep(block: Block, needed: set[Value]) -> Block:
    kept = []
    for statement in reversed(block.statements):
        if not any(value in needed for value in defines(statement)):
            continue
        if isinstance(statement, Op):
            needed.update(statement.args)
        elif isinstance(statement, Loop):
            needed.update(uses(statement))  # all carries: what one pass needs, the next one gives
            body = _sweep(statement.body, needed)
            statement = dataclasses.replace(statement, body=body, condition=_sweep(statement.condition, needed))
        else:
            wanted = [i for i, out in enumerate(statement.outs) if out in needed]
            inner = []
            for branch in blocks(statement):
                branch = Block(branch.statements, tuple(branch.results[i] for i in wanted))
                needed.update(branch.results)
                inner.append(_sweep(branch, needed))
            needed.add(statement.predicate)
            statement = dataclasses.replace(
                statement, then=inner[0], other=inner[1], outs=tuple(statement.outs[i] for i in wanted)
            )
        kept.append(statement)
    return Block(kept[::-1], block.results)
