"""Which values of the frame lie in one place because one is the other's next state.

A branch that changes a state gives new values; where it is not taken they are the old ones.  If nobody reads an old
value after the branch, both can lie in one place, and where the branch is not taken nothing is copied.  The same holds
for what a loop begins with and carries.
"""

from __future__ import annotations

from collections.abc import Iterable

from rlenv_emit.ir import Block, If, Loop, Op, Value, blocks, defines, uses, walk


class Sharing:
    """Groups of values that share a place.

    Args:
        block: a whole program's.
        candidates: values that lie in the frame.
    """

    def __init__(self, block: Block, candidates: set[Value]) -> None:
        self._candidates = candidates
        self._before: dict[Value, Value] = {}  # the value whose place a value takes over
        self._follow(block, set(block.results))

    def first(self, value: Value) -> Value:
        """The value whose place it is: the same for all that share it."""
        while value in self._before:
            value = self._before[value]
        return value

    def _follow(self, block: Block, live: set[Value]) -> None:
        """Walk backwards; ``live`` is what is read after the block, and becomes what is read from its begin on."""
        live.update(block.results)
        for statement in reversed(block.statements):
            live.difference_update(defines(statement))
            if isinstance(statement, Op):
                live.update(statement.args)
            elif isinstance(statement, If):
                self._branch(statement, live)
            else:
                self._loop(statement, live)

    def _branch(self, branch: If, live: set[Value]) -> None:
        self._take_over(zip(branch.outs, branch.other.results, strict=True), live)
        other = set(live)
        self._follow(branch.other, other)
        self._follow(branch.then, live)
        live |= other
        live.add(branch.predicate)

    def _loop(self, loop: Loop, live: set[Value]) -> None:
        read = {value for block in blocks(loop) for value in _read(block)}
        written = {value for block in blocks(loop) for statement in walk(block) for value in defines(statement)}
        live |= read - written - set(loop.carry)  # a pass reads what the one before it read
        self._take_over(zip(loop.carry, loop.begin, strict=True), live)
        self._follow(loop.body, set(live))
        live.update(loop.begin)

    def _take_over(self, pairs: Iterable[tuple[Value, Value]], live: set[Value]) -> None:
        taken: set[Value] = set()
        for new, old in pairs:
            fits = (new.dtype, new.uniform) == (old.dtype, old.uniform)
            if fits and old not in live and old not in taken and {new, old} <= self._candidates:
                taken.add(old)
                self._before[new] = old


def _read(block: Block) -> Iterable[Value]:
    """Every value that a block or one inside it reads."""
    yield from block.results
    for statement in walk(block):
        yield from uses(statement)
